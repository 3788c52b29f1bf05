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
		"none":    {"none", "Authorization", "", "/x?a=b"},
		"nothing": {nil, "Authorization", "", "/x?a=b"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, answerJSON(200, "{}"))
			l.done(l.run("/x", args{"auth": tc.auth, "query": args{"a": "b"}}))
			got := l.requests()[0]
			if diff := cmp.Diff([]string{tc.want, tc.uri}, []string{got.Header.Get(tc.header), got.URI}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// issuer gives tokens, numbered from 1; those below valid are refused.
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
			answerJSON(401, `{"error":"invalid_client","error_description":"who are you"}`)(w, r)
			return
		}
		time.Sleep(20 * time.Millisecond) // let others ask meanwhile
		if form.Get("grant_type") == "refresh_token" {
			i.refreshes.Add(1)
		}
		n := i.logins.Add(1)
		answer := args{"access_token": fmt.Sprint("token-", n), "token": fmt.Sprint("token-", n), "expires_in": i.lasts}
		if i.refresh {
			answer["refresh_token"] = "refresh-me"
		}
		text, _ := json.Marshal(answer)
		answerJSON(200, string(text))(w, r)
	default:
		var n int64
		_, _ = fmt.Sscanf(r.Header.Get("Authorization"), "Bearer token-%d", &n)
		if n < max(i.valid.Load(), 1) {
			answerJSON(401, `{"message":"token over"}`)(w, r)
			return
		}
		answerJSON(200, "{}")(w, r)
	}
}

func oauth(l *lab) args {
	return args{"oauth2": args{
		"tokenURL": l.server.URL + "/token", "clientID": "me", "clientSecret": "s:", "scopes": []any{"a", "b"}, "audience": "api", "params": args{"x": int64(1)},
	}}
}

func loginBlock() args {
	return args{"login": args{"http": args{"json": args{"user": "me"}}}}
}

func loginArgs() args {
	return args{
		"auth": loginBlock(), "auth.login.http.path": parts("/login"), "auth.login.token": at("body.token"), "auth.login.expires": at("body.expires_in"),
	}
}

func TestOAuth2(t *testing.T) {
	for _, bodyOnly := range []bool{false, true} {
		i := &issuer{lasts: 3600, bodyOnly: bodyOnly}
		l := newLab(t, i.serve)
		for range 3 {
			l.done(l.run("/x", args{"auth": oauth(l)}))
		}
		if n := i.logins.Load(); n != 1 {
			t.Errorf("%d tokens for three requests", n)
		}
		want := url.Values{"grant_type": {"client_credentials"}, "scope": {"a b"}, "audience": {"api"}, "x": {"1"}}
		if bodyOnly {
			want["client_id"], want["client_secret"] = []string{"me"}, []string{"s:"}
		}
		if diff := cmp.Diff(want, i.forms[len(i.forms)-1]); diff != "" {
			t.Error(diff)
		}
		if !slices.Contains(l.secrets, "token-1") {
			t.Error("the engine was not told of the token")
		}
	}
}

