package http

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
)

// TestTokenRequests checks what each grant sends to the token endpoint.
func TestTokenRequests(t *testing.T) {
	jwt := func(claims args) args { return args{"jwt": args{"alg": "HS256", "key": "k", "claims": claims}} }
	const bearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	for name, tc := range map[string]struct {
		settings args
		want     url.Values
		basic    string
		claims   map[string]any
	}{
		"password": {
			args{"grant": "password", "username": "u", "password": "p", "clientID": "c", "clientSecret": "s", "scopes": []any{"a"}},
			url.Values{"grant_type": {"password"}, "username": {"u"}, "password": {"p"}, "scope": {"a"}},
			"c:s", nil,
		},
		"password of a public client": {
			args{"grant": "password", "username": "u", "password": "p", "clientID": "c"},
			url.Values{"grant_type": {"password"}, "username": {"u"}, "password": {"p"}, "client_id": {"c"}},
			"", nil,
		},
		"refresh token": {
			args{"grant": "refresh_token", "refreshToken": "r", "clientID": "c", "clientSecret": "s"},
			url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"r"}},
			"c:s", nil,
		},
		"jwt-bearer": {
			args{"grant": "jwt-bearer", "assertion": jwt(args{"iss": "me"}), "params": args{"x": int64(1)}},
			url.Values{"grant_type": {bearer}, "x": {"1"}},
			"",
			map[string]any{"assertion": map[string]any{"iss": "me", "aud": "/token"}},
		},
		"jwt-bearer with another audience": {
			args{"grant": "jwt-bearer", "assertion": jwt(args{"aud": "other"})},
			url.Values{"grant_type": {bearer}},
			"",
			map[string]any{"assertion": map[string]any{"aud": "other"}},
		},
		"token exchange": {
			args{"grant": "token-exchange", "subjectToken": "t", "audience": "a"},
			url.Values{
				"grant_type": {"urn:ietf:params:oauth:grant-type:token-exchange"}, "subject_token": {"t"},
				"subject_token_type": {"urn:ietf:params:oauth:token-type:access_token"}, "audience": {"a"},
			},
			"", nil,
		},
		"private_key_jwt": {
			args{"clientID": "c", "clientAssertion": jwt(nil)},
			url.Values{"grant_type": {"client_credentials"}, "client_id": {"c"}, "client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}},
			"",
			map[string]any{"client_assertion": map[string]any{"iss": "c", "sub": "c", "aud": "/token"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			ts := newTestServer(t, respondJSON(200, `{"access_token":"t","expires_in":3600}`))
			settings := args{"tokenURL": ts.server.URL + "/token"}
			for k, v := range tc.settings {
				settings[k] = v
			}
			ts.done(ts.run("/x", args{"auth": args{"oauth2": settings}}))
			got := ts.requests()[0]
			form, err := url.ParseQuery(got.Body)
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range tc.claims {
				claims := claimsOf(t, form.Get(name))
				form.Del(name)
				if iat, exp := claims["iat"].(float64), claims["exp"].(float64); exp-iat != 300 || (time.Since(time.Unix(int64(iat), 0))-time.Minute).Abs() > time.Minute {
					t.Errorf("iat %v, exp %v", claims["iat"], claims["exp"])
				}
				if jti, _ := claims["jti"].(string); (name == "client_assertion") != (len(jti) > 20) {
					t.Errorf("jti %q", jti)
				}
				claims["aud"] = strings.TrimPrefix(claims["aud"].(string), ts.server.URL)
				for _, name := range []string{"iat", "exp", "jti"} {
					delete(claims, name)
				}
				if diff := cmp.Diff(want, any(claims)); diff != "" {
					t.Error(diff)
				}
			}
			if diff := cmp.Diff(tc.want, form); diff != "" {
				t.Error(diff)
			}
			id, secret, _ := (&http.Request{Header: got.Header}).BasicAuth()
			if basic := strings.TrimSuffix(id+":"+secret, ":"); basic != tc.basic {
				t.Errorf("basic %q, want %q", basic, tc.basic)
			}
		})
	}
}

func claimsOf(t *testing.T, token string) map[string]any {
	t.Helper()
	parts := strings.Split(token, ".")
	var claims map[string]any
	if len(parts) != 3 {
		t.Fatalf("no JWT: %q", token)
	}
	data, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(data, &claims) != nil {
		t.Fatalf("claims: %q", parts[1])
	}
	return claims
}

// TestRefreshTokenReplaced checks that a refresh token that the server replaces is kept, and that
// the error says what happened if the last one is lost.
func TestRefreshTokenReplaced(t *testing.T) {
	valid := 1
	ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/token" {
			respondJSON(200, "{}")(w, r)
			return
		}
		if r.PostFormValue("refresh_token") != fmt.Sprintf("refresh-%d", valid) {
			respondJSON(400, `{"error":"invalid_grant"}`)(w, r)
			return
		}
		valid++
		respondJSON(200, fmt.Sprintf(`{"access_token":"t%d","refresh_token":"refresh-%d","expires_in":0.01}`, valid, valid))(w, r)
	})
	a := args{"auth": args{"oauth2": args{"tokenURL": ts.server.URL + "/token", "grant": "refresh_token", "refreshToken": "refresh-1"}}}
	var logged []string
	run := func() actions.Outcome {
		call := ts.call("/x", a)
		call.Log = func(text string, _ bool) { logged = append(logged, text) }
		return ts.kind.Run(t.Context(), call)
	}
	for range 3 {
		ts.done(run())
		time.Sleep(20 * time.Millisecond)
	}
	if valid != 4 || len(logged) != 1 || !strings.Contains(logged[0], "replaced the refresh token") {
		t.Errorf("%d tokens, logged %q", valid-1, logged)
	}
	ts.setOrigins(ts.server.URL) // another run
	ts.expect(run(), actions.Refused, "400", "an earlier run has used it")
}

// TestAssertionOfAWrongClock checks that an assertion is signed with the time of the server, which
// refuses one from its future.
func TestAssertionOfAWrongClock(t *testing.T) {
	const behind = -3 * time.Minute
	ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
		now := time.Now().Add(behind)
		w.Header().Set("Date", now.UTC().Format(http.TimeFormat))
		if r.URL.Path == "/token" && claimsOf(t, r.PostFormValue("assertion"))["iat"].(float64) > float64(now.Unix()) {
			respondJSON(400, `{"error":"invalid_grant"}`)(w, r)
			return
		}
		respondJSON(200, `{"access_token":"t","expires_in":0.01}`)(w, r)
	})
	a := args{"auth": args{"oauth2": args{
		"tokenURL": ts.server.URL + "/token", "grant": "jwt-bearer", "assertion": args{"jwt": args{"alg": "HS256", "key": "k"}},
	}}}
	var got []string
	for range 2 {
		ts.done(ts.run("/x", a))
		time.Sleep(20 * time.Millisecond)
	}
	for _, r := range ts.requests() {
		got = append(got, r.URI)
	}
	if diff := cmp.Diff([]string{"/token", "/token", "/x", "/token", "/x"}, got); diff != "" {
		t.Error(diff)
	}
}
