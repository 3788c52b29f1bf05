package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"golang.org/x/oauth2"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// login fetches a token by a request that the author wrote.
type login struct {
	session Session
	request *request.Request
	// expires extracts the expiry of the token; nil means that it does not expire.
	expires actions.LateExpr
}

// loginSettings are the arguments of a login: its request, how to extract the token, and how
// to send it.
type loginSettings struct {
	HTTP    map[string]any   `arg:"http"`
	Exec    map[string]any   `arg:"exec"`
	Token   actions.LateExpr `arg:"token"`
	Expires actions.LateExpr `arg:"expires"`
	As      struct {
		Header *string `arg:"header"`
		Prefix *string `arg:"prefix"`
	} `arg:"as"`
}

// newLogin returns credentials with a token that a login returns. The path is that of the
// settings.
func (s *Session) newLogin(at string, m *loginSettings) (credential, error) {
	call := s.call
	a := &tokenCredential{session: s, header: "Authorization", prefix: "Bearer "}
	if m.As.Header != nil {
		a.header, a.prefix = *m.As.Header, ""
	}
	if m.As.Prefix != nil {
		a.prefix = *m.As.Prefix
	}
	if !request.IsToken(a.header) {
		return nil, fmt.Errorf("login.as: %q is not a valid header name", actions.Clip(a.header, 80))
	}
	if m.Exec != nil {
		return a.withHelper(at, m)
	}
	path := at + ".http"
	g, err := request.ArgumentsWithin(call, path, m.HTTP)
	if err != nil {
		return nil, err
	}
	l := &login{session: s.forToken(), expires: m.Expires}
	base := s.base
	if call.SourceOf("auth") != actions.Own {
		base = s.owner.defaultBase // independent of the URL of the step
	}
	if l.session.Judge, err = verdict.NewForLogin(call, path, m.HTTP, base, s.Judge.Follow, m.Token); err != nil {
		return nil, err
	}
	if err := checkLoginAuth(m.HTTP["auth"]); err != nil {
		return nil, fmt.Errorf("login.http.auth: %w", err)
	}
	if l.session.auth, err = l.session.newCredentials(path+".auth", m.HTTP["auth"]); err != nil {
		return nil, fmt.Errorf("login.http.auth: %w", err)
	}
	// The login may run again after this call, so its body must not depend on the call's
	// context.
	if l.request, err = g.NewRequest(context.Background(), call.Env, base, loginHeaderFilter(base)); err != nil {
		return nil, fmt.Errorf("login.http: %w", err)
	}
	l.session.owner = owner{}
	l.session.owner.setAnchor(l.request.Address, base)
	if m.Token == nil {
		return nil, errors.New("login.token is missing; set it to an expression that finds the token in the response, like \"${body.token}\"")
	}
	key, err := l.requestKey()
	if err != nil {
		return nil, fmt.Errorf("login.http: %w", err)
	}
	if a.source, err = s.tokenSource([]any{"login", m.HTTP, key, lateKey(call, at+".token"), lateKey(call, at+".expires")}); err != nil {
		return nil, err
	}
	a.fetch = l.fetchToken
	return a, nil
}

// NotInLogin returns the kinds of credentials that a login request cannot have: they require a
// login themselves, or expressions that are evaluated later.
func NotInLogin() []string { return []string{"login", "oauth2", "sign"} }

// checkLoginAuth checks the credentials of a login request.
func checkLoginAuth(v any) error {
	items, _ := listOf(v)
	for _, item := range items {
		m, _ := item.(map[string]any)
		for _, kind := range NotInLogin() {
			if m[kind] != nil {
				return fmt.Errorf("%s is not allowed within a login", kind)
			}
		}
	}
	return nil
}

// fetchToken sends the request, and extracts the token from the response.
func (l *login) fetchToken(ctx context.Context) (*oauth2.Token, actions.Outcome) {
	j := &l.session.Judge
	unusable := func(resp *verdict.Response, err error) (*oauth2.Token, actions.Outcome) {
		return nil, j.UnusableOutcome(l.request, resp, err)
	}
	resp, out := l.session.Do(ctx, l.request)
	if out.Status != actions.Done {
		return nil, out
	}
	v, err := j.TokenOf(resp.Scope())
	if err != nil {
		return unusable(resp, fmt.Errorf("login.token failed: %w", err))
	}
	value, err := actions.TextOf(v)
	if err != nil || value == "" {
		return unusable(resp, errors.New("login.token did not find a token in the response"))
	}
	j.AddSecret(value)
	expires, err := expiryOf(l.expires, resp.Scope(), resp)
	if err != nil {
		return unusable(resp, err)
	}
	return &oauth2.Token{AccessToken: value, Expiry: expires}, actions.Outcome{Status: actions.Done}
}

// expiryOf returns when to renew the token of a login, by the argument `expires`; without one,
// never. resp is nil if the token came from a command.
func expiryOf(expires actions.LateExpr, known map[string]any, resp *verdict.Response) (time.Time, error) {
	if expires == nil {
		return time.Time{}, nil
	}
	ends, err := expires(known)
	if err != nil {
		return time.Time{}, fmt.Errorf("login.expires failed: %w", err)
	}
	return renewalOf(ends, resp)
}

// requestKey returns what identifies the request in addition to its arguments: URL and content.
func (l *login) requestKey() ([]any, error) {
	r, body := l.request, sha256.New()
	if err := r.Body.CopyTo(body); err != nil {
		return nil, err
	}
	return []any{r.Method, r.FullURL().String(), r.Headers, body.Sum(nil)}, nil
}

// lateKey returns a key for the late expression at the path (see Call.LateKey).
func lateKey(call *actions.Call, path string) string {
	if call.LateKey == nil {
		return fmt.Sprintf("%p", call)
	}
	return call.LateKey(path)
}
