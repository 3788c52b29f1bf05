package http

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/declprov/declprov/actions"
)

// login is a request of the author's that gets a token.
type login struct {
	session session
	request *request
	// expires finds when the token ends; nil is never.
	expires actions.LateExpr
}

// login gets tokens by a request of the author's.
func (s *session) login(m map[string]any) (*authenticator, error) {
	call := s.judge.call
	asks, _ := m["http"].(map[string]any)
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
	g := given{args: asks, parts: call.Parts, late: call.Late, prefix: prefix}
	l := &login{session: *s, expires: call.Late["auth.login.expires"]}
	l.session.auth = nil
	j := &l.session.judge
	*j = judge{call: call, given: g, base: s.judge.base, follow: s.judge.follow, response: g.string("response"), tokenOf: call.Late["auth.login.token"]}
	j.values = j.newBudget()
	if call.SourceOf("auth") != actions.Own {
		j.base = s.owner.home // wherever the step itself goes
	}
	if inner, ok := asks["auth"].(map[string]any); ok {
		if inner["login"] != nil || inner["oauth2"] != nil {
			return nil, errors.New("login.http.auth: a login cannot need another")
		}
		var err error
		if l.session.auth, err = l.session.authentication(inner); err != nil {
			return nil, fmt.Errorf("login.http.auth: %w", err)
		}
	}
	// Its token outlives the call that first needs it, and so may its body.
	var err error
	if l.request, err = g.request(context.Background(), call.Env, j.base, carriesLogin(j.base)); err != nil {
		return nil, fmt.Errorf("login.http: %w", err)
	}
	l.session.owner = owner{}
	l.session.owner.anchored(l.request.at, j.base)
	if j.tokenOf == nil {
		return nil, errors.New("login: token is missing: say where in the answer it is, as in \"${body.token}\"")
	}
	asked, err := l.whole()
	if err != nil {
		return nil, fmt.Errorf("login.http: %w", err)
	}
	if a.source, err = sourceOf(call, []any{"login", asks, asked, lateKey(call, "auth.login.token"), lateKey(call, "auth.login.expires")}); err != nil {
		return nil, err
	}
	a.fetch = l.token
	return a, nil
}

// token sends the request, and finds the token in the answer.
func (l *login) token(ctx context.Context) (token, actions.Outcome) {
	j := &l.session.judge
	unusable := func(a *answer, err error) (token, actions.Outcome) { return token{}, j.failed(l.request, a, err) }
	a, out := l.session.ask(ctx, l.request)
	if out.Status != actions.Done {
		return token{}, out
	}
	v, err := j.tokenOf(a.known())
	if err != nil {
		return unusable(a, fmt.Errorf("login.token fails: %w", err))
	}
	value, err := actions.TextOf(v)
	if err != nil || value == "" {
		return unusable(a, errors.New("login.token finds none in it"))
	}
	j.secret(value)
	var ends any
	if l.expires != nil {
		if ends, err = l.expires(a.known()); err != nil {
			return unusable(a, fmt.Errorf("login.expires fails: %w", err))
		}
	}
	expires, err := expiry(ends, time.Now())
	if err != nil {
		return unusable(a, err)
	}
	return token{value, expires}, actions.Outcome{Status: actions.Done}
}

// whole is all of the request: where it goes, what it carries, and its credentials.
func (l *login) whole() ([]any, error) {
	r := l.request
	body := sha256.New()
	if r.body != nil {
		from, err := r.body.open()
		if err != nil {
			return nil, err
		}
		_, err = io.Copy(body, from)
		if err = errors.Join(err, from.Close()); err != nil {
			return nil, err
		}
	}
	all := []any{r.method, r.complete(nil).String(), r.headers, body.Sum(nil)}
	if l.session.auth != nil {
		sign := l.session.auth.fixed
		all = append(all, sign.header.name, sign.header.value, encodePairs(sign.query))
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
