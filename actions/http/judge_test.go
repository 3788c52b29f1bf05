package http

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
)

func TestStatus(t *testing.T) {
	const ok, gone, refused, unknown = actions.Done, actions.Gone, actions.Refused, actions.Unknown
	soon := map[string]string{"Retry-After": "7"}
	for _, tc := range []struct {
		method string
		status int
		header map[string]string
		args   args
		want   actions.Status
		again  bool
		after  time.Duration
		err    string
	}{
		{method: "GET", status: 200, want: ok},
		{method: "POST", status: 202, header: soon, want: ok, after: 7 * time.Second},
		{method: "GET", status: 404, want: gone, err: "GET /x/7 returned 404 Not Found: no such pet"},
		{method: "DELETE", status: 410, want: gone, err: "DELETE /x/7 returned 410 Gone"},
		{method: "GET", status: 404, args: args{"expect": []any{int64(404)}}, want: ok},
		{method: "GET", status: 200, args: args{"expect": []any{int64(404)}}, want: ok},
		{method: "GET", status: 200, args: args{"expect": []any{int64(201)}}, want: refused, err: "returned 200 OK"},
		{method: "POST", status: 200, args: args{"expect": []any{int64(201)}}, want: unknown},
		{method: "GET", status: 302, args: args{"expect": []any{int64(302)}}, want: ok},
		{method: "POST", status: 400, want: refused, err: "POST /x/7 returned 400 Bad Request: no such pet"},
		{method: "POST", status: 409, header: soon, want: refused, after: 7 * time.Second},
		{method: "PUT", status: 412, want: refused},
		{method: "POST", status: 408, want: unknown, again: true},
		{method: "GET", status: 408, want: refused, again: true},
		{method: "POST", status: 425, want: refused},
		{method: "POST", status: 499, want: unknown},
		{method: "POST", status: 429, want: refused, again: true},
		{method: "POST", status: 429, header: soon, want: refused, again: true, after: 7 * time.Second},
		{method: "POST", status: 429, header: map[string]string{"Retry-After": "0"}, want: refused, again: true},
		{method: "POST", status: 429, header: map[string]string{"Retry-After": "3600"}, want: refused, after: time.Hour, err: "Retry-After is 1h0m0s"},
		{method: "POST", status: 503, want: unknown},
		{method: "POST", status: 503, header: soon, want: unknown, again: true, after: 7 * time.Second},
		{method: "POST", status: 503, header: map[string]string{"Retry-After": "Mon, 02 Jan 2006 15:04:15 GMT", "Date": "Mon, 02 Jan 2006 15:04:05 GMT"}, want: unknown, again: true, after: 10 * time.Second},
		{method: "POST", status: 503, header: map[string]string{"Retry-After": "soon"}, want: unknown},
		{method: "GET", status: 503, want: refused},
		{method: "POST", status: 500, want: unknown, err: "returned 500 Internal Server Error: no such pet"},
		{method: "GET", status: 500, want: refused},
		{method: "POST", status: 501, want: refused},
		{method: "POST", status: 502, want: unknown, again: true},
		{method: "PATCH", status: 504, want: unknown, again: true},
		{method: "PUT", status: 502, want: unknown, again: true},
		{method: "DELETE", status: 504, want: unknown, again: true},
		{method: "PUT", status: 502, args: args{"ifMatch": `"a"`}, want: unknown, again: true},
		{method: "GET", status: 502, want: refused, again: true},
		{method: "POST", status: 504, args: args{"effect": "none"}, want: refused, again: true},
		{method: "POST", status: 504, args: args{"idempotencyKey": true}, want: unknown, again: true},
		{method: "POST", status: 599, want: unknown, err: "returned 599 status code 599: no such pet"},
		{method: "GET", status: 302, header: map[string]string{"Location": "https://evil.test/a?token=hunter2"}, want: refused, err: `(redirects to https://evil.test/a); it is not followed, because it is another origin`},
		{method: "POST", status: 303, want: unknown},
		{method: "POST", status: 307, want: refused},
		{method: "PATCH", status: 405, header: map[string]string{"Allow": "GET, PUT"}, want: refused, err: "no such pet; the methods of this address are GET, PUT"},
		{method: "PATCH", status: 405, header: map[string]string{"Allow": "ask <b>us</b>"}, want: refused, err: "returned 405 Method Not Allowed: no such pet"},
	} {
		t.Run(fmt.Sprint(tc.method, " ", tc.status, tc.header, tc.args), func(t *testing.T) {
			ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				for name, value := range tc.header {
					w.Header().Set(name, value)
				}
				w.WriteHeader(tc.status)
				_, _ = w.Write([]byte(`{"message":"no such\r\npet","code":[1,2]}`))
			})
			a := args{"method": tc.method, "error": lateMember("body.message")}
			for name, v := range tc.args {
				a[name] = v
			}
			c := ts.call("/x/${7}", a)
			c.Key = "key"
			out := ts.kind.Run(t.Context(), c)
			class := fmt.Sprint(tc.status)
			if tc.want == ok {
				class = ""
			}
			ts.expect(out, tc.want, class, tc.err)
			if out.Again != tc.again || out.RetryAfter != tc.after {
				t.Errorf("again %v after %s, want %v after %s", out.Again, out.RetryAfter, tc.again, tc.after)
			}
			if out.Err != nil && strings.Contains(out.Err.Error(), "hunter2") {
				t.Errorf("the error shows a secret: %v", out.Err)
			}
			if out.Result.(map[string]any)["status"] != int64(tc.status) {
				t.Errorf("the result of the failure: %v", out.Result)
			}
		})
	}
}

