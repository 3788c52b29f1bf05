package http

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
)

func TestAuth(t *testing.T) {
	for name, tc := range map[string]struct {
		auth   any
		header string
		want   string
		uri    string
	}{
		"bearer":  {args{"bearer": "t0ken"}, "Authorization", "Bearer t0ken", "/x?a=b"},
		"basic":   {args{"basic": args{"username": "me", "password": "pä:ss"}}, "Authorization", "Basic bWU6cMOkOnNz", "/x?a=b"},
		"header":  {args{"apiKey": args{"header": "X-Key", "value": "k"}}, "X-Key", "k", "/x?a=b"},
		"query":   {args{"apiKey": args{"query": "k", "value": "a&b"}}, "Authorization", "", "/x?a=b&k=a%26b"},
		"cookie":  {args{"apiKey": args{"cookie": "sid", "value": "k"}}, "Cookie", "sid=k", "/x?a=b"},
		"list":    {[]any{args{"bearer": "t0ken"}, args{"apiKey": args{"query": "k", "value": "a"}}}, "Authorization", "Bearer t0ken", "/x?a=b&k=a"},
		"none":    {"none", "Authorization", "", "/x?a=b"},
		"nothing": {nil, "Authorization", "", "/x?a=b"},
	} {
		t.Run(name, func(t *testing.T) {
			ts := newTestServer(t, respondJSON(200, "{}"))
			ts.done(ts.run("/x", args{"auth": tc.auth, "query": args{"a": "b"}}))
			got := ts.requests()[0]
			if diff := cmp.Diff([]string{tc.want, tc.uri}, []string{got.Header.Get(tc.header), got.URI}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestSign checks what an expression sees of the request that it signs, and of the
// credentials before it.
func TestSign(t *testing.T) {
	ts := newTestServer(t, respondJSON(200, "{}"))
	var seen map[string]any
	a := args{
		"method": "PUT", "query": args{"b": []any{"1", "2"}}, "text": "hello",
		"auth": []any{args{"bearer": "t"}, args{"apiKey": args{"query": "k", "value": "v"}}, args{"sign": args{}}},
		"auth.2.sign.headers": actions.LateExpr(func(extra map[string]any) (any, error) {
			seen = extra["request"].(map[string]any)
			if now, ok := extra["now"].(time.Time); !ok || time.Since(now).Abs() > time.Minute {
				t.Errorf("now: %v", extra["now"])
			}
			return map[string]any{"X-Signature": seen["path"], "X-None": nil}, nil
		}),
		"auth.2.sign.query": late(map[string]any{"sig": int64(7)}),
	}
	ts.done(ts.run("/x/${a b}", a))
	got := ts.requests()[0]
	if diff := cmp.Diff([]string{"/x/a%20b", "", "/x/a%20b?b=1&b=2&k=v&sig=7"}, []string{got.Header.Get("X-Signature"), got.Header.Get("X-None"), got.URI}); diff != "" {
		t.Error(diff)
	}
	host := strings.TrimPrefix(ts.server.URL, "http://")
	want := map[string]any{
		"method": "PUT", "url": ts.server.URL + "/x/a%20b?b=1&b=2&k=v", "host": host, "path": "/x/a%20b", "rawQuery": "b=1&b=2&k=v",
		"query":   map[string]any{"b": []any{"1", "2"}, "k": []any{"v"}},
		"headers": map[string]any{"authorization": "Bearer t", "content-type": "text/plain; charset=utf-8", "accept": "application/json, */*;q=0.8", "user-agent": "declprov"},
		"body": map[string]any{
			"size": int64(5), "text": "hello", "md5": "5d41402abc4b2a76b9719d911017c592", "sha1": "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d",
			"sha256": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
			"sha512": "9b71d224bd62f3785d96d46ad3ea3d73319bfbc2890caadae2dff72519673ca72323c3d99ba5c11d7c7acc6e14b8c5da0c4663475c2e5c3adef46f73bcdec043",
		},
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
	for name, headers := range map[string]any{
		"an invalid header": args{"X Y": "a"}, "a reserved header": args{"Host": "a"}, "a line break": args{"X-Y": "a\nb"},
		"a list": args{"X-Y": []any{"a"}}, "no object": "x", "a header twice": args{"authorization": "x"},
	} {
		a["auth.2.sign.headers"] = late(headers)
		ts.expect(ts.run("/x", a), actions.Refused, "", "auth: ")
		if n := len(ts.requests()); n > 0 {
			t.Errorf("%s: %d requests", name, n)
		}
	}
}

// TestDateOfARefusal checks which refusals correct the clock: those of credentials that depend
// on the time, by the Date of the origin itself.
func TestDateOfARefusal(t *testing.T) {
	const ahead = 2 * time.Minute
	for name, tc := range map[string]struct {
		status   int
		skew     time.Duration
		age      string
		auth     args
		attempts int
		says     string
	}{
		"corrected":          {403, ahead, "", nil, 2, "2m0s ahead of"},
		"behind":             {400, -ahead, "", nil, 2, "2m0s behind"},
		"401":                {401, ahead, "", nil, 2, "2m0s ahead of"},
		"a small difference": {403, 30 * time.Second, "", nil, 1, ""},
		"another status":     {404, ahead, "", nil, 1, ""},
		"a cached response":  {403, ahead, "100", nil, 1, ""},
		"other credentials":  {403, ahead, "", args{"bearer": "t"}, 1, ""},
	} {
		ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Date", time.Now().Add(tc.skew).UTC().Format(http.TimeFormat))
			if tc.age != "" {
				w.Header().Set("Age", tc.age)
			}
			respondJSON(tc.status, "{}")(w, r)
		})
		a := args{"method": "POST", "auth": args{"sigv4": args{"service": "s", "region": "r", "accessKey": "a", "secretKey": "b"}}}
		if tc.auth != nil {
			a["auth"] = tc.auth
		}
		out := ts.run("/x", a)
		if n := len(ts.requests()); n != tc.attempts {
			t.Errorf("%s: %d attempts, want %d", name, n, tc.attempts)
		}
		if says := strings.Contains(out.Err.Error(), "clock"); says != (tc.says != "") || !strings.Contains(out.Err.Error(), tc.says) {
			t.Errorf("%s: %v", name, out.Err)
		}
		ts.run("/x", a)
		if n := len(ts.requests()); n != 1 {
			t.Errorf("%s: %d attempts of the second request, want 1", name, n)
		}
	}
}

// issuer issues tokens, numbered from 1, and rejects those with numbers below valid.
type issuer struct {
	logins, valid, refreshes atomic.Int64
	lasts                    any
	refresh, bodyOnly        bool
	mu                       sync.Mutex
	forms                    []url.Values
}

func (i *issuer) serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/token", "/login":
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		id, secret, ok := r.BasicAuth()
		if !ok {
			id, secret = form.Get("client_id"), form.Get("client_secret")
		}
		i.mu.Lock()
		i.forms = append(i.forms, form)
		i.mu.Unlock()
		if r.URL.Path == "/token" && (i.bodyOnly == ok || secret != "s%3A" && secret != "s:" || id != "me") {
			respondJSON(401, `{"error":"invalid_client","error_description":"who are you"}`)(w, r)
			return
		}
		time.Sleep(20 * time.Millisecond) // meanwhile other calls wait for the token
		if form.Get("grant_type") == "refresh_token" {
			i.refreshes.Add(1)
		}
		n := i.logins.Add(1)
		answer := args{"access_token": fmt.Sprint("token-", n), "token": fmt.Sprint("token-", n), "expires_in": i.lasts}
		if i.refresh {
			answer["refresh_token"] = "refresh-me"
		}
		text, _ := json.Marshal(answer)
		respondJSON(200, string(text))(w, r)
	default:
		var n int64
		_, _ = fmt.Sscanf(r.Header.Get("Authorization"), "Bearer token-%d", &n)
		if n < max(i.valid.Load(), 1) {
			respondJSON(401, `{"message":"token expired"}`)(w, r)
			return
		}
		respondJSON(200, "{}")(w, r)
	}
}

func oauth(ts *testServer) args {
	return args{"oauth2": args{
		"tokenURL": ts.server.URL + "/token", "clientID": "me", "clientSecret": "s:", "scopes": []any{"a", "b"}, "audience": "api", "params": args{"x": int64(1)},
	}}
}

func loginBlock() args {
	return args{"login": args{"http": args{"json": args{"user": "me"}}}}
}

func loginArgs() args {
	return args{
		"auth": loginBlock(), "auth.login.http.path": parts("/login"), "auth.login.token": lateMember("body.token"), "auth.login.expires": lateMember("body.expires_in"),
	}
}

func TestOAuth2(t *testing.T) {
	for _, bodyOnly := range []bool{false, true} {
		i := &issuer{lasts: 3600, bodyOnly: bodyOnly}
		ts := newTestServer(t, i.serve)
		for range 3 {
			ts.done(ts.run("/x", args{"auth": oauth(ts)}))
		}
		if n := i.logins.Load(); n != 1 {
			t.Errorf("%d tokens were issued for three requests", n)
		}
		want := url.Values{"grant_type": {"client_credentials"}, "scope": {"a b"}, "audience": {"api"}, "x": {"1"}}
		if bodyOnly {
			want["client_id"], want["client_secret"] = []string{"me"}, []string{"s:"}
		}
		if diff := cmp.Diff(want, i.forms[len(i.forms)-1]); diff != "" {
			t.Error(diff)
		}
		if !slices.Contains(ts.secrets, "token-1") {
			t.Error("the token was not registered as a secret")
		}
	}
}

// TestTokenRenewed checks that a token is renewed by its refresh token before it expires, and
// once after a 401.
func TestTokenRenewed(t *testing.T) {
	i := &issuer{lasts: "1", refresh: true}
	ts := newTestServer(t, i.serve)
	ts.done(ts.run("/x", args{"auth": oauth(ts)}))
	time.Sleep(time.Second)
	ts.done(ts.run("/x", args{"auth": oauth(ts)}))
	if i.logins.Load() != 2 || i.refreshes.Load() != 1 {
		t.Errorf("%d tokens were issued, %d of them by refresh token", i.logins.Load(), i.refreshes.Load())
	}
	i.lasts = 3600
	i.valid.Store(3)
	ts.requests()
	ts.done(ts.run("/x", args{"auth": oauth(ts), "method": "POST"}))
	i.valid.Store(100)
	out := ts.run("/x", args{"auth": oauth(ts), "error": lateMember("body.message")})
	ts.expect(out, actions.Refused, "401", "GET /x returned 401 Unauthorized: token expired")
	var got []string
	for _, r := range ts.requests() {
		got = append(got, r.Method+" "+r.URI)
	}
	want := []string{"POST /x", "POST /token", "POST /x", "GET /x", "POST /token", "GET /x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOAuth2Refused(t *testing.T) {
	ts := newTestServer(t, (&issuer{}).serve)
	auth := oauth(ts)
	auth["oauth2"].(args)["clientSecret"] = "hunter2"
	out := ts.run("/x", args{"auth": auth})
	ts.expect(out, actions.Refused, "401", "auth: POST /token returned 401 Unauthorized")
	if strings.Contains(out.Err.Error(), "hunter2") {
		t.Error(out.Err)
	}
	auth["oauth2"].(args)["tokenURL"] = "http://127.0.0.1:1/token"
	ts.expect(ts.run("/x", args{"auth": auth}), actions.Refused, "", "not permitted to connect")
	if out := ts.run("/x", args{"auth": args{"oauth2": args{"tokenURL": ts.server.URL + "/x", "clientID": "a"}}}); out.Status != actions.Refused {
		t.Error("a response without a token was accepted")
	}
}

// TestOAuth2Responses checks responses that deviate from the standard, and responses without
// a token.
func TestOAuth2Responses(t *testing.T) {
	for name, tc := range map[string]struct {
		kind, body string
		want       actions.Status
		says       string
	}{
		"standard":               {"application/json", `{"access_token":"t","token_type":"Bearer","expires_in":3600}`, actions.Done, ""},
		"JSON labelled as text":  {"text/plain", `{"access_token":"t"}`, actions.Done, ""},
		"a fraction of a second": {"application/json", `{"access_token":"t","expires_in":3599.5}`, actions.Done, ""},
		"a date":                 {"application/json", `{"access_token":"t","expires_in":"2126-01-02T15:04:05Z"}`, actions.Done, ""},
		"no expiry":              {"application/json", `{"access_token":"t","expires_in":null}`, actions.Done, ""},
		"invalid expiry":         {"application/json", `{"access_token":"t","expires_in":"soon"}`, actions.Refused, "invalid expiry of the token"},
		"a number as the token":  {"application/json", `{"access_token":7}`, actions.Refused, "has no access_token"},
		"a list":                 {"application/json", `["t"]`, actions.Refused, "has no access_token"},
		"an error under 200":     {"application/json", `{"error":"invalid_scope"}`, actions.Refused, "reports an error instead of a token"},
		"not JSON":               {"text/html", `<html>`, actions.Refused, "cannot be decoded as JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/token" {
					respondJSON(200, "{}")(w, r)
					return
				}
				w.Header().Set("Content-Type", tc.kind)
				_, _ = io.WriteString(w, tc.body)
			})
			out := ts.run("/x", args{"auth": oauth(ts)})
			if out.Status != tc.want || out.Err != nil && !strings.Contains(out.Err.Error(), tc.says) {
				t.Errorf("%s: %v", out.Status, out.Err)
			}
		})
	}
}

