package http

import (
	"context"
	"fmt"
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

// testServer is a server with a handler of the test, and makes calls to it.
type testServer struct {
	testing.TB
	server *httptest.Server
	kind   *actions.Kind
	env    *actions.Env

	mu       sync.Mutex
	received []receivedRequest
	secrets  []string
	shown    []string
}

// newKind returns the kind of a new engine with this clock.
func newKind(now func() time.Time) *actions.Kind {
	k, run := kind(defaults()), newRunner(now, runHelper)
	k.Run = func(ctx context.Context, call *actions.Call) actions.Outcome { return run(ctx, k, call) }
	return k
}

// receivedRequest is a request that the server received.
type receivedRequest struct {
	Method, URI, Host, Body string
	Header                  http.Header
}

func newTestServer(t testing.TB, handler http.HandlerFunc) *testServer {
	ts := &testServer{TB: t, kind: newKind(time.Now)}
	ts.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		ts.mu.Lock()
		ts.received = append(ts.received, receivedRequest{r.Method, r.RequestURI, r.Host, string(body), r.Header.Clone()})
		ts.mu.Unlock()
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		handler(w, r)
	}))
	t.Cleanup(ts.server.Close)
	ts.setOrigins(ts.server.URL)
	return ts
}

// setOrigins makes these the permitted origins, and drops connections and tokens.
func (ts *testServer) setOrigins(origins ...string) {
	ts.Helper()
	ts.kind, ts.env = newKind(time.Now), &actions.Env{Network: networkTo(ts.TB, origins...)}
	files, err := files.New(ts.TB.(interface{ TempDir() string }).TempDir(), nil)
	if err != nil {
		ts.Fatal(err)
	}
	ts.env.Files = files
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

// call returns a call. path is a template like "/pets/${7}", in which an expression is its
// own value.
func (ts *testServer) call(path string, a args) *actions.Call {
	c := &actions.Call{
		LateKey: func(path string) string { return path },
		Source: func(argument string) actions.Source {
			if argument == "baseURL" || argument == "auth" {
				return actions.Inherited
			}
			return actions.Own
		},
		Args: args{}, Parts: map[string][]spec.Part{}, Late: map[string]actions.LateExpr{}, Env: ts.env,
		Progress: func(text string) {
			ts.mu.Lock()
			defer ts.mu.Unlock()
			ts.shown = append(ts.shown, text)
		},
		Secret: func(text string) {
			ts.mu.Lock()
			defer ts.mu.Unlock()
			ts.secrets = append(ts.secrets, text)
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
	if _, ok := c.Args["baseURL"]; !ok && ts.server != nil {
		c.Args["baseURL"] = ts.server.URL
	}
	return c
}

func (ts *testServer) run(path string, a args) actions.Outcome {
	return ts.kind.Run(context.Background(), ts.call(path, a))
}

// requests returns the requests that the server received since the last call.
func (ts *testServer) requests() []receivedRequest {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	out := ts.received
	ts.received = nil
	return out
}

// parts splits a template. The text in ${…} is a value.
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

// lateMember returns a late expression that finds a member, like "body.next".
func lateMember(path string) actions.LateExpr {
	return func(extra map[string]any) (any, error) {
		var v any = extra
		for _, name := range strings.Split(path, ".") {
			m, _ := v.(map[string]any)
			v = m[name]
		}
		return v, nil
	}
}

// late returns a late expression with this value.
func late(v any) actions.LateExpr {
	return func(map[string]any) (any, error) { return v, nil }
}

// done returns the result of a successful outcome.
func (ts *testServer) done(out actions.Outcome) map[string]any {
	ts.Helper()
	if out.Status != actions.Done {
		ts.Fatalf("status %d: %v", out.Status, out.Err)
	}
	return out.Result.(map[string]any)
}

// expect compares an outcome with a status, a class and a part of the error.
func (ts *testServer) expect(out actions.Outcome, status actions.Status, class, message string) {
	ts.Helper()
	if out.Status != status || out.Class != class {
		ts.Errorf("status %d, class %q, want %d, %q (%v)", out.Status, out.Class, status, class, out.Err)
	}
	if (out.Err == nil) != (status == actions.Done) || out.Err != nil && !strings.Contains(out.Err.Error(), message) {
		ts.Errorf("expected an error with %q, got %v", message, out.Err)
	}
}

func respondJSON(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// runHelper stands for the action that runs commands: the program `echo` prints its arguments, and
// others fail.
func runHelper(_ context.Context, call *actions.Call) actions.Outcome {
	var words []string
	for _, word := range call.Parts["command"] {
		words = append(words, word.Text)
	}
	if words[0] != "echo" {
		return actions.Refuse(fmt.Errorf("%s ended with exit code 1: %v", words[0], call.Args["stdin"]))
	}
	return actions.Succeed(args{"stdout": strings.Join(words[1:], " "), "stderr": "", "exitCode": int64(0)})
}
