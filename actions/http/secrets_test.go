package http

import (
	"bytes"
	"fmt"
	"log"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec/screen"
)

// TestCanary puts a canary into every place for a secret, with success and every fault. It
// must not appear in an error, in progress or in the log, and the server must receive it with
// every request that it reads.
func TestCanary(t *testing.T) {
	const canary = "c4n4ry-7f3a"
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(log.Default().Writer())
	defer log.SetFlags(log.Flags())
	places := map[string]args{
		"bearer": {"auth": args{"bearer": canary}},
		"basic":  {"auth": args{"basic": args{"username": "u", "password": canary}}},
		"header": {"auth": args{"apiKey": args{"header": "X-Key", "value": canary}}},
		"query":  {"auth": args{"apiKey": args{"query": "key", "value": canary}}},
		"cookie": {"auth": args{"apiKey": args{"cookie": "sid", "value": canary}}},
		"digest": {"auth": args{"digest": args{"username": "u", "password": canary}}},
		"sigv4":  {"auth": args{"sigv4": args{"service": "s3", "region": "r", "accessKey": "a", "secretKey": canary, "sessionToken": canary}}},
		"signed": {"auth": args{"sign": args{}}, "auth.sign.headers": late(args{"X-Signature": canary}), "auth.sign.query": late(args{"signature": canary})},
		"broken": {"auth": args{"sign": args{}}, "auth.sign.headers": late(args{"X-Signature": canary + "\n"})},
		"list":   {"auth": []any{args{"bearer": canary}, args{"apiKey": args{"header": "X-Key", "value": canary}}}},
		"json":   {"json": args{"password": canary}},
		"form":   {"form": args{"password": canary}},
		"text":   {"text": canary},
		"param":  {"query": args{"token": canary}},
		"own":    {"headers": args{"X-Secret": canary}},
		"line":   {"headers": args{"X-Secret": canary + "\n"}},
		"utf8":   {"json": args{"password": canary + "\xff"}},
		"tls":    {"tls": args{"cert": canary, "key": canary}},
		"pem":    {"tls": args{"ca": canary}},
		"proxy":  {"proxy": "http://u:" + canary + "@127.0.0.1:1"},
		"key":    {"idempotencyKey": args{"value": canary + "\x00"}},
	}
	all := append(faults(), fault{name: "none", do: respond("HTTP/1.1 204 No Content\r\n\r\n")})
	for _, f := range all {
		if strings.Contains(f.err, "16777216") || f.class == "timeout" {
			continue // slow, and similar to the others
		}
		for name, place := range places {
			var arrived bool
			address, _ := serveFault(t, func(c net.Conn, read func() *http.Request) {
				f.do(c, func() *http.Request {
					r := read()
					if r != nil {
						_, password, _ := r.BasicAuth()
						arrived = strings.Contains(fmt.Sprint(r.Header, r.RequestURI, password), canary)
					}
					return r
				})
			})
			ts := &testServer{TB: t, kind: newKind(time.Now)}
			ts.setOrigins(address)
			a := args{"baseURL": address, "method": "PUT", "redirects": "same-origin", "error": lateMember("body.none")}
			for k, v := range place {
				a[k] = v
			}
			out := ts.run("/x", a)
			text := fmt.Sprint(out.Err, ts.shown)
			if out.Status != actions.Done {
				text += fmt.Sprint(out.Result)
			}
			for _, form := range []string{canary, b64(canary), b64("u:" + canary)} {
				if strings.Contains(text, form) {
					t.Errorf("%s, %s: %s", f.name, name, text)
				}
			}
			if strings.HasPrefix(f.name, "none") && strings.Contains("bearer basic header query cookie sigv4 signed list param own", name) && !arrived {
				t.Errorf("%s: the server did not receive the secret", name)
			}
		}
	}
	if strings.Contains(logged.String(), canary) {
		t.Errorf("the secret was logged: %s", logged.String())
	}
}

// TestDerivedSecrets checks that what is made of a secret and stands for it, such as a signature, is
// masked like the secret.
func TestDerivedSecrets(t *testing.T) {
	for name, tc := range map[string]struct {
		auth    args
		derived func(authorization string) string
	}{
		"sigv4": {
			args{"sigv4": args{"service": "s3", "region": "r", "accessKey": "a", "secretKey": "b"}},
			func(sent string) string { return sent[strings.LastIndex(sent, "=")+1:] },
		},
		"digest": {
			args{"digest": args{"username": "u", "password": "p"}},
			func(sent string) string { return regexp.MustCompile(`response="(\w+)"`).FindStringSubmatch(sent)[1] },
		},
		"jwt": {
			args{"jwt": args{"alg": "HS256", "key": "k"}},
			func(sent string) string { return strings.TrimPrefix(sent, "Bearer ") },
		},
		"basic": {
			args{"basic": args{"username": "u", "password": "p"}},
			func(sent string) string { return strings.TrimPrefix(sent, "Basic ") },
		},
	} {
		ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") == "" {
				w.Header().Set("WWW-Authenticate", `Digest realm="r", nonce="n", algorithm=SHA-256, qop="auth"`)
				w.WriteHeader(401)
				return
			}
			w.WriteHeader(204)
		})
		ts.done(ts.run("/x", args{"auth": tc.auth}))
		all := ts.requests()
		derived := tc.derived(all[len(all)-1].Header.Get("Authorization"))
		if len(derived) < 4 || !slices.Contains(ts.secrets, derived) {
			t.Errorf("%s: %q is not a secret", name, derived)
		}
	}
}

// TestSecretsInCutResponses checks that nothing remains of a secret in a response that ends within it: because the connection
// ended, or because declprov does not look at more.
func TestSecretsInCutResponses(t *testing.T) {
	const secret = "Zq81kTu0wXy7Bn4cRe5dFg6hJi9sLm2o"
	mask := screen.NewMask([]string{secret}).Text
	for _, kind := range []string{"text/plain", "text/html", "application/json", "text/plain; charset=iso-8859-1", ""} {
		for _, before := range []int{10, 300, 64 << 10} {
			for at := 4; at <= len(secret); at += 4 {
				body := strings.Repeat("a ", before/2) + secret
				rest := len(secret) - at
				if before == 64<<10 {
					body = strings.Repeat("a ", before/2-at/2) + secret + strings.Repeat("z", 100)
					rest = 0
				}
				ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", kind)
					w.Header().Set("Content-Length", fmt.Sprint(len(body)))
					w.WriteHeader(422)
					_, _ = w.Write([]byte(body[:len(body)-rest])) // the server closes the connection
				})
				c := ts.call("/x", args{"method": "POST"})
				c.Mask = mask
				out := ts.kind.Run(t.Context(), c)
				if out.Err == nil || !strings.Contains(out.Err.Error(), "422") || strings.Contains(out.Err.Error(), secret[:4]) {
					t.Errorf("%q, %d bytes before, cut at %d: %v", kind, before, at, out.Err)
				}
			}
		}
	}
}
