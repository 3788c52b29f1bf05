package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// helperTimeout is how long a command may take that sets no timeout.
const helperTimeout = "1m"

// helper gets a token from a command.
type helper struct {
	session *Session
	call    *actions.Call
	// token and expires find the token and its expiry in the output; a nil token is the whole
	// output.
	token, expires actions.LateExpr
}

// withHelper returns credentials with a token that a command prints.
func (a *tokenCredential) withHelper(at string, m *loginSettings) (credential, error) {
	s := a.session
	if m.HTTP != nil {
		return nil, errors.New("login.http and login.exec are both given; remove one of them")
	}
	h := &helper{session: s, token: m.Token, expires: m.Expires}
	var err error
	if h.call, err = helperCall(s.call, at+".exec", m.Exec); err != nil {
		return nil, fmt.Errorf("login.exec: %w", err)
	}
	a.source, err = s.tokenSource([]any{"helper", m.Exec, lateKey(s.call, at+".token"), lateKey(s.call, at+".expires")})
	a.fetch = h.fetchToken
	return a, err
}

// helperCall returns the call of the command, whose arguments are the object at the path in the
// arguments of another call. Nothing that it prints on standard output is shown.
func helperCall(of *actions.Call, path string, object map[string]any) (*actions.Call, error) {
	words, _ := object["command"].([]any)
	if len(words) == 0 {
		return nil, errors.New("command is missing; write the program and its arguments as a list")
	}
	call := &actions.Call{
		Args: maps.Clone(object), Parts: map[string][]spec.Part{}, Env: of.Env, Mask: of.Mask, Secrets: of.Secrets, Unfinished: of.Unfinished,
		Progress: of.Progress, Log: of.Log, Secret: of.Secret, Values: of.Values,
		Hidden: func(argument string) bool { return of.HidesAny(path + "." + argument) },
	}
	delete(call.Args, "command")
	for _, word := range words {
		text, err := actions.TextOf(word)
		if err != nil {
			return nil, fmt.Errorf("command: %w", err)
		}
		// vet has checked that no value becomes an option.
		call.Parts["command"] = append(call.Parts["command"], spec.Part{Text: text, Literal: true})
	}
	call.Args["effect"], call.Args["log"] = "none", "none"
	if call.Args["timeout"] == nil {
		call.Args["timeout"] = helperTimeout
	}
	return call, nil
}

// fetchToken runs the command, and finds the token in its output.
func (h *helper) fetchToken(ctx context.Context) (*oauth2.Token, actions.Outcome) {
	fail := func(err error) (*oauth2.Token, actions.Outcome) { return nil, actions.Refuse(err) }
	if h.session.shared.helper == nil {
		return fail(errors.New("login.exec: running programs is not available here"))
	}
	call := *h.call
	out := h.session.shared.helper(ctx, &call)
	if out.Status != actions.Done {
		out.Err, out.Result = fmt.Errorf("login.exec: %w", out.Err), nil
		return nil, out
	}
	result, _ := out.Result.(map[string]any)
	known := map[string]any{"stdout": result["stdout"], "stderr": result["stderr"], "exitCode": result["exitCode"], "result": result}
	var v any = result["stdout"]
	if h.token != nil {
		var err error
		if v, err = h.token(known); err != nil {
			return fail(fmt.Errorf("login.token failed: %w", err))
		}
	}
	value, err := actions.TextOf(v)
	if value = strings.TrimSpace(value); err != nil || value == "" {
		return fail(errors.New("login.exec printed no token; set login.token to an expression that finds it in the output, such as \"${stdout.token}\" with `stdout: \"json\"`"))
	}
	h.session.Judge.AddSecret(value)
	expires, err := expiryOf(h.expires, known, nil)
	if err != nil {
		return fail(err)
	}
	if !expires.IsZero() && time.Now().After(expires) {
		return fail(errors.New("login.exec printed a token that has expired"))
	}
	return &oauth2.Token{AccessToken: value, Expiry: expires}, actions.Outcome{Status: actions.Done}
}
