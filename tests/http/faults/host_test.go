// Package faults tests every fault of an API at every verb, over the bare protocol and with
// the real CLI. It checks the state of the host and the objects on the server.
package faults

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/hostile"
	"github.com/declprov/declprov/tests/internal/provider"
)

// TestMain keeps the journals of all providers in a temporary folder.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "journal-")
	if err == nil {
		err = os.Setenv("DECLPROV_JOURNAL", dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil { // the tests mostly wait
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

// host does for one resource what Pulumi does: it keeps the state, and starts a new provider
// for each `up`.
type host struct {
	t        *testing.T
	server   *hostile.Server
	folder   string
	resource client.Resource
	state    client.State // without an id if the resource does not exist
	failed   bool         // the state is that of a failed operation
	last     error
}

func newHost(t *testing.T, server *hostile.Server, resource client.Resource) *host {
	return &host{t: t, server: server, folder: provider.Folder(t, "hostile", "tests/http/faults/testdata/hostile.cue"), resource: resource}
}

// maxOperation is the maximum time of an operation. It covers a few delays of one or two
// seconds that a server requests, but not a connection that a server keeps open.
const maxOperation = 30 * time.Second

// run starts a provider and runs an operation. The outcome is "ok", "error", or "kept" if the
// error came with a state.
func (h *host) run(do func(p *provider.Process) (client.State, error)) string {
	h.t.Helper()
	config := map[string]property.Value{"endpoint": property.New(h.server.URL)}
	if h.server.CA != "" {
		config["ca"] = property.New(h.server.CA)
	}
	p := provider.Configured(h.t, h.folder, "hostile", h.t.TempDir(), config)
	defer p.Stop()
	began := time.Now()
	state, err := do(p)
	if took := time.Since(began); took > maxOperation {
		h.t.Errorf("it took %s", took)
	}
	h.last = err
	var kept *client.InitFailed
	switch {
	case errors.As(err, &kept):
		h.state, h.failed = kept.State, true
		return "kept"
	case err != nil:
		return "error"
	default:
		h.state, h.failed = state, false
		return "ok"
	}
}

// up creates the resource, or updates it if Diff finds a difference, as `pulumi up` does.
func (h *host) up(size float64) string {
	h.t.Helper()
	return h.run(func(p *provider.Process) (client.State, error) {
		news := property.NewMap(map[string]property.Value{"name": property.New(h.resource.Name), "size": property.New(size)})
		checked, err := p.Check(h.t.Context(), h.resource, h.state.Inputs, news)
		if err != nil || len(checked.Failures) > 0 {
			h.t.Fatalf("check: %v, %v", checked.Failures, err)
		}
		if h.state.ID == "" {
			return p.Create(h.t.Context(), h.resource, checked.Inputs, client.Operation{})
		}
		diff, err := p.Diff(h.t.Context(), h.resource, h.state, checked.Inputs)
		switch {
		case err != nil:
			return client.State{}, err
		case diff.Replace():
			return client.State{}, fmt.Errorf("the diff requires a replacement: %+v", diff)
		case diff.Changed || h.failed:
			return p.Update(h.t.Context(), h.resource, h.state, checked.Inputs, client.Operation{})
		default:
			return h.state, nil
		}
	})
}

// refresh reads the resource, as `pulumi refresh` does.
func (h *host) refresh() string {
	h.t.Helper()
	return h.run(func(p *provider.Process) (client.State, error) {
		state, err := p.Read(h.t.Context(), h.resource, h.state, client.Operation{})
		if err == nil && state.ID == "" {
			h.t.Error("the read says that the resource is gone")
		}
		return state, err
	})
}

// destroy deletes the resource if the host has it.
func (h *host) destroy() string {
	h.t.Helper()
	if h.state.ID == "" {
		return "ok"
	}
	return h.run(func(p *provider.Process) (client.State, error) {
		return client.State{}, p.Delete(h.t.Context(), h.resource, h.state, client.Operation{})
	})
}
