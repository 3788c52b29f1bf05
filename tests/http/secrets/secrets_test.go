// Package secrets puts a canary in every place that takes a secret, over the bare
// protocol and under the real CLI, breaks the API in every way, and looks for the
// canaries wherever somebody could read.
package secrets

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/encodings"
	"github.com/declprov/declprov/tests/internal/hostile"
	"github.com/declprov/declprov/tests/internal/provider"
)

// kinds are the resources of the spec, and the canaries that each sends.
var kinds = map[string][]string{
	"Bearer": {"token"}, "Basic": {"password"}, "ApiKey": {"apiKey"}, "Cookie": {"cookie"}, "Parameter": {"parameter"},
	"OAuth": {"clientSecret", "issued"}, "Login": {"loginSecret", "issued"},
}

// lab is a server, a provider and the secrets between them.
type lab struct {
	*scene
	provider *provider.Process
	heard    *talk
	count    atomic.Int64
	// folders are what the provider is in, its journal and its cache.
	folders []string
}

func newLab(t *testing.T, server *hostile.Server) *lab {
	t.Helper()
	l := &lab{scene: newScene(t, server), heard: &talk{}}
	journal, cache := filepath.Join(t.TempDir(), "journal"), filepath.Join(t.TempDir(), "cache")
	folder := provider.Folder(t, "secretive", "tests/http/secrets/testdata/secrets.cue")
	config := map[string]property.Value{"endpoint": property.New(l.server.URL)}
	for _, name := range settings() {
		config[name] = property.New(l.canaries[name]).WithSecret(true)
	}
	if server.CA != "" {
		config["ca"] = property.New(server.CA)
	}
	l.folders = []string{journal, cache, folder}
	l.provider = watch(t, folder, l.heard, config, "DECLPROV_JOURNAL="+journal, "DECLPROV_CACHE="+cache)
	return l
}

// operation runs one, and looks at what it says and at the state that it leaves.
func (l *lab) operation(what string, before client.State, do func(ctx context.Context) (client.State, error)) client.State {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.Context(), 20*time.Second)
	defer cancel()
	state, err := do(ctx)
	if err != nil {
		l.secret("the error of "+what, err.Error())
		var kept *client.InitFailed
		if !errors.As(err, &kept) {
			return before
		}
		l.secret("the reasons of "+what, strings.Join(kept.Reasons, "\n"))
		state = kept.State
	}
	l.secret("the id after "+what, state.ID)
	l.secret("the inputs after "+what, encodings.InClear(property.New(state.Inputs)))
	l.secret("the outputs after "+what, encodings.InClear(property.New(state.Outputs)))
	return state
}

// peril is what one verb of a lifecycle meets. It is told of each operation before
// that begins.
type peril struct {
	name string
	arm  func(resource, method string)
}

// at is the peril of a fault at the first operation of a method.
func (l *lab) at(method string, fault hostile.Fault) peril {
	var once sync.Once
	return peril{fault.Name + " at " + method, func(resource, now string) {
		if now == method {
			once.Do(func() { l.server.ArmFor(resource, method, fault) })
		}
	}}
}

// lifecycle makes, reads, changes and deletes a resource, in peril.
func (l *lab) lifecycle(kind string, p peril) {
	l.Helper()
	r := client.Resource{Type: "secretive:index:" + kind, Name: fmt.Sprintf("r%d", l.count.Add(1))}
	inputs := func(size float64) property.Map {
		checked, err := l.provider.Check(l.Context(), r, property.Map{}, property.NewMap(map[string]property.Value{
			"name": property.New(r.Name), "size": property.New(size), "pass": property.New(l.canaries["body"]).WithSecret(true),
		}))
		if err != nil || len(checked.Failures) > 0 {
			l.Errorf("%v, %v", checked.Failures, err)
		}
		return checked.Inputs
	}
	var state client.State
	step := func(method, what string, do func(ctx context.Context) (client.State, error)) {
		p.arm(r.Name, method)
		state = l.operation(p.name+" of "+kind+": "+what, state, do)
	}
	for range 2 { // the peril, and what repairs it
		if state.ID == "" {
			step("POST", "create", func(ctx context.Context) (client.State, error) {
				return l.provider.Create(ctx, r, inputs(1), client.Operation{})
			})
		}
		if state.ID == "" {
			continue
		}
		step("GET", "read", func(ctx context.Context) (client.State, error) {
			return l.provider.Read(ctx, r, state, client.Operation{})
		})
		step("PATCH", "update", func(ctx context.Context) (client.State, error) {
			return l.provider.Update(ctx, r, state, inputs(2), client.Operation{})
		})
	}
	if state.ID != "" {
		step("DELETE", "delete", func(ctx context.Context) (client.State, error) {
			return client.State{}, l.provider.Delete(ctx, r, state, client.Operation{})
		})
	}
}

// rest looks everywhere else: in what was logged, in the files that are written,
// in the arguments of all processes.
func (l *lab) rest() {
	l.Helper()
	l.secret("the log", l.heard.String())
	l.files(l.folders...)
	l.arguments()
}

// TestSecretsWhenAllIsWell: every canary arrives, and shows nowhere.
func TestSecretsWhenAllIsWell(t *testing.T) {
	t.Parallel()
	l := newLab(t, hostile.Start(t))
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		l.lifecycle(kind, peril{"nothing", func(string, string) {}})
		l.arrived(append(kinds[kind], "header", "body")...)
	}
	if len(l.server.Objects()) != 0 {
		t.Errorf("left: %v", l.server.Objects())
	}
	l.rest()
}