// TestTokenRenewed: by refresh token before it ends, and on 401, once.
func TestTokenRenewed(t *testing.T) {
	i := &issuer{lasts: "1", refresh: true}
	l := newLab(t, i.serve)
	l.done(l.run("/x", args{"auth": oauth(l)}))
	time.Sleep(time.Second)
	l.done(l.run("/x", args{"auth": oauth(l)}))
	if i.logins.Load() != 2 || i.refreshes.Load() != 1 {
		t.Errorf("%d tokens, %d by refresh", i.logins.Load(), i.refreshes.Load())
	}
	i.lasts = 3600
	i.valid.Store(3)
	l.requests()
	l.done(l.run("/x", args{"auth": oauth(l), "method": "POST"}))
	i.valid.Store(100)
	out := l.run("/x", args{"auth": oauth(l), "error": at("body.message")})
	l.expect(out, actions.Refused, "401", "GET /x answered 401 Unauthorized: token over")
	var got []string
	for _, r := range l.requests() {
		got = append(got, r.Method+" "+r.URI)
	}
	want := []string{"POST /x", "POST /token", "POST /x", "GET /x", "POST /token", "GET /x"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestOAuth2Refused(t *testing.T) {
	l := newLab(t, (&issuer{}).serve)
	auth := oauth(l)
	auth["oauth2"].(args)["clientSecret"] = "hunter2"
	out := l.run("/x", args{"auth": auth})
	l.expect(out, actions.Refused, "401", "auth: POST /token answered 401 Unauthorized")
	if strings.Contains(out.Err.Error(), "hunter2") {
		t.Error(out.Err)
	}
	auth["oauth2"].(args)["tokenURL"] = "http://127.0.0.1:1/token"
	l.expect(l.run("/x", args{"auth": auth}), actions.Refused, "", "not permitted to connect")
	if out := l.run("/x", args{"auth": args{"oauth2": args{"tokenURL": l.server.URL + "/x", "clientID": "a"}}}); out.Status != actions.Refused {
		t.Error("an answer without a token served as one")
	}
}

// TestOAuth2Responses: what servers give beside the standard's form, and what they give
// in place of a token.
func TestOAuth2Responses(t *testing.T) {
	for name, tc := range map[string]struct {
		kind, body string
		want       actions.Status
		says       string
	}{
		"the standard's":              {"application/json", `{"access_token":"t","token_type":"Bearer","expires_in":3600}`, actions.Done, ""},
		"JSON that calls itself text": {"text/plain", `{"access_token":"t"}`, actions.Done, ""},
		"a fraction of a second":      {"application/json", `{"access_token":"t","expires_in":3599.5}`, actions.Done, ""},
		"a date":                      {"application/json", `{"access_token":"t","expires_in":"2126-01-02T15:04:05Z"}`, actions.Done, ""},
		"no end":                      {"application/json", `{"access_token":"t","expires_in":null}`, actions.Done, ""},
		"no time":                     {"application/json", `{"access_token":"t","expires_in":"soon"}`, actions.Refused, "when the token ends is no time"},
		"a number as the token":       {"application/json", `{"access_token":7}`, actions.Refused, "has no access_token"},
		"a list":                      {"application/json", `["t"]`, actions.Refused, "has no access_token"},
		"an error under 200":          {"application/json", `{"error":"invalid_scope"}`, actions.Refused, "reports an error instead of a token"},
		"no JSON":                     {"text/html", `<html>`, actions.Refused, "cannot be read as JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/token" {
					answerJSON(200, "{}")(w, r)
					return
				}
				w.Header().Set("Content-Type", tc.kind)
				_, _ = io.WriteString(w, tc.body)
			})
			out := l.run("/x", args{"auth": oauth(l)})
			if out.Status != tc.want || out.Err != nil && !strings.Contains(out.Err.Error(), tc.says) {
				t.Errorf("%s: %v", out.Status, out.Err)
			}
		})
	}
}

// TestLoginOnce: however many ask at once, one logs in, and when the token is
// refused, one logs in again.
func TestLoginOnce(t *testing.T) {
	i := &issuer{lasts: 3600}
	l := newLab(t, i.serve)
	all := func() {
		var wg sync.WaitGroup
		for range 32 {
			wg.Go(func() {
				if out := l.run("/x", loginArgs()); out.Status != actions.Done {
					t.Errorf("status %d: %v", out.Status, out.Err)
				}
			})
		}
		wg.Wait()
	}
	all()
	if n := i.logins.Load(); n != 1 {
		t.Errorf("%d logins", n)
	}
	i.valid.Store(2)
	all()
	if n := i.logins.Load(); n != 2 {
		t.Errorf("%d logins after the token was refused", n)
	}
}

// TestLoginFails: a wrong password is tried once by those who wait together.
func TestLoginFails(t *testing.T) {
	var tries atomic.Int64
	l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			tries.Add(1)
			time.Sleep(50 * time.Millisecond)
		}
		answerJSON(403, `{"message":"wrong password"}`)(w, r)
	})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			a := loginArgs()
			a["auth.login.http.error"] = at("body.message")
			out := l.run("/x", a)
			if out.Status != actions.Refused || !strings.Contains(out.Err.Error(), "auth: POST /login answered 403 Forbidden: wrong password") {
				t.Errorf("status %d: %v", out.Status, out.Err)
			}
		})
	}
	wg.Wait()
	if n := tries.Load(); n > 2 {
		t.Errorf("%d tries", n)
	}
}