func TestMessage(t *testing.T) {
	for _, tc := range []struct {
		name, kind, body string
		late             actions.LateExpr
		want             string
	}{
		{"the server's message", "application/json", `{"message":"no"}`, lateMember("body.message"), ": no"},
		{"an object", "application/json", `{"message":{"a":1}}`, lateMember("body.message"), `: {"a":1}`},
		{"a number", "application/json", `{"message":7}`, lateMember("body.message"), `: 7`},
		{"null", "application/json", `{"x":1}`, lateMember("body.message"), `: {"x":1}`},
		{"empty", "application/json", `{"message":""}`, lateMember("body.message"), `: {"message":""}`},
		{"an error in the expression", "application/json", `{}`, func(map[string]any) (any, error) { return nil, errors.New("no") }, ": {}"},
		{"a header", "text/plain", "x", lateMember("headers.x-reason"), ": because"},
		{"text", "text/plain", "line\none\x1b[31m", nil, ": line one [31m"},
		{"page", "text/html", "<html><head><style>b{}</style><title>Bad &amp; Sons</title></head><body><h1>No</h1></html>", nil, ": Bad & Sons No"},
		{"an empty page", "text/html", "<html>", nil, ""},
		{"a type that says nothing", "application/octet-stream", "quota exceeded", nil, ": quota exceeded"},
		{"JSON of Amazon", "application/x-amz-json-1.1", `{"message":"no"}`, lateMember("body.message"), ": no"},
		{"Latin-1", "text/plain; charset=iso-8859-1", "n\xf3", nil, ": nó"},
		{"picture", "image/png", "\x89PNG", nil, ": (a body of image/png, 4 bytes)"},
		{"nothing", "", "", nil, ""},
		{"broken JSON", "application/json", `{"a`, lateMember("body.message"), `: {"a`},
		{"JSON that says it is text", "text/plain", `{"message":"no"}`, lateMember("body.message"), ": no"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if tc.kind != "" {
					w.Header().Set("Content-Type", tc.kind)
				}
				w.Header().Set("X-Reason", "because")
				w.WriteHeader(400)
				_, _ = w.Write([]byte(tc.body))
			})
			a := args{"returns": true}
			if tc.late != nil {
				a["error"] = tc.late
			}
			if got, want := ts.run("/x", a).Err.Error(), "GET /x returned 400 Bad Request"+tc.want; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestStatusIsNotRepeated checks that the message of an error page has its status once.
func TestStatusIsNotRepeated(t *testing.T) {
	for page, want := range map[string]string{
		"<title>404 Not Found</title><h1>Not Found</h1><p>The requested URL was not found.</p>": "returned 404 Not Found: The requested URL was not found.",
		"<title>Not Found</title><h1>Not Found</h1>":                                            "returned 404 Not Found",
		"<h1>404 NOT FOUND</h1><p>nginx</p>":                                                    "returned 404 Not Found: nginx",
		"<p>Not Foundation</p>":                                                                 "returned 404 Not Found: Not Foundation",
	} {
		ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(404)
			_, _ = w.Write([]byte(page))
		})
		out := ts.kind.Run(t.Context(), ts.call("/x", args{"method": "GET"}))
		if out.Err == nil || !strings.Contains(out.Err.Error(), want) || strings.Count(strings.ToLower(out.Err.Error()), "not found") > strings.Count(strings.ToLower(want), "not found") {
			t.Errorf("%s: %v, want %q", page, out.Err, want)
		}
	}
}
