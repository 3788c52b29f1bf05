package session

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/oauth2"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// login is a request of the author's that gets a token.
type login struct {
	session Session
	request *request.Request
	// expires finds when the token ends; nil is never.
	expires actions.LateExpr
}

// loginSettings says how a request gets a token, and how that is sent.
type loginSettings struct {
	HTTP    map[string]any   `arg:"http"`
	Token   actions.LateExpr `arg:"token"`
	Expires actions.LateExpr `arg:"expires"`
	As      struct {
		Header *string `arg:"header"`
		Prefix *string `arg:"prefix"`
	} `arg:"as"`
}

// login gets tokens by a request of the author's.
func (s *Session) login(m *loginSettings) (*authenticator, error) {
	call := s.call
	a := &authenticator{header: "Authorization", prefix: "Bearer "}
	if m.As.Header != nil {
		a.header, a.prefix = *m.As.Header, ""
	}
	if m.As.Prefix != nil {
		a.prefix = *m.As.Prefix
	}
	if !request.IsToken(a.header) {
		return nil, fmt.Errorf("login.as: %q is not a valid name of a header", actions.Clip(a.header, 80))
	}
	const path = "auth.login.http"
	g, err := request.ArgumentsWithin(call, path, m.HTTP)
	if err != nil {
		return nil, err
	}
	l := &login{session: *s, expires: m.Expires}
	base := s.base
	if call.SourceOf("auth") != actions.Own {
		base = s.owner.home // wherever the step itself goes
	}
	l.session.auth = nil
	if l.session.Judge, err = verdict.ForLogin(call, path, m.HTTP, base, s.Judge.Follow, m.Token); err != nil {
		return nil, err
	}
	if inner, ok := m.HTTP["auth"].(map[string]any); ok {
		if inner["login"] != nil || inner["oauth2"] != nil {
			return nil, errors.New("login.http.auth: a login cannot need another")
		}
		if l.session.auth, err = l.session.authentication(path+".auth", inner); err != nil {
			return nil, fmt.Errorf("login.http.auth: %w", err)
		}
	}
	// Its token outlives the call that first needs it, and so may its body.
	if l.request, err = g.Request(context.Background(), call.Env, base, carriesLogin(base)); err != nil {
		return nil, fmt.Errorf("login.http: %w", err)
	}
	l.session.owner = owner{}
	l.session.owner.anchored(l.request.At, base)
	if m.Token == nil {
		return nil, errors.New("login: token is missing: say where in the answer it is, as in \"${body.token}\"")
	}
	asked, err := l.whole()
	if err != nil {
		return nil, fmt.Errorf("login.http: %w", err)
	}
	if a.source, err = s.sourceOf([]any{"login", m.HTTP, asked, lateKey(call, "auth.login.token"), lateKey(call, "auth.login.expires")}); err != nil {
		return nil, err
	}
	a.fetch = l.token
	return a, nil
}

// token sends the request, and finds the token in the answer.
func (l *login) token(ctx context.Context) (*oauth2.Token, actions.Outcome) {
	j := &l.session.Judge
	unusable := func(a *verdict.Answer, err error) (*oauth2.Token, actions.Outcome) {
		return nil, j.Failed(l.request, a, err)
	}
	a, out := l.session.Ask(ctx, l.request)
	if out.Status != actions.Done {
		return nil, out
	}
	v, err := j.TokenOf(a.Known())
	if err != nil {
		return unusable(a, fmt.Errorf("login.token fails: %w", err))
	}
	value, err := actions.TextOf(v)
	if err != nil || value == "" {
		return unusable(a, errors.New("login.token finds none in it"))
	}
	j.Secret(value)
	var ends any
	if l.expires != nil {
		if ends, err = l.expires(a.Known()); err != nil {
			return unusable(a, fmt.Errorf("login.expires fails: %w", err))
		}
	}
	expires, err := expiry(ends, time.Now())
	if err != nil {
		return unusable(a, err)
	}
	return &oauth2.Token{AccessToken: value, Expiry: expires}, actions.Outcome{Status: actions.Done}
}

// whole is all of the request: where it goes, what it carries, and its credentials.
func (l *login) whole() ([]any, error) {
	r := l.request
	body := sha256.New()
	if r.Body != nil {
		from, err := r.Body.Open()
		if err != nil {
			return nil, err
		}
		_, err = io.Copy(body, from)
		if err = errors.Join(err, from.Close()); err != nil {
			return nil, err
		}
	}
	all := []any{r.Method, r.Complete(nil).String(), r.Headers, body.Sum(nil)}
	if l.session.auth != nil {
		sign := l.session.auth.fixed
		all = append(all, sign.header.Name, sign.header.Value, request.EncodePairs(sign.query))
	}
	return all, nil
}

// lateKey tells apart what late expressions find in a response.
func lateKey(call *actions.Call, path string) string {
	if call.LateKey == nil {
		return fmt.Sprintf("%p", call)
	}
	return call.LateKey(path)
}
