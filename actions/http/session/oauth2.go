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

// oauth2Client fetches tokens by the client credentials grant of OAuth 2 (RFC 6749, 4.4).
type oauth2Client struct {
	session  Session
	source   *tokenSource
	tokenURL *url.URL
	// id and secret identify the client. form has the other parameters of a token request.
	id, secret string
	form       url.Values
}

// oauth2Settings are the arguments of OAuth 2.
type oauth2Settings struct {
	TokenURL     string         `arg:"tokenURL"`
	ClientID     string         `arg:"clientID"`
	ClientSecret string         `arg:"clientSecret"`
	Scopes       []string       `arg:"scopes"`
	Audience     string         `arg:"audience"`
	Params       map[string]any `arg:"params"`
}

// newOAuth2 returns credentials with a token of OAuth 2.
func (s *Session) newOAuth2(m *oauth2Settings) (credential, error) {
	at, err := request.ParseURL(m.TokenURL)
	if err != nil {
		return nil, fmt.Errorf("oauth2.tokenURL: %w", err)
	}
	c := &oauth2Client{session: *s, tokenURL: at, id: m.ClientID, secret: m.ClientSecret, form: url.Values{"grant_type": {"client_credentials"}}}
	c.session.auth, c.session.maxBytes = nil, 1<<20
	c.session.Judge = verdict.NewForToken(s.call, s.base)
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
	if c.source, err = s.tokenSource([]any{"oauth2", m}); err != nil {
		return nil, err
	}
	return &tokenCredential{session: s, source: c.source, header: "Authorization", prefix: "Bearer ", fetch: c.fetchToken}, nil
}

// fetchToken fetches a token with the refresh token, if there is one, else with the client
// credentials.
func (c *oauth2Client) fetchToken(ctx context.Context) (*oauth2.Token, actions.Outcome) {
	if refresh := c.source.current.RefreshToken; refresh != "" {
		t, out := c.requestToken(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}})
		if out.Status == actions.Done || out.Again {
			return t, out
		}
		c.source.current.RefreshToken = "" // the server no longer accepts it
	}
	return c.requestToken(ctx, c.form)
}

// requestToken sends the form with the client's id and secret: in a header, as RFC 6749
// recommends, or in the body if the server only accepts that.
func (c *oauth2Client) requestToken(ctx context.Context, form url.Values) (*oauth2.Token, actions.Outcome) {
	c.session.Judge.ResetBudget()
	if c.source.secretInBody {
		return c.retrieve(ctx, form, oauth2.AuthStyleInParams)
	}
	t, out := c.retrieve(ctx, form, oauth2.AuthStyleInHeader)
	if out.Class == "400" || out.Class == "401" {
		if u, again := c.retrieve(ctx, form, oauth2.AuthStyleInParams); again.Status == actions.Done {
			t, out, c.source.secretInBody = u, again, true
		}
	}
	return t, out
}

// retrieve fetches a token with the oauth2 library, which makes the request and reads the
// response. The session sends the request and interprets errors.
func (c *oauth2Client) retrieve(ctx context.Context, form url.Values, style oauth2.AuthStyle) (*oauth2.Token, actions.Outcome) {
	x := &tokenTransport{client: c}
	config := clientcredentials.Config{ClientID: c.id, ClientSecret: c.secret, TokenURL: c.tokenURL.String(), EndpointParams: form, AuthStyle: style}
	t, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: x}))
	j := &c.session.Judge
	switch {
	case x.request == nil:
		return nil, actions.Refuse(err)
	case x.outcome.Status != actions.Done:
		return nil, x.outcome
	case errors.As(err, new(*oauth2.RetrieveError)):
		return nil, j.UnusableOutcome(x.request, x.response, errors.New("the response reports an error instead of a token"))
	case err != nil:
		return nil, j.UnusableOutcome(x.request, x.response, errors.New("the response has no access_token"))
	}
	j.AddSecret(t.AccessToken)
	j.AddSecret(t.RefreshToken)
	if t.Expiry, err = parseExpiry(x.expires, time.Now()); err != nil {
		return nil, actions.Refuse(err)
	}
	return t, actions.Outcome{Status: actions.Done}
}

// tokenTransport sends one token request of the oauth2 library through the session, within
// its grants and limits. It keeps the request and the response.
type tokenTransport struct {
	client   *oauth2Client
	request  *request.Request
	response *verdict.Response
	outcome  actions.Outcome
	expires  any
}

func (x *tokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	form, err := io.ReadAll(r.Body)
	if err = errors.Join(err, r.Body.Close()); err != nil {
		return nil, err
	}
	headers := r.Header.Clone()
	headers.Set("Accept", "application/json")
	headers.Set("User-Agent", "declprov")
	x.request = &request.Request{
		Method: r.Method, Address: request.Address{URL: x.client.tokenURL}, Headers: headers, Effect: actions.None,
		Body: request.NewBody(r.Header.Get("Content-Type"), form),
	}
	x.client.session.Judge.AddSecret(strings.TrimPrefix(r.Header.Get("Authorization"), "Basic "))
	x.response, x.outcome = x.client.session.Do(r.Context(), x.request)
	if x.outcome.Status != actions.Done {
		return nil, errors.New("no token") // the outcome has the reason
	}
	// The library would parse text/plain as a form, and only accepts integers in expires_in.
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
