package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// oauth2Client fetches tokens by one of the grants of OAuth 2.
type oauth2Client struct {
	oauth2Settings
	session  Session
	source   *tokenSource
	tokenURL *url.URL
	// form has the parameters of a token request that are always the same.
	form url.Values
	// assertion and clientAssertion sign JWTs, or are nil.
	assertion, clientAssertion *tokenSigner
}

// oauth2Settings are the arguments of OAuth 2.
type oauth2Settings struct {
	TokenURL        string             `arg:"tokenURL"`
	Grant           string             `arg:"grant"`
	ClientID        string             `arg:"clientID"`
	ClientSecret    string             `arg:"clientSecret"`
	ClientAssertion *assertionSettings `arg:"clientAssertion"`
	Scopes          []string           `arg:"scopes"`
	Audience        string             `arg:"audience"`
	Params          map[string]any     `arg:"params"`

	Username         string             `arg:"username"`
	Password         string             `arg:"password"`
	RefreshToken     string             `arg:"refreshToken"`
	Assertion        *assertionSettings `arg:"assertion"`
	SubjectToken     string             `arg:"subjectToken"`
	SubjectTokenType string             `arg:"subjectTokenType"`
}

// assertionSettings are the arguments of an assertion.
type assertionSettings struct {
	JWT *jwtSettings `arg:"jwt"`
}

const (
	jwtBearer       = "urn:ietf:params:oauth:grant-type:jwt-bearer"            // RFC 7523, 2.1
	tokenExchange   = "urn:ietf:params:oauth:grant-type:token-exchange"        // RFC 8693, 2.1
	clientJWT       = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" // RFC 7523, 2.2
	accessTokenType = "urn:ietf:params:oauth:token-type:access_token"          // RFC 8693, 3
)

// Grant is a grant of OAuth 2: what a spec gives it, and what it sends.
type Grant struct {
	Name string
	// Requires and Accepts are the members of `oauth2` that only some grants have.
	Requires, Accepts []string
	// Sends are the parameters of its token request.
	Sends []string
	// grantType is the parameter grant_type.
	grantType string
}

// Grants returns the grants. The first is the default.
func Grants() []Grant {
	return []Grant{
		{Name: "client_credentials", Requires: []string{"clientID"}, grantType: "client_credentials"},
		{Name: "password", Requires: []string{"username", "password"}, Sends: []string{"username", "password"}, grantType: "password"},
		{Name: "refresh_token", Requires: []string{"refreshToken"}, Sends: []string{"refresh_token"}, grantType: "refresh_token"},
		{Name: "jwt-bearer", Requires: []string{"assertion"}, Sends: []string{"assertion"}, grantType: jwtBearer},
		{
			Name: "token-exchange", Requires: []string{"subjectToken"}, Accepts: []string{"subjectTokenType"},
			Sends: []string{"subject_token", "subject_token_type"}, grantType: tokenExchange,
		},
	}
}

// GrantNamed returns the grant with that name; "" is the default.
func GrantNamed(name string) (Grant, bool) {
	all := Grants()
	i := slices.IndexFunc(all, func(g Grant) bool { return g.Name == name })
	if name == "" {
		i = 0
	}
	if i < 0 {
		return Grant{}, false
	}
	return all[i], true
}

// forToken returns a session for the requests of credentials. It has none itself, and does not wait:
// the request that needs the token has the turn.
func (s *Session) forToken() Session {
	inner := *s
	inner.auth, inner.throttle = nil, throttle{}
	return inner
}

// newOAuth2 returns credentials with a token of OAuth 2.
func (s *Session) newOAuth2(m *oauth2Settings) (credential, error) {
	c := &oauth2Client{oauth2Settings: *m, session: s.forToken(), form: url.Values{}}
	var err error
	if c.tokenURL, err = request.ParseURL(m.TokenURL); err != nil {
		return nil, fmt.Errorf("oauth2.tokenURL: %w", err)
	}
	c.session.maxBytes = 1 << 20
	c.session.Judge = verdict.NewForToken(s.call, s.base)
	for _, secret := range []string{m.ClientSecret, m.Password, m.RefreshToken, m.SubjectToken} {
		c.session.Judge.AddSecret(secret)
	}
	if err := c.readAssertions(); err != nil {
		return nil, err
	}
	if err := c.setForm(); err != nil {
		return nil, err
	}
	if c.source, err = s.tokenSource([]any{"oauth2", m}); err != nil {
		return nil, err
	}
	return &tokenCredential{session: s, source: c.source, header: "Authorization", prefix: "Bearer ", fetch: c.fetchToken}, nil
}