// TestLoginOnce checks that concurrent requests share one login, and one more after the token
// is rejected.
func TestLoginOnce(t *testing.T) {
	i := &issuer{lasts: 3600}
	ts := newTestServer(t, i.serve)
	all := func() {
		var wg sync.WaitGroup
		for range 32 {
			wg.Go(func() {
				if out := ts.run("/x", loginArgs()); out.Status != actions.Done {
					t.Errorf("status %d: %v", out.Status, out.Err)
				}
			})
		}
		wg.Wait()
	}
	all()
	if n := i.logins.Load(); n != 1 {
		t.Errorf("%d logins, want 1", n)
	}
	i.valid.Store(2)
	all()
	if n := i.logins.Load(); n != 2 {
		t.Errorf("%d logins after the token was rejected", n)
	}
}

// TestLoginFails checks that concurrent requests share one attempt with a wrong password.
func TestLoginFails(t *testing.T) {
	var tries atomic.Int64
	ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			tries.Add(1)
			time.Sleep(50 * time.Millisecond)
		}
		respondJSON(403, `{"message":"wrong password"}`)(w, r)
	})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			a := loginArgs()
			a["auth.login.http.error"] = lateMember("body.message")
			out := ts.run("/x", a)
			if out.Status != actions.Refused || !strings.Contains(out.Err.Error(), "auth: POST /login returned 403 Forbidden: wrong password") {
				t.Errorf("status %d: %v", out.Status, out.Err)
			}
		})
	}
	wg.Wait()
	if n := tries.Load(); n > 2 {
		t.Errorf("%d attempts", n)
	}
}

