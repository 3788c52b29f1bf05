package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// client asks a server for tokens as a client of OAuth 2, by the client credentials
// grant (RFC 6749, 4.4).
type client struct {
	session Session
	source  *source
	at      *url.URL
	// id and secret are the client's; form is what else it sends for a token.
	id, secret string
	form       url.Values
}

// oauth2Settings says how a client asks for a token.
type oauth2Settings struct {
	TokenURL     string         `arg:"tokenURL"`
	ClientID     string         `arg:"clientID"`
	ClientSecret string         `arg:"clientSecret"`
	Scopes       []string       `arg:"scopes"`
	Audience     string         `arg:"audience"`
	Params       map[string]any `arg:"params"`
}

// oauth2 makes credentials of a token that is asked for as m says.
func (s *Session) oauth2(m *oauth2Settings) (*authenticator, error) {
	at, err := request.ParseURL(m.TokenURL)
	if err != nil {
		return nil, fmt.Errorf("oauth2.tokenURL: %w", err)
	}
	c := &client{session: *s, at: at, id: m.ClientID, secret: m.ClientSecret, form: url.Values{"grant_type": {"client_credentials"}}}
	c.session.auth, c.session.maxBytes = nil, 1<<20
	c.session.Judge = verdict.ForGrant(s.call, s.base)
	if len(m.Scopes) > 0 {
		c.form.Set("scope", strings.Join(m.Scopes, " "))
	}
	if m.Audience != "" {
		c.form.Set("audience", m.Audience)
	}
	pairs, err := request.Parameters("oauth2.params", m.Params)
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		c.form.Add(p.Name, p.Value)
	}
	if c.source, err = s.sourceOf([]any{"oauth2", m}); err != nil {
		return nil, err
	}
	return &authenticator{source: c.source, header: "Authorization", prefix: "Bearer ", fetch: c.grant}, nil
}

// grant asks for a token: with the refresh token if there is one, else with the
// client's credentials.
func (c *client) grant(ctx context.Context) (*oauth2.Token, actions.Outcome) {
	if refresh := c.source.held.RefreshToken; refresh != "" {
		t, out := c.tokenFor(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}})
		if out.Status == actions.Done || out.Again {
			return t, out
		}
		c.source.held.RefreshToken = "" // the server no longer accepts it
	}
	return c.tokenFor(ctx, c.form)
}

// tokenFor sends the form with the client's name and secret: in a header, as the
// standard prefers, or in the body if the server accepts no other.
func (c *client) tokenFor(ctx context.Context, form url.Values) (*oauth2.Token, actions.Outcome) {
	c.session.Judge.Renew()
	if c.source.inBody {
		return c.retrieve(ctx, form, oauth2.AuthStyleInParams)
	}
	t, out := c.retrieve(ctx, form, oauth2.AuthStyleInHeader)
	if out.Class == "400" || out.Class == "401" {
		if u, again := c.retrieve(ctx, form, oauth2.AuthStyleInParams); again.Status == actions.Done {
			t, out, c.source.inBody = u, again, true
		}
	}
	return t, out
}

// retrieve lets the library make the request and read the response; the session sends it,
// and says what an error means.
func (c *client) retrieve(ctx context.Context, form url.Values, style oauth2.AuthStyle) (*oauth2.Token, actions.Outcome) {
	x := &exchange{client: c}
	config := clientcredentials.Config{ClientID: c.id, ClientSecret: c.secret, TokenURL: c.at.String(), EndpointParams: form, AuthStyle: style}
	t, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: x}))
	j := &c.session.Judge
	switch {
	case x.request == nil:
		return nil, actions.Refuse(err)
	case x.outcome.Status != actions.Done:
		return nil, x.outcome
	case errors.As(err, new(*oauth2.RetrieveError)):
		return nil, j.Failed(x.request, x.response, errors.New("reports an error instead of a token"))
	case err != nil:
		return nil, j.Failed(x.request, x.response, errors.New("has no access_token"))
	}
	j.Secret(t.AccessToken)
	j.Secret(t.RefreshToken)
	if t.Expiry, err = expiry(x.expires, time.Now()); err != nil {
		return nil, actions.Refuse(err)
	}
	return t, actions.Outcome{Status: actions.Done}
}

// exchange is the one request for a token and its response. It is the library's way to the
// server: through the session, within its grants and limits.
type exchange struct {
	client   *client
	request  *request.Request
	response *verdict.Answer
	outcome  actions.Outcome
	expires  any
}

func (x *exchange) RoundTrip(r *http.Request) (*http.Response, error) {
	form, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return nil, err
	}
	headers := r.Header.Clone()
	headers.Set("Accept", "application/json")
	headers.Set("User-Agent", "declprov")
	x.request = &request.Request{
		Method: r.Method, At: request.Address{URL: x.client.at}, Headers: headers, Effect: actions.None,
		Body: request.NewBody(r.Header.Get("Content-Type"), form),
	}
	x.client.session.Judge.Secret(strings.TrimPrefix(r.Header.Get("Authorization"), "Basic "))
	x.response, x.outcome = x.client.session.Ask(r.Context(), x.request)
	if x.outcome.Status != actions.Done {
		return nil, errors.New("no token") // the outcome says why
	}
	// The library reads text/plain as a form, and expires_in only as a whole number.
	members, _ := x.response.Body.(map[string]any)
	x.expires = members["expires_in"]
	members = maps.Clone(members)
	delete(members, "expires_in")
	body, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: x.response.Status, Header: header, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
}
