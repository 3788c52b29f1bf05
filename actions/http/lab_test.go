package http

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
	"github.com/declprov/declprov/spec"
)

type args = map[string]any

// lab is a server whose answers a test decides, and calls to it.
type lab struct {
	testing.TB
	server *httptest.Server
	kind   *actions.Kind
	env    *actions.Env

	mu      sync.Mutex
	seen    []seen
	secrets []string
	shown   []string
}

// newKind is the kind of an engine of its own, by that clock.
func newKind(now func() time.Time) *actions.Kind {
	k, run := kind(), open(now)
	k.Run = func(ctx context.Context, call *actions.Call) actions.Outcome { return run(ctx, k, call) }
	return k
}

// seen is a request as the server got it.
type seen struct {
	Method, URI, Host, Body string
	Header                  http.Header
}

func newLab(t testing.TB, handler http.HandlerFunc) *lab {
	l := &lab{TB: t, kind: newKind(time.Now)}
	l.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		l.mu.Lock()
		l.seen = append(l.seen, seen{r.Method, r.RequestURI, r.Host, string(body), r.Header.Clone()})
		l.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		handler(w, r)
	}))
	t.Cleanup(l.server.Close)
	l.grant(l.server.URL)
	return l
}

// grant makes these the origins that may be reached, with nothing kept.
func (l *lab) grant(origins ...string) {
	l.Helper()
	l.kind, l.env = newKind(time.Now), &actions.Env{Network: networkTo(l.TB, origins...)}
	files, err := files.New(l.TB.(interface{ TempDir() string }).TempDir(), nil)
	if err != nil {
		l.Fatal(err)
	}
	l.env.Files = files
}

func networkTo(t testing.TB, origins ...string) *network.Network {
	t.Helper()
	var rules []grant.Rule
	for _, o := range origins {
		rules = append(rules, grant.Rule{Access: grant.Connect, Pattern: o})
	}
	n, err := network.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// call makes a call; path is a template like "/pets/${7}", whose expressions
// stand for themselves.
func (l *lab) call(path string, a args) *actions.Call {
	c := &actions.Call{
		LateKey: func(path string) string { return path },
		Source: func(argument string) actions.Source {
			if argument == "baseURL" || argument == "auth" {
				return actions.Inherited
			}
			return actions.Own
		},
		Args: args{}, Parts: map[string][]spec.Part{}, Late: map[string]actions.LateExpr{}, Env: l.env,
		Progress: func(text string) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.shown = append(l.shown, text)
		},
		Secret: func(text string) {
			l.mu.Lock()
			defer l.mu.Unlock()
			l.secrets = append(l.secrets, text)
		},
	}
	for name, v := range a {
		switch v := v.(type) {
		case actions.LateExpr:
			c.Late[name] = v
		case []spec.Part:
			c.Parts[name] = v
		default:
			c.Args[name] = v
		}
	}
	if path != "" {
		c.Parts["path"] = parts(path)
	}
	if _, ok := c.Args["baseURL"]; !ok && l.server != nil {
		c.Args["baseURL"] = l.server.URL
	}
	return c
}

func (l *lab) run(path string, a args) actions.Outcome {
	return l.kind.Run(context.Background(), l.call(path, a))
}

// requests are those that the server got, which it then forgets.
func (l *lab) requests() []seen {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.seen
	l.seen = nil
	return out
}

// parts splits a template: what is in ${…} is a value.
func parts(template string) []spec.Part {
	var out []spec.Part
	for template != "" {
		before, rest, ok := strings.Cut(template, "${")
		if before != "" {
			out = append(out, spec.Part{Text: before, Literal: true})
		}
		if !ok {
			break
		}
		value, after, _ := strings.Cut(rest, "}")
		out = append(out, spec.Part{Text: value})
		template = after
	}
	return out
}

// member is a late expression that finds a member: "body.next".
func at(path string) actions.LateExpr {
	return func(extra map[string]any) (any, error) {
		var v any = extra
		for _, name := range strings.Split(path, ".") {
			m, _ := v.(map[string]any)
			v = m[name]
		}
		return v, nil
	}
}

// done is the result of an outcome that must be one.
func (l *lab) done(out actions.Outcome) map[string]any {
	l.Helper()
	if out.Status != actions.Done {
		l.Fatalf("status %d: %v", out.Status, out.Err)
	}
	return out.Result.(map[string]any)
}

// expect compares an outcome with a status, a class and a part of the error.
func (l *lab) expect(out actions.Outcome, status actions.Status, class, message string) {
	l.Helper()
	if out.Status != status || out.Class != class {
		l.Errorf("status %d, class %q, want %d, %q (%v)", out.Status, out.Class, status, class, out.Err)
	}
	if (out.Err == nil) != (status == actions.Done) || out.Err != nil && !strings.Contains(out.Err.Error(), message) {
		l.Errorf("error %v, want one with %q", out.Err, message)
	}
}

func answerJSON(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}
