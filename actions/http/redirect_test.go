package http

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
)

// TestAdviceForRedirects: the advice is right for the target.
func TestAdviceForRedirects(t *testing.T) {
	const follow, correct, invalid = "followed with `redirects: \"same-origin\"`", "correct `baseURL` or `url`", "its Location is not a valid URL"
	for _, status := range []int{301, 302, 303, 307, 308, 300, 304} {
		for to, want := range map[string]string{
			"/b": follow, "b": follow, "http://HOST/b": follow, "//HOST/b": follow, "https://HOST/b": correct, "http://evil.test/b": correct, "//evil.test/b": correct,
			"http://[::1/b": invalid, "%zz": invalid, "http://a b/": invalid, "mailto:a@b.c": invalid,
		} {
			var ts *testServer
			ts = newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Location"] = []string{strings.ReplaceAll(to, "HOST", strings.TrimPrefix(ts.server.URL, "http://"))}
				w.WriteHeader(status)
			})
			text := ts.run("/a", args{}).Err.Error()
			for _, advice := range []string{follow, correct, invalid} {
				given := advice == want && (advice == invalid || status != 300 && status != 304)
				if strings.Contains(text, advice) != given {
					t.Errorf("%d to %s: %s", status, to, text)
				}
			}
		}
	}
}

// TestRedirects checks redirects within the origin, and the requests that the server
// receives.
func TestRedirects(t *testing.T) {
	for _, tc := range []struct {
		method string
		status int
		to     string
		want   actions.Status
		got    []string
		err    string
	}{
		{"GET", 301, "/b", actions.Done, []string{"GET /a", "GET /b"}, ""},
		{"GET", 308, "b?c=d#e", actions.Done, []string{"GET /a", "GET /b?c=d"}, ""},
		{"POST", 302, "/b", actions.Done, []string{"POST /a {}", "GET /b"}, ""},
		{"POST", 303, "/b", actions.Done, []string{"POST /a {}", "GET /b"}, ""},
		{"PUT", 303, "/b", actions.Done, []string{"PUT /a {}", "GET /b"}, ""},
		{"POST", 307, "/b", actions.Done, []string{"POST /a {}", "POST /b {}"}, ""},
		{"DELETE", 308, "/b", actions.Done, []string{"DELETE /a {}", "DELETE /b {}"}, ""},
		{"PUT", 302, "/b", actions.Unknown, []string{"PUT /a {}"}, "does not define the method of the next request"},
		{"GET", 302, "https://evil.test/b?t=hunter2", actions.Refused, []string{"GET /a"}, "redirects to another origin, https://evil.test"},
		{"GET", 302, "//evil.test/b", actions.Refused, []string{"GET /a"}, "another origin"},
		{"GET", 302, "file:///etc/passwd", actions.Refused, []string{"GET /a"}, "another origin"},
		{"GET", 302, "http://me:hunter2@HOST/b", actions.Refused, []string{"GET /a"}, "invalid URL"},
		{"POST", 303, "/none", actions.Unknown, []string{"POST /a {}", "GET /none"}, "returned 404"},
		{"GET", 302, "", actions.Refused, []string{"GET /a"}, "returned 302"},
		{"GET", 304, "/b", actions.Refused, []string{"GET /a"}, "returned 304"},
		{"GET", 302, "/a", actions.Refused, strings.Split(strings.Repeat("GET /a,", 11)+"", ",")[:11], "more than 10 times"},
	} {
		t.Run(tc.method+" "+tc.to, func(t *testing.T) {
			var ts *testServer
			ts = newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/a":
					if tc.to != "" {
						w.Header()["Location"] = []string{strings.ReplaceAll(tc.to, "HOST", strings.TrimPrefix(ts.server.URL, "http://"))}
					}
					w.WriteHeader(tc.status)
				case "/none":
					w.WriteHeader(404)
				default:
					w.WriteHeader(204)
				}
			})
			ts.setOrigins(ts.server.URL, "https://evil.test")
			a := args{"method": tc.method, "redirects": "same-origin", "auth": args{"apiKey": args{"header": "X-Api-Key", "value": "hunter2"}}}
			if tc.method != "GET" {
				a["json"] = args{}
			}
			out := ts.run("/a", a)
			class := "302"
			switch {
			case tc.want == actions.Done:
				class = ""
			case tc.to == "/none":
				class = "404"
			case tc.status != 302:
				class = out.Class
			}
			ts.expect(out, tc.want, class, tc.err)
			var got []string
			for _, r := range ts.requests() {
				got = append(got, strings.TrimSpace(r.Method+" "+r.URI+" "+r.Body))
				if r.Header.Get("Referer") != "" || r.Header.Get("X-Api-Key") != "hunter2" {
					t.Errorf("headers %v", r.Header)
				}
			}
			if diff := cmp.Diff(tc.got, got); diff != "" {
				t.Error(diff)
			}
			if out.Err != nil && strings.Contains(out.Err.Error(), "hunter2") {
				t.Errorf("the error shows a secret: %v", out.Err)
			}
		})
	}
}