// TestTokenOfARefusal checks that a token in an error response is masked.
func TestTokenOfARefusal(t *testing.T) {
	const token = "t0ken-of-a-refusal"
	for name, body := range map[string]string{
		"at the expected place": `{"token":"` + token + `","access_token":"` + token + `","message":"no: ` + token + `"}`,
		"elsewhere":             `{"was":[{"token":"` + token + `","access_token":"` + token + `"}],"message":"no: ` + token + `"}`,
	} {
		for _, kind := range []string{"login", "oauth2"} {
			ts := newTestServer(t, respondJSON(403, body))
			a := loginArgs()
			if kind == "oauth2" {
				a = args{"auth": oauth(ts)}
			}
			call := ts.call("/x", a)
			call.Mask = func(text string) string { return strings.NewReplacer(maskPairs(ts.secrets)...).Replace(text) }
			out := ts.kind.Run(t.Context(), call)
			if out.Status != actions.Refused || !strings.Contains(out.Err.Error(), "no: ***") || strings.Contains(out.Err.Error(), token) {
				t.Errorf("%s, %s: %v", kind, name, out.Err)
			}
		}
	}
}

// maskPairs returns replacer pairs that mask the secrets.
func maskPairs(secrets []string) []string {
	var out []string
	for _, s := range secrets {
		out = append(out, s, "***")
	}
	return out
}