// readAssertions reads the keys that sign assertions.
func (c *oauth2Client) readAssertions() (err error) {
	if m := c.Assertion; m != nil && m.JWT != nil {
		if c.assertion, err = c.session.newTokenSigner("oauth2.assertion.jwt", m.JWT); err != nil {
			return err
		}
	}
	if m := c.ClientAssertion; m != nil && m.JWT != nil {
		c.clientAssertion, err = c.session.newTokenSigner("oauth2.clientAssertion.jwt", m.JWT)
	}
	return err
}

// setForm sets the parameters that are the same in all token requests.
func (c *oauth2Client) setForm() error {
	grant, ok := GrantNamed(c.Grant)
	if !ok {
		return fmt.Errorf("oauth2.grant: unknown grant %q", actions.Clip(c.Grant, 40))
	}
	c.form.Set("grant_type", grant.grantType)
	switch grant.Name {
	case "password":
		c.form.Set("username", c.Username)
		c.form.Set("password", c.Password)
	case "jwt-bearer":
		if c.assertion == nil {
			return errors.New("oauth2.assertion is missing; the grant jwt-bearer requires it")
		}
	case "refresh_token":
		if c.RefreshToken == "" {
			return fmt.Errorf("oauth2.refreshToken: %w", errNoCredentials)
		}
	case "token-exchange":
		c.form.Set("subject_token", c.SubjectToken)
		c.form.Set("subject_token_type", cmp.Or(c.SubjectTokenType, accessTokenType))
	}
	if len(c.Scopes) > 0 {
		c.form.Set("scope", strings.Join(c.Scopes, " "))
	}
	if c.Audience != "" {
		c.form.Set("audience", c.Audience)
	}
	pairs, err := request.Parameters("oauth2.params", c.Params, request.Repeat)
	if err != nil {
		return err
	}
	for _, p := range pairs {
		if c.form.Has(p.Name) || slices.Contains(grant.Sends, p.Name) || slices.Contains(ClientParameters(), p.Name) {
			return fmt.Errorf("oauth2.params: the grant itself sends %q; remove it", p.Name)
		}
		c.form.Add(p.Name, p.Value)
	}
	return nil
}

// ClientParameters returns the parameters by which a client authenticates itself.
func ClientParameters() []string {
	return []string{"grant_type", "client_id", "client_secret", "client_assertion", "client_assertion_type"}
}

// fetchToken fetches a token with the refresh token of the last response, if there is one, else
// by the grant. A refresh token that the server replaces is kept as long as the engine runs.
func (c *oauth2Client) fetchToken(ctx context.Context) (*oauth2.Token, actions.Outcome) {
	kept := c.source.current.RefreshToken
	if kept != "" {
		t, out := c.requestToken(ctx, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {kept}})
		if out.Status == actions.Done || out.Again {
			return t, out
		}
		c.source.current.RefreshToken = "" // the server no longer accepts it
	}
	form := c.form
	if c.Grant == "refresh_token" {
		form = maps.Clone(form)
		form.Set("refresh_token", c.RefreshToken)
	}
	t, out := c.requestToken(ctx, form)
	if c.Grant != "refresh_token" {
		return t, out
	}
	switch {
	case out.Status == actions.Done && t.RefreshToken != c.RefreshToken && c.session.call.Log != nil:
		c.session.call.Log("The server replaced the refresh token. The new one is kept until this run ends; if the server accepts each refresh token only once, the next run needs a new one.", false)
	case out.Class == "400" || out.Class == "401":
		out.Err = fmt.Errorf("%w; the refresh token may have expired, or an earlier run has used it and the server replaced it: get a new one", out.Err)
	}
	return t, out
}