// TestNoRedirectUnasked checks that no redirect is followed by default, not even within the
// origin.
func TestNoRedirectUnasked(t *testing.T) {
	ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/a" {
			http.Redirect(w, r, "/b", http.StatusTemporaryRedirect)
		}
	})
	ts.expect(ts.run("/a", nil), actions.Refused, "307", `redirects: "same-origin"`)
	for _, r := range ts.requests()[1:] {
		t.Errorf("the request went to %s", r.URI)
	}
}

// TestElsewhere checks that credentials only go to the origin of baseURL, whatever names
// another origin.
func TestElsewhere(t *testing.T) {
	var other []http.Header
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		other = append(other, r.Header.Clone())
		other[len(other)-1].Set("X-URI", r.RequestURI)
		w.WriteHeader(204)
	}))
	defer elsewhere.Close()
	ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL+"/steal", http.StatusTemporaryRedirect)
	})
	ts.setOrigins(ts.server.URL, elsewhere.URL)
	for _, auth := range []args{
		{"bearer": "hunter2"},
		{"basic": args{"username": "u", "password": "hunter2"}},
		{"apiKey": args{"header": "X-Api-Key", "value": "hunter2"}},
		{"apiKey": args{"query": "key", "value": "hunter2"}},
		{"apiKey": args{"cookie": "sid", "value": "hunter2"}},
	} {
		ts.expect(ts.run("/x", args{"auth": auth, "redirects": "same-origin", "json": args{"password": "hunter2"}}), actions.Refused, "307", "another origin")
		ts.done(ts.run("", args{"auth": auth, "url": parts(elsewhere.URL + "/up")}))
		ts.done(ts.run("", args{"auth": auth, "url": parts("${" + elsewhere.URL + "/up}")}))
	}
	if len(other) != 10 {
		t.Errorf("%d requests went elsewhere, want 10", len(other))
	}
	for _, h := range other {
		if h.Get("X-URI") != "/up" || h.Get("Authorization")+h.Get("X-Api-Key")+h.Get("Cookie")+h.Get("Referer") != "" {
			t.Errorf("the other origin got %v", h)
		}
	}
	out := ts.run("", args{"url": parts("${" + elsewhere.URL + "/up}"), "headers": args{"X-Auth-Token": "hunter2", "X-Part": "1"}})
	ts.expect(out, actions.Refused, "", `header "X-Auth-Token" would be sent to`)
	c := ts.call("", args{"url": parts("${" + elsewhere.URL + "/up}"), "auth": args{"bearer": "hunter2"}})
	delete(c.Args, "baseURL")
	c.Source = nil
	ts.expect(ts.kind.Run(t.Context(), c), actions.Refused, "", "auth has no origin")
	c = ts.call("", args{"url": parts(elsewhere.URL + "/up"), "auth": args{"bearer": "spelled-out"}})
	delete(c.Args, "baseURL")
	c.Source = nil
	ts.done(ts.kind.Run(t.Context(), c))
	if got := other[len(other)-1].Get("Authorization"); got != "Bearer spelled-out" {
		t.Errorf("a spelled-out origin got %q", got)
	}
}