// A token that comes with a refusal is as secret as one that is used: nobody
// knows what else it opens.
func TestTokenOfARefusal(t *testing.T) {
	const token = "t0ken-of-a-refusal"
	for name, body := range map[string]string{
		"where it is looked for": `{"token":"` + token + `","access_token":"` + token + `","message":"no: ` + token + `"}`,
		"elsewhere":              `{"was":[{"token":"` + token + `","access_token":"` + token + `"}],"message":"no: ` + token + `"}`,
	} {
		for _, kind := range []string{"login", "oauth2"} {
			l := newLab(t, answerJSON(403, body))
			a := loginArgs()
			if kind == "oauth2" {
				a = args{"auth": oauth(l)}
			}
			call := l.call("/x", a)
			call.Mask = func(text string) string { return strings.NewReplacer(pairs(l.secrets)...).Replace(text) }
			out := l.kind.Run(t.Context(), call)
			if out.Status != actions.Refused || !strings.Contains(out.Err.Error(), "no: ***") || strings.Contains(out.Err.Error(), token) {
				t.Errorf("%s, %s: %v", kind, name, out.Err)
			}
		}
	}
}

// pairs are what a mask puts in the place of secrets.
func pairs(secrets []string) []string {
	var out []string
	for _, s := range secrets {
		out = append(out, s, "***")
	}
	return out
}

func TestLoginForms(t *testing.T) {
	l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/login" {
			answerJSON(200, `{"token":"abc"}`)(w, r)
			return
		}
		w.WriteHeader(204)
	})
	a := loginArgs()
	a["auth"].(args)["login"].(args)["as"] = args{"header": "X-Session"}
	l.done(l.run("/x", a))
	if got := l.requests()[1].Header.Get("X-Session"); got != "abc" {
		t.Errorf("X-Session: %q", got)
	}
	a["auth.login.token"] = at("body.none")
	a["auth"].(args)["login"].(args)["as"] = args{"header": "X-Other"}
	other := l.call("/x", a)
	other.LateKey = func(path string) string { return path + " of another login" }
	l.expect(l.kind.Run(t.Context(), other), actions.Refused, "200", "login.token finds none")
	delete(a, "auth.login.token")
	l.expect(l.run("/x", a), actions.Refused, "", "token is missing")
}

// TestTokenPerEngine: two engines do not share a token.
func TestTokenPerEngine(t *testing.T) {
	i := &issuer{lasts: 3600}
	l := newLab(t, i.serve)
	l.done(l.run("/x", loginArgs()))
	l.grant(l.server.URL)
	l.done(l.run("/x", loginArgs()))
	if n := i.logins.Load(); n != 2 {
		t.Errorf("%d logins for two engines", n)
	}
}

// TestTokenRefusedAfterARedirect: a token that ends between a POST and the GET that
// it redirects to is renewed for that GET; the POST was processed, and is not sent
// again, whatever comes of it.
func TestTokenRefusedAfterARedirect(t *testing.T) {
	for name, tc := range map[string]struct {
		renewed bool
		want    actions.Status
	}{"renewed": {true, actions.Done}, "refused again": {false, actions.Unknown}} {
		t.Run(name, func(t *testing.T) {
			i := &issuer{lasts: 3600}
			l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
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
			l.done(l.run("/x", args{"auth": oauth(l)}))
			l.requests()
			out := l.run("/things", args{"auth": oauth(l), "method": "POST", "redirects": "same-origin"})
			if out.Status != tc.want {
				t.Errorf("%s, want %s: %v", out.Status, tc.want, out.Err)
			}
			posts := 0
			for _, r := range l.requests() {
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

// TestTokenRenewedBetweenLargePages: what pages have had of maxBytes does not count against
// the response that brings the next token.
func TestTokenRenewedBetweenLargePages(t *testing.T) {
	i := &issuer{lasts: 3600}
	l := newLab(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Query().Get("p") {
		case "":
			i.serve(w, r)
		case "1":
			i.valid.Store(2) // the next page takes another token
			answerJSON(200, `{"items":["`+strings.Repeat("x", 2<<20)+`"]}`)(w, r)
		default:
			if r.Header.Get("Authorization") != "Bearer token-2" {
				answerJSON(401, "{}")(w, r)
				return
			}
			answerJSON(200, `{"items":[]}`)(w, r)
		}
	})
	l.done(l.run("/x", args{"auth": oauth(l), "paginate": args{"page": args{"param": "p"}}, "items": at("body.items")}))
	if n := i.logins.Load(); n != 2 {
		t.Errorf("%d tokens, want 2", n)
	}
}
