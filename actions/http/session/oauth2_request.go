package session

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// assertions returns the form with the JWTs, which are signed for each request.
func (c *oauth2Client) assertions(form url.Values) (url.Values, error) {
	if c.assertion == nil && c.clientAssertion == nil {
		return form, nil
	}
	form = maps.Clone(form)
	now := c.session.shared.clocks.at(c.tokenURL)
	sign := func(name string, by *tokenSigner, absent map[string]any) error {
		text, err := by.token(now, absent)
		c.session.Judge.AddSecret(text)
		form.Set(name, text)
		return err
	}
	if c.assertion != nil && form.Get("grant_type") == jwtBearer {
		if err := sign("assertion", c.assertion, map[string]any{"aud": c.TokenURL}); err != nil {
			return nil, err
		}
	}
	if c.clientAssertion != nil {
		form.Set("client_assertion_type", clientJWT)
		absent := map[string]any{"iss": c.ClientID, "sub": c.ClientID, "aud": c.TokenURL, "jti": rand.Text()}
		if err := sign("client_assertion", c.clientAssertion, absent); err != nil {
			return nil, err
		}
	}
	return form, nil
}

// requestToken sends the form, and once more if the server's clock differs so much that an
// assertion was not valid there.
func (c *oauth2Client) requestToken(ctx context.Context, form url.Values) (*oauth2.Token, actions.Outcome) {
	t, corrected, out := c.authenticate(ctx, form)
	if corrected && out.Status != actions.Done {
		t, _, out = c.authenticate(ctx, form)
	}
	return t, out
}

// authenticate sends the form with the client's id and secret: in a header, as RFC 6749
// recommends, or in the body if the server only accepts that. Without a secret, the id is in the
// body (RFC 6749, 3.2.1; RFC 8705, 2). corrected says that the server's clock turned out to
// differ.
func (c *oauth2Client) authenticate(ctx context.Context, form url.Values) (t *oauth2.Token, corrected bool, out actions.Outcome) {
	c.session.Judge.ResetBudget()
	if c.source.secretInBody || c.ClientSecret == "" {
		return c.retrieve(ctx, form, oauth2.AuthStyleInParams)
	}
	t, corrected, out = c.retrieve(ctx, form, oauth2.AuthStyleInHeader)
	if out.Class == "400" || out.Class == "401" {
		if u, _, again := c.retrieve(ctx, form, oauth2.AuthStyleInParams); again.Status == actions.Done {
			t, out, c.source.secretInBody = u, again, true
		}
	}
	return t, corrected, out
}

// retrieve fetches a token with the oauth2 library, which makes the request and reads the
// response. The session sends the request and interprets errors.
func (c *oauth2Client) retrieve(ctx context.Context, form url.Values, style oauth2.AuthStyle) (t *oauth2.Token, corrected bool, out actions.Outcome) {
	form, err := c.assertions(form)
	if err != nil {
		return nil, false, actions.Refuse(err)
	}
	x := &tokenTransport{client: c}
	config := clientcredentials.Config{ClientID: c.ClientID, ClientSecret: c.ClientSecret, TokenURL: c.tokenURL.String(), EndpointParams: form, AuthStyle: style}
	t, err = config.Token(context.WithValue(ctx, oauth2.HTTPClient, &http.Client{Transport: x}))
	t, out = c.readToken(x, t, err)
	return t, x.corrected, out
}

// readToken returns the token that the library read from a response.
func (c *oauth2Client) readToken(x *tokenTransport, t *oauth2.Token, err error) (*oauth2.Token, actions.Outcome) {
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
	if t.Expiry, err = renewalOf(x.expires, x.response); err != nil {
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
	// corrected says that the server refused an assertion, and that its clock differs.
	corrected bool
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
	x.send(r.Context())
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

// send sends the request, and judges the response. A refused assertion tells the server's time.
func (x *tokenTransport) send(ctx context.Context) {
	c := x.client
	if x.response, x.outcome = c.session.send(ctx, x.request); x.outcome.Status != actions.Done {
		return
	}
	if c.assertion != nil || c.clientAssertion != nil {
		x.corrected = c.session.shared.clocks.correct(c.tokenURL, x.response)
	}
	x.outcome = c.session.Judge.Outcome(x.request, x.response)
}
