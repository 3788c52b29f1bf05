package http

import (
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
)

func TestBody(t *testing.T) {
	for _, tc := range []struct {
		name, kind, body string
		args             args
		want             any
		err              string
	}{
		{"json", "application/json", `{"a":1,"b":[1.5,"x",null,true]}`, nil, args{"a": int64(1), "b": []any{1.5, "x", nil, true}}, ""},
		{"a kind of json", "application/vnd.api+json; charset=utf-8", `[]`, nil, []any{}, ""},
		{"nothing", "application/json", "", nil, nil, ""},
		{"an empty typed body", "", "", args{"returns": true}, nil, ""},
		{"text", "text/plain", "hello\n", nil, "hello\n", ""},
		{"latin", "text/plain; charset=ISO-8859-1", "gr\xfc\xdf", nil, "grüß", ""},
		{"text in another charset", "text/plain; charset=utf-16", "x", nil, nil, `response: "bytes"`},
		{"text that is not UTF-8", "text/plain", "\xff", nil, nil, `response: "bytes"`},
		{"bytes", "image/png", "\x89PNG", nil, "iVBORw==", ""},
		{"bytes requested", "application/json", "{", args{"response": "bytes"}, "ew==", ""},
		{"none", "application/json", "{", args{"response": "none"}, nil, ""},
		{"xml", "application/xml", `<?xml version="1.0"?><pet id="7"><n>Rex</n><t>a</t><t/></pet>`, nil, args{"pet": args{"@id": "7", "n": "Rex", "t": []any{"a", ""}}}, ""},
		{"an entity", "text/xml", `<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>`, nil, nil, "invalid character entity"},
		{"deep xml", "text/xml", strings.Repeat("<a>", 101) + strings.Repeat("</a>", 101), nil, nil, "nests deeper"},
		{"guessed JSON", "", ` {"a":1}`, nil, args{"a": int64(1)}, ""},
		{"guessed text", "", `hello`, nil, "hello", ""},
		{"typed JSON", "text/plain", `{"a":1}`, args{"returns": true}, args{"a": int64(1)}, ""},
		{"not JSON", "text/html", `OK`, args{"returns": true}, nil, "the body (text/html) cannot be decoded as JSON: syntax error at byte 1"},
		{"a page in place of JSON", "text/html", `<html>`, args{"returns": true}, nil, "an HTML page"},
		{"a page", "text/html; charset=utf-8", "\xef\xbb\xbf\n<!DOCTYPE html>\n<html>", nil, nil, "an HTML page"},
		{"a page of XHTML", "application/xhtml+xml", "<html/>", nil, nil, "an HTML page"},
		{"a page that is requested", "text/html", "<html>", args{"response": "text"}, "<html>", ""},
		{"a short text", "text/html", "OK", nil, "OK", ""},
		{"a part of a page", "text/html", "<p>OK</p>", nil, "<p>OK</p>", ""},
		{"truncated", "application/json", `{"a":`, nil, nil, "unexpected end"},
		{"more than one value", "application/json", `{} {}`, nil, nil, "unexpected data"},
		{"bad UTF-8", "application/json", "{\"a\":\"\xff\"}", nil, nil, "invalid UTF-8"},
		{"a byte order mark", "application/json", "\xef\xbb\xbf{}", nil, args{}, ""},
		{"a script guard", "application/json", ")]}',\n{\"a\":1}", nil, args{"a": int64(1)}, ""},
		{"deep", "application/json", strings.Repeat("[", 100) + strings.Repeat("]", 100), args{"response": "json"}, nestedLists(100), ""},
		{"too deep", "application/json", strings.Repeat("[", 101) + strings.Repeat("]", 101), nil, nil, "nests deeper than 100"},
		{"far too deep", "application/json", strings.Repeat(`{"a":`, 1<<20), nil, nil, "nests deeper than 100"},
		{"brackets in a string", "application/json", `"` + strings.Repeat(`[\"`, 200) + `"`, nil, strings.Repeat(`["`, 200), ""},
		{"too large", "text/plain", strings.Repeat("x", 1025), args{"maxBytes": "1KiB"}, nil, "exceeds maxBytes (1024 bytes"},
		{"just right", "text/plain", strings.Repeat("x", 1024), args{"maxBytes": int64(1024)}, strings.Repeat("x", 1024), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if tc.kind != "" {
					w.Header().Set("Content-Type", tc.kind)
				}
				_, _ = w.Write([]byte(tc.body))
			})
			out := ts.run("/x", tc.args)
			if tc.err != "" {
				ts.expect(out, actions.Refused, "200", tc.err)
				return
			}
			// cmp takes forever on deeply nested values.
			if got := ts.done(out)["body"]; !reflect.DeepEqual(tc.want, got) {
				t.Errorf("got %.200v, want %.200v", got, tc.want)
			}
		})
	}
}

func nestedLists(depth int) any {
	v := []any{}
	for range depth - 1 {
		v = []any{v}
	}
	return v
}

func TestResult(t *testing.T) {
	ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", "/ops/7")
		w.Header().Set("Retry-After", "3")
		w.Header().Add("X-Many", "a")
		w.Header().Add("X-Many", "b")
		w.Header().Add("Set-Cookie", "a=1; expires=Mon, 02 Jan 2040 15:04:05 GMT")
		w.Header().Add("Set-Cookie", "b=2")
		w.Header().Set("Date", "now")
		w.WriteHeader(202)
	})
	c := ts.call("/pets?a=b", args{"auth": args{"apiKey": args{"query": "key", "value": "hunter2"}}})
	c.Attempt = 3
	out := ts.kind.Run(t.Context(), c)
	want := args{
		"status": int64(202), "body": nil, "items": nil, "url": ts.server.URL + "/pets", "attempts": int64(3),
		"headers": args{
			"location": ts.server.URL + "/ops/7", "retry-after": "3", "x-many": "a, b", "content-length": "0", "date": "now",
			"set-cookie": "a=1; expires=Mon, 02 Jan 2040 15:04:05 GMT\nb=2",
		},
	}
	if diff := cmp.Diff(want, ts.done(out)); diff != "" {
		t.Error(diff)
	}
	if out.RetryAfter.Seconds() != 3 {
		t.Errorf("RetryAfter is %s", out.RetryAfter)
	}
	if got := ts.requests()[0].URI; got != "/pets?a=b&key=hunter2" {
		t.Error(got)
	}
}

// TestTrailers checks that an ETag in a trailer is used unless there was one in a header, and
// that other trailers are ignored.
func TestTrailers(t *testing.T) {
	ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Trailer", "Etag, Last-Modified, Location")
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Last-Modified", "early")
		_, _ = w.Write([]byte(`{"a":1}`))
		w.Header().Set("Etag", `"late"`)
		w.Header().Set(http.TrailerPrefix+"Last-Modified", "late")
		w.Header().Set("Location", "/elsewhere")
	})
	out := ts.run("/x", nil)
	if out.Err != nil {
		t.Fatal(out.Err)
	}
	headers := out.Result.(map[string]any)["headers"].(map[string]any)
	got := map[string]any{"etag": headers["etag"], "last-modified": headers["last-modified"], "location": headers["location"]}
	want := map[string]any{"etag": `"late"`, "last-modified": "early", "location": nil}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
