package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// oauth2 gets tokens by the client credentials grant (RFC 6749, 4.4).
func (s *Session) oauth2(m map[string]any) (*authenticator, error) {
	address, _ := m["tokenURL"].(string)
	at, err := request.ParseURL(address)
	if err != nil {
		return nil, fmt.Errorf("oauth2.tokenURL: %w", err)
	}
	src, err := sourceOf(s.call, []any{"oauth2", m})
	if err != nil {
		return nil, err
	}
	c := &client{session: *s, source: src, at: at, settings: m}
	c.session.auth, c.session.maxBytes = nil, 1<<20
	c.session.Judge = verdict.ForGrant(s.call, s.base)
	return &authenticator{source: src, header: "Authorization", prefix: "Bearer ", fetch: c.grant}, nil
}

// client asks a server for tokens as a client of OAuth 2.
type client struct {
	session  Session
	source   *source
	at       *url.URL
	settings map[string]any
}

// grant asks for a token: with the refresh token if there is one, else with the
// client's credentials.
func (c *client) grant(ctx context.Context) (token, actions.Outcome) {
	m, src := c.settings, c.source
	if src.refresh != "" {
		form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {src.refresh}}
		t, out := c.tokenFrom(ctx, form)
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
		pairs, err := request.Parameters("oauth2.params", params)
		if err != nil {
			return token{}, actions.Refuse(err)
		}
		for _, p := range pairs {
			form.Add(p.Name, p.Value)
		}
	}
	return c.tokenFrom(ctx, form)
}

// tokenFrom sends the form with the client's name and secret: in a header, as
// the standard wants it, or in the body where the server takes no other.
func (c *client) tokenFrom(ctx context.Context, form url.Values) (token, actions.Outcome) {
	id, _ := c.settings["clientID"].(string)
	secret, _ := c.settings["clientSecret"].(string)
	basic := basicOf(url.QueryEscape(id), url.QueryEscape(secret))
	j := &c.session.Judge
	j.Secret(basic)
	j.Renew()
	ask := func(inBody bool) (*verdict.Answer, actions.Outcome) {
		if !inBody {
			return c.session.Ask(ctx, post(c.at, form, basic))
		}
		form.Set("client_id", id)
		form.Set("client_secret", secret)
		return c.session.Ask(ctx, post(c.at, form, ""))
	}
	a, out := ask(c.source.bodyStyle)
	if !c.source.bodyStyle && (out.Class == "401" || out.Class == "400") {
		if b, again := ask(true); again.Status == actions.Done {
			a, out, c.source.bodyStyle = b, again, true
		}
	}
	if out.Status != actions.Done {
		return token{}, out
	}
	return c.granted(a)
}

// granted reads the answer of a token endpoint (RFC 6749, 5.1).
func (c *client) granted(a *verdict.Answer) (token, actions.Outcome) {
	j := &c.session.Judge
	body, _ := a.Body.(map[string]any)
	value, _ := body["access_token"].(string)
	if value == "" {
		return token{}, j.Failed(post(c.at, nil, ""), a, errors.New("has no access_token"))
	}
	j.Secret(value)
	if refresh, _ := body["refresh_token"].(string); refresh != "" {
		j.Secret(refresh)
		c.source.refresh = refresh
	}
	expires, err := expiry(body["expires_in"], time.Now())
	if err != nil {
		return token{}, actions.Refuse(err)
	}
	return token{value, expires}, actions.Outcome{Status: actions.Done}
}

// post is a request for a token: a form, sent without further credentials.
func post(at *url.URL, form url.Values, basic string) *request.Request {
	r := &request.Request{Method: "POST", At: request.Address{URL: at}, Headers: map[string][]string{
		"Accept": {"application/json"}, "User-Agent": {"declprov"}, "Content-Type": {"application/x-www-form-urlencoded"},
	}, Effect: actions.None}
	r.Body = request.NewBody("application/x-www-form-urlencoded", []byte(form.Encode()))
	if basic != "" {
		r.Headers.Set("Authorization", "Basic "+basic)
	}
	return r
}

// basicOf is a user and password as the Basic scheme has them.
func basicOf(user, password string) string {
	var r http.Request
	r.Header = http.Header{}
	r.SetBasicAuth(user, password)
	return strings.TrimPrefix(r.Header.Get("Authorization"), "Basic ")
}
