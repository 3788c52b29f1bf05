// Package complaints has a test for each complaint that people have about other
// generic providers and that is about HTTP, under the number that it has in the
// project's list of them. Each says which mechanism answers it: without that it
// fails, which `make mutants` sees to (tests/mutants/table).
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

// call is a request that the server got.
type call struct {
	Method, Path, Query, Body string
	Header                    http.Header
	At                        time.Time
}

// lab is a server that answers as a test says, and a provider of a spec for it.
type lab struct {
	*testing.T
	*provider.Process
	folder string
	url    string

	mu    sync.Mutex
	calls []call
}

// answer is what the server says to a request.
type answer func(w http.ResponseWriter, c call)

// newLab serves a spec of which text is all but its head.
func newLab(t *testing.T, text string, answer answer) *lab {
	t.Helper()
	l := &lab{T: t}
	t.Setenv("DECLPROV_JOURNAL", t.TempDir())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c := call{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(body), r.Header.Clone(), time.Now()}
		l.mu.Lock()
		l.calls = append(l.calls, c)
		l.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		answer(w, c)
	}))
	t.Cleanup(server.Close)
	l.url = server.URL
	l.folder = provider.FolderWith(t, "api", ".cue", fmt.Sprintf(head, server.URL)+text)
	l.again(nil)
	return l
}

const head = `package api

name:    "api"
version: "0.1.0"
config: {
	// Where the server is.
	endpoint: *%q | string
	// A token.
	token: *"no token" | string @secret()
}
http: baseURL: "${config.endpoint}"
`

// again starts another provider, as the next command of Pulumi's does.
func (l *lab) again(config map[string]property.Value) {
	l.Helper()
	if l.Process != nil {
		l.Stop()
	}
	l.Process = provider.Configured(l, l.folder, "api", l.TempDir(), config)
}

// requests are those since the last time.
func (l *lab) requests() []call {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.calls
	l.calls = nil
	return out
}

// lines are requests in short: "GET /things/1".
func lines(calls []call) []string {
	var out []string
	for _, c := range calls {
		out = append(out, c.Method+" "+c.Path)
	}
	return out
}

func say(w http.ResponseWriter, status int, body string) {
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body) // whoever asked may have gone
}

// values are inputs.
type values = map[string]property.Value

func text(s string) property.Value { return property.New(s) }

var thing = client.Resource{Type: "api:index:Thing", Name: "a"}

// checked are a Thing's inputs as the provider wants them.
func (l *lab) checked(news values) property.Map {
	l.Helper()
	c, err := l.Check(l.Context(), thing, property.Map{}, property.NewMap(news))
	if err != nil || len(c.Failures) > 0 {
		l.Fatalf("check: %v, %v", c.Failures, err)
	}
	return c.Inputs
}

func (l *lab) create(news values) client.State {
	l.Helper()
	s, err := l.Create(l.Context(), thing, l.checked(news), client.Operation{})
	if err != nil {
		l.Fatal(err)
	}
	return s
}

func (l *lab) refresh(s client.State) client.State {
	l.Helper()
	s, err := l.Read(l.Context(), thing, s, client.Operation{})
	if err != nil {
		l.Fatal(err)
	}
	return s
}

// unchanged fails the test where the next `up` has something to do.
func (l *lab) unchanged(s client.State, news values) {
	l.Helper()
	if d := l.diff(s, news); d.Changed {
		l.Errorf("the next run would change %+v", d.Details)
	}
}

func (l *lab) diff(s client.State, news values) client.Diff {
	l.Helper()
	d, err := l.Diff(l.Context(), thing, s, l.checked(news))
	if err != nil {
		l.Fatal(err)
	}
	return d
}

// kept is the state that came with an error.
func (l *lab) kept(err error) client.State {
	l.Helper()
	var failed *client.InitFailed
	if !errors.As(err, &failed) {
		l.Fatalf("no state came with %v", err)
	}
	return failed.State
}

func output(s client.State, name string) property.Value {
	v, _ := s.Outputs.GetOk(name)
	return v
}
