package http

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"flag"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/spec"
)

// hostilePieces break encoders that only concatenate text.
var hostilePieces = []string{
	"", ".", "..", "/", "//", "\\", "?", "#", "&", "=", "+", " ", "  ", "%", "%2e", "%2F", "%00", "%zz", ";", ":", "@", "\r\n", "\n", "\x00", "\t", "\x01", "\x7f",
	`"`, "'", "`", "$", "${x}", "{x}", "{{x}}", "<", ">", "<!--", "]]>", "&amp;", "ü", "日本", "🙂", "\u2028", "\u202e", "\ufeff", "\ufffd", "\xff", "\xc3\x28", "\xed\xa0\x80",
	"HTTP/1.1", "Host: evil.test", "\r\nX-Evil: 1", "http://evil.test/", "//evil.test", "user:pass@", "javascript:", "../../etc/passwd", "..;/", "%c0%ae", "-rf", "a=b&c=d", "[]", "[0]", "__proto__", "null", "true", "0", "1e400", "NaN", strings.Repeat("a", 300),
}

// hostileStrings returns count strings, the same in each run: the pieces, pairs of them, and
// pieces with random bytes and runes in between.
func hostileStrings(count int) []string {
	r := rand.New(rand.NewPCG(1, 2))
	out := append([]string{}, hostilePieces...)
	for len(out) < count {
		var b strings.Builder
		for range 1 + r.IntN(4) {
			switch r.IntN(4) {
			case 0:
				b.WriteByte(byte(r.UintN(256)))
			case 1:
				b.WriteRune(rune(r.UintN(0x11000)))
			default:
				b.WriteString(hostilePieces[r.IntN(len(hostilePieces))])
			}
		}
		out = append(out, b.String())
	}
	return out
}

var stringsCount = flag.Int("strings", 2000, "number of strings for each place (make model uses 10000)")

// TestHostileStrings sends hostile strings through each place where a value can appear. The
// server decodes with net/http, or, if that decodes too much, inspects the bytes.
func TestHostileStrings(t *testing.T) {
	var got atomic.Pointer[func(r *http.Request) string]
	ts := &testServer{TB: t, kind: newKind(time.Now)}
	var address string
	address = recorder(t, func(r *http.Request, raw string) string {
		if r.Host != strings.TrimPrefix(address, "http://") || r.Header.Get("X-Evil") != "" || r.Method != "POST" {
			return "changed request: " + raw
		}
		return (*got.Load())(r)
	})
	ts.setOrigins(address)
	for name, place := range map[string]struct {
		args   func(s string) args
		got    func(r *http.Request) string
		refuse func(s string) bool
	}{
		"path": {
			func(s string) args {
				return args{"path": []spec.Part{{Text: "/a/", Literal: true}, {Text: s}, {Text: "/b", Literal: true}}}
			},
			func(r *http.Request) string {
				segments := strings.Split(r.URL.EscapedPath(), "/")
				if len(segments) != 4 || segments[1] != "a" || segments[3] != "b" || r.URL.RawQuery != "" {
					return "changed path: " + r.URL.EscapedPath()
				}
				s, _ := url.PathUnescape(segments[2])
				return s
			},
			func(s string) bool { return s == "" || s == "." || s == ".." },
		},
		"query": {
			func(s string) args { return args{"path": parts("/"), "query": args{"q": s, "z": "z"}} },
			func(r *http.Request) string {
				if q, err := url.ParseQuery(r.URL.RawQuery); err != nil || len(q) != 2 || q.Get("z") != "z" || len(q["q"]) != 1 {
					return "changed query: " + r.URL.RawQuery
				}
				return r.URL.Query().Get("q")
			},
			nil,
		},
		"parameter name": {
			func(s string) args { return args{"path": parts("/"), "query": args{s: "x"}} },
			func(r *http.Request) string {
				for name := range r.URL.Query() {
					return name
				}
				return "none"
			},
			nil,
		},
		"header": {
			func(s string) args { return args{"path": parts("/"), "headers": args{"X-Value": s}} },
			func(r *http.Request) string { return r.Header.Get("X-Value") },
			func(s string) bool { return request.CheckHeaderValue(s) != nil },
		},
		"json": {
			func(s string) args { return args{"path": parts("/"), "json": args{"v": s, "z": "z"}} },
			func(r *http.Request) string {
				var body map[string]string
				if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len(body) != 2 {
					return "changed body"
				}
				return body["v"]
			},
			func(s string) bool { return !utf8.ValidString(s) },
		},
		"form": {
			func(s string) args { return args{"path": parts("/"), "form": args{"v": s, "z": "z"}} },
			func(r *http.Request) string {
				if err := r.ParseForm(); err != nil || len(r.PostForm) != 2 || r.PostForm.Get("z") != "z" {
					return "changed form"
				}
				return r.PostForm.Get("v")
			},
			nil,
		},
	} {
		got.Store(&place.got)
		refused := 0
		for _, s := range hostileStrings(*stringsCount) {
			a := place.args(s)
			a["baseURL"], a["method"] = address, "POST"
			out := ts.kind.Run(t.Context(), ts.call("", a))
			if place.refuse != nil && place.refuse(s) {
				refused++
				if out.Status != actions.Refused {
					t.Fatalf("%s: %q was sent", name, s)
				}
				continue
			}
			if out.Status != actions.Done {
				t.Fatalf("%s: %q: %v", name, s, out.Err)
			}
			if arrived := out.Result.(map[string]any)["body"]; arrived != b64(s) && !(s == "" && arrived == nil) {
				t.Fatalf("%s: %q is received as %q", name, s, arrived)
			}
		}
		t.Logf("%s: %d of %d refused", name, refused, *stringsCount)
	}
}

func b64(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }

// recorder serves requests on raw connections. It responds with what do returns for a
// request, in base64.
func recorder(t *testing.T, do func(r *http.Request, raw string) string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					text := b64(do(r, r.RequestURI))
					_, _ = io.Copy(io.Discard, r.Body)
					_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: "+strconv.Itoa(len(text))+"\r\n\r\n"+text)
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String()
}
