// Package complaints has a test for each common complaint about other generic providers that
// concerns HTTP, under its number in the project's list. Each test names the mechanism that
// solves the complaint. Without the mechanism the test fails, which `make mutants` checks
// (tests/mutants/table).
package complaints

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
)

// call is a request that the server received.
type call struct {
	Method, Path, Query, Body string
	Header                    http.Header
	At                        time.Time
}

// fixture is a server with a handler of the test, and a provider with a spec for it.
type fixture struct {
	*testing.T
	*provider.Process
	folder string
	url    string

	mu    sync.Mutex
	calls []call
}

// handler responds to a request.
type handler func(w http.ResponseWriter, c call)

// newFixture serves a spec with this text after a common head.
func newFixture(t *testing.T, text string, handle handler) *fixture {
	t.Helper()
	f := &fixture{T: t}
	t.Setenv("DECLPROV_JOURNAL", t.TempDir())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c := call{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header.Clone(), time.Now()}
		f.mu.Lock()
		f.calls = append(f.calls, c)
		f.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		handle(w, c)
	}))
	t.Cleanup(server.Close)
	f.url = server.URL
	f.folder = provider.FolderWith(t, "api", ".cue", fmt.Sprintf(head, server.URL)+text)
	f.restart(nil)
	return f
}

const head = `package api

name:    "api"
version: "0.1.0"
config: {
	// URL of the server.
	endpoint: *%q | string
	// Token for the server.
	token: *"no token" | string @secret()
}
http: baseURL: "${config.endpoint}"
`

// restart starts another provider process, as the next command of Pulumi does.
func (f *fixture) restart(config map[string]property.Value) {
	f.Helper()
	if f.Process != nil {
		f.Stop()
	}
	f.Process = provider.Configured(f, f.folder, "api", f.TempDir(), config)
}

// requests returns the requests since the last call.
func (f *fixture) requests() []call {
	f.mu.Lock()
	defer f.mu.Unlock()
	out := f.calls
	f.calls = nil
	return out
}

// requestLines returns requests in short: "GET /things/1".
func requestLines(calls []call) []string {
	var out []string
	for _, c := range calls {
		out = append(out, c.Method+" "+c.Path)
	}
	return out
}

func respond(w http.ResponseWriter, status int, body string) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // the client may have gone
}

// values are inputs.
type values = map[string]property.Value

func text(s string) property.Value { return property.New(s) }

var thing = client.Resource{Type: "api:index:Thing", Name: "a"}

// check returns the inputs of a Thing as Check returns them.
func (f *fixture) check(news values) property.Map {
	f.Helper()
	c, err := f.Check(f.Context(), thing, property.Map{}, property.NewMap(news))
	if err != nil || len(c.Failures) > 0 {
		f.Fatalf("check: %v, %v", c.Failures, err)
	}
	return c.Inputs
}

func (f *fixture) create(news values) client.State {
	f.Helper()
	s, err := f.Create(f.Context(), thing, f.check(news), client.Operation{})
	if err != nil {
		f.Fatal(err)
	}
	return s
}

func (f *fixture) refresh(s client.State) client.State {
	f.Helper()
	s, err := f.Read(f.Context(), thing, s, client.Operation{})
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// unchanged fails the test if the next `up` would change something.
func (f *fixture) unchanged(s client.State, news values) {
	f.Helper()
	if d := f.diff(s, news); d.Changed {
		f.Errorf("the next run would change %+v", d.Details)
	}
}

func (f *fixture) diff(s client.State, news values) client.Diff {
	f.Helper()
	d, err := f.Diff(f.Context(), thing, s, f.check(news))
	if err != nil {
		f.Fatal(err)
	}
	return d
}

// stateFrom returns the state in an error.
func (f *fixture) stateFrom(err error) client.State {
	f.Helper()
	var failed *client.InitFailed
	if !errors.As(err, &failed) {
		f.Fatalf("the error has no state: %v", err)
	}
	return failed.State
}

func output(s client.State, name string) property.Value {
	v, _ := s.Outputs.GetOk(name)
	return v
}
