package http

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
)

// oauth2 gets tokens by the client credentials grant (RFC 6749, 4.4).
func (x *exchange) oauth2(m map[string]any) (*authenticator, error) {
	address, _ := m["tokenURL"].(string)
	at, err := tokenAddress(address)
	if err != nil {
		return nil, fmt.Errorf("oauth2.tokenURL: %w", err)
	}
	src, err := x.sourceOf([]any{"oauth2", m})
	if err != nil {
		return nil, err
	}
	return &authenticator{source: src, header: "Authorization", prefix: "Bearer ", fetch: func(ctx context.Context) (token, actions.Outcome) {
		return x.grant(ctx, src, at, m)
	}}, nil
}

// grant asks for a token: with the refresh token if there is one, else with the
// client's credentials.
func (x *exchange) grant(ctx context.Context, src *source, at address, m map[string]any) (token, actions.Outcome) {
	if src.refresh != "" {
		form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {src.refresh}}
		t, out := x.tokenFrom(ctx, src, at, form, m)
		if out.Status == actions.Done || out.Again {
			return t, out
		}
		src.refresh = "" // it is over, too
	}
	form := url.Values{"grant_type": {"client_credentials"}}
	if list, _ := m["scopes"].([]any); len(list) > 0 {
		var scopes []string
		for _, s := range list {
			text, _ := s.(string)
			scopes = append(scopes, text)
		}
		form.Set("scope", strings.Join(scopes, " "))
	}
	if audience, _ := m["audience"].(string); audience != "" {
		form.Set("audience", audience)
	}
	if params, _ := m["params"].(map[string]any); params != nil {
		pairs, err := parameters("oauth2.params", params)
		if err != nil {
			return token{}, actions.Refuse(err)
		}
		for _, p := range pairs {
			form.Add(p.name, p.value)
		}
	}
	return x.tokenFrom(ctx, src, at, form, m)
}

// tokenFrom sends the form with the client's name and secret: in a header, as
// the standard wants it, or in the body where the server takes no other.
func (x *exchange) tokenFrom(ctx context.Context, src *source, at address, form url.Values, m map[string]any) (token, actions.Outcome) {
	id, _ := m["clientID"].(string)
	secret, _ := m["clientSecret"].(string)
	basic := basicOf(url.QueryEscape(id), url.QueryEscape(secret))
	x.secret(basic)
	y := *x
	y.auth, y.response, y.typed, y.expect, y.follow, y.maxBytes = nil, "json", false, nil, false, 1<<20
	y.values = x.newBudget()
	y.issues = []string{"access_token", "refresh_token", "id_token"}
	y.given = given{prefix: "auth.oauth2."}
	ask := func(inBody bool) (*answer, actions.Outcome) {
		if !inBody {
			return y.exchange(ctx, y.post(at, form, basic))
		}
		form.Set("client_id", id)
		form.Set("client_secret", secret)
		return y.exchange(ctx, y.post(at, form, ""))
	}
	a, out := ask(src.bodyStyle)
	if !src.bodyStyle && (out.Class == "401" || out.Class == "400") {
		if b, again := ask(true); again.Status == actions.Done {
			a, out, src.bodyStyle = b, again, true
		}
	}
	if out.Status != actions.Done {
		return token{}, out
	}
	return x.granted(src, &y, at, a)
}

// granted reads the answer of a token endpoint (RFC 6749, 5.1).
func (x *exchange) granted(src *source, y *exchange, at address, a *answer) (token, actions.Outcome) {
	body, _ := a.body.(map[string]any)
	value, _ := body["access_token"].(string)
	if value == "" {
		return token{}, y.failed(y.post(at, nil, ""), a, errors.New("has no access_token"))
	}
	x.secret(value)
	if refresh, _ := body["refresh_token"].(string); refresh != "" {
		x.secret(refresh)
		src.refresh = refresh
	}
	expires, err := expiry(body["expires_in"], time.Now())
	if err != nil {
		return token{}, actions.Refuse(err)
	}
	return token{value, expires}, actions.Outcome{Status: actions.Done}
}

// login gets tokens by a request of the author's.
func (x *exchange) login(m map[string]any) (*authenticator, error) {
	request, _ := m["http"].(map[string]any)
	as, _ := m["as"].(map[string]any)
	a := &authenticator{header: "Authorization", prefix: "Bearer "}
	if name, ok := as["header"].(string); ok {
		a.header, a.prefix = name, ""
	}
	if prefix, ok := as["prefix"].(string); ok {
		a.prefix = prefix
	}
	if !isToken(a.header) {
		return nil, fmt.Errorf("login.as: %q is no name of a header", actions.Clip(a.header, 80))
	}
	const prefix = "auth.login.http."
	y := *x
	if x.call.SourceOf("auth") != actions.Own {
		y.base = x.owner.home // wherever the step itself goes
	}
	y.given = given{args: request, parts: x.call.Parts, late: x.call.Late, prefix: prefix}
	y.auth, y.typed, y.expect, y.response = nil, false, nil, y.given.string("response")
	y.values = x.newBudget()
	if inner, ok := request["auth"].(map[string]any); ok {
		if inner["login"] != nil || inner["oauth2"] != nil {
			return nil, errors.New("login.http.auth: a login cannot need another")
		}
		var err error
		if y.auth, err = y.authentication(inner); err != nil {
			return nil, fmt.Errorf("login.http.auth: %w", err)
		}
	}
	// Its token outlives the call that first needs it, and so may its body.
	r, err := y.request(context.Background(), y.given)
	if err != nil {
		return nil, fmt.Errorf("login.http: %w", err)
	}
	y.req, y.owner = r, owner{}
	y.owner.anchored(r.at, y.base)
	if y.tokenOf = x.call.Late["auth.login.token"]; y.tokenOf == nil {
		return nil, errors.New("login: token is missing: say where in the answer it is, as in \"${body.token}\"")
	}
	asked, err := y.whole(r)
	if err != nil {
		return nil, fmt.Errorf("login.http: %w", err)
	}
	if a.source, err = x.sourceOf([]any{"login", request, asked, x.lateKey("auth.login.token"), x.lateKey("auth.login.expires")}); err != nil {
		return nil, err
	}
	a.fetch = func(ctx context.Context) (token, actions.Outcome) { return y.logIn(ctx) }
	return a, nil
}

// logIn sends the request, and finds the token in the answer.
func (x *exchange) logIn(ctx context.Context) (token, actions.Outcome) {
	a, out := x.exchange(ctx, x.req)
	if out.Status != actions.Done {
		return token{}, out
	}
	v, err := x.tokenOf(a.known())
	if err != nil {
		return token{}, x.unusable(a, fmt.Errorf("login.token fails: %w", err))
	}
	value, err := actions.TextOf(v)
	if err != nil || value == "" {
		return token{}, x.unusable(a, errors.New("login.token finds none in it"))
	}
	x.secret(value)
	var ends any
	if late := x.call.Late["auth.login.expires"]; late != nil {
		if ends, err = late(a.known()); err != nil {
			return token{}, x.unusable(a, fmt.Errorf("login.expires fails: %w", err))
		}
	}
	expires, err := expiry(ends, time.Now())
	if err != nil {
		return token{}, x.unusable(a, err)
	}
	return token{value, expires}, actions.Outcome{Status: actions.Done}
}

// basicOf is a user and password as the Basic scheme has them.
func basicOf(user, password string) string {
	var r http.Request
	r.Header = http.Header{}
	r.SetBasicAuth(user, password)
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Basic ")
}