func TestLoginForms(t *testing.T) {
	ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			respondJSON(200, `{"token":"abc"}`)(w, r)
			return
		}
		w.WriteHeader(204)
	})
	a := loginArgs()
	a["auth"].(args)["login"].(args)["as"] = args{"header": "X-Session"}
	ts.done(ts.run("/x", a))
	if got := ts.requests()[1].Header.Get("X-Session"); got != "abc" {
		t.Errorf("X-Session: %q", got)
	}
	a["auth.login.token"] = lateMember("body.none")
	a["auth"].(args)["login"].(args)["as"] = args{"header": "X-Other"}
	other := ts.call("/x", a)
	other.LateKey = func(path string) string { return path + " in another login" }
	ts.expect(ts.kind.Run(t.Context(), other), actions.Refused, "200", "login.token did not find a token")
	delete(a, "auth.login.token")
	ts.expect(ts.run("/x", a), actions.Refused, "", "token is missing")
}

// TestTokenPerEngine checks that two engines do not share a token.
func TestTokenPerEngine(t *testing.T) {
	i := &issuer{lasts: 3600}
	ts := newTestServer(t, i.serve)
	ts.done(ts.run("/x", loginArgs()))
	ts.setOrigins(ts.server.URL)
	ts.done(ts.run("/x", loginArgs()))
	if n := i.logins.Load(); n != 2 {
		t.Errorf("%d logins for two engines", n)
	}
}

// TestTokenRefusedAfterARedirect checks that a token that expires between a POST and the GET
// that it redirects to is renewed for the GET. The POST was processed, and must not be
// repeated.
func TestTokenRefusedAfterARedirect(t *testing.T) {
	for name, tc := range map[string]struct {
		renewed bool
		want    actions.Status
	}{"renewed": {true, actions.Done}, "refused again": {false, actions.Unknown}} {
		t.Run(name, func(t *testing.T) {
			i := &issuer{lasts: 3600}
			ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
				if r.Method == "POST" && r.URL.Path == "/things" {
					i.valid.Store(2)
					if !tc.renewed {
						i.valid.Store(100)
					}
					w.Header().Set("Location", "/things/7")
					w.WriteHeader(http.StatusSeeOther)
					return
				}
				i.serve(w, r)
			})
			ts.done(ts.run("/x", args{"auth": oauth(ts)}))
			ts.requests()
			out := ts.run("/things", args{"auth": oauth(ts), "method": "POST", "redirects": "same-origin"})
			if out.Status != tc.want {
				t.Errorf("%s, want %s: %v", out.Status, tc.want, out.Err)
			}
			posts := 0
			for _, r := range ts.requests() {
				if r.Method == "POST" && r.URI == "/things" {
					posts++
				}
			}
			if posts != 1 {
				t.Errorf("%d POSTs", posts)
			}
		})
	}
}

// TestTokenRenewedBetweenLargePages checks that the response of the token endpoint does not
// count towards maxBytes of the pages.
func TestTokenRenewedBetweenLargePages(t *testing.T) {
	i := &issuer{lasts: 3600}
	ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("p") {
		case "":
			i.serve(w, r)
		case "1":
			i.valid.Store(2) // the next page requires a new token
			respondJSON(200, `{"items":["`+strings.Repeat("x", 2<<20)+`"]}`)(w, r)
		default:
			if r.Header.Get("Authorization") != "Bearer token-2" {
				respondJSON(401, "{}")(w, r)
				return
			}
			respondJSON(200, `{"items":[]}`)(w, r)
		}
	})
	ts.done(ts.run("/x", args{"auth": oauth(ts), "paginate": args{"page": args{"param": "p"}}, "items": lateMember("body.items")}))
	if n := i.logins.Load(); n != 2 {
		t.Errorf("%d tokens, want 2", n)
	}
}
