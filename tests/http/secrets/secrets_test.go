// Package secrets puts a canary into every place for a secret, over the bare protocol and
// with the real CLI, with every fault of the API, and searches for the canaries wherever
// somebody could read them.
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
	"Digest": {}, "SigV4": {"sessionToken"}, "Sign": {"signToken"}, "Several": {"token", "apiKey"}, "Signed": {},
	"User": {"userPassword", "issued"}, "Refresh": {"refreshToken", "issued"}, "Exchange": {"subjectToken", "issued"},
	"Bearer7523": {"issued"}, "Client": {"issued"},
}

// fixture is a server, a provider and their secrets.
type fixture struct {
	*canaryServer
	provider *provider.Process
	heard    *transcript
	count    atomic.Int64
	// folders are the folders of the provider, its journal and its cache.
	folders []string
}

func newFixture(t *testing.T, server *hostile.Server) *fixture {
	t.Helper()
	l := &fixture{canaryServer: newCanaryServer(t, server), heard: &transcript{}}
	journal, cache := filepath.Join(t.TempDir(), "journal"), filepath.Join(t.TempDir(), "cache")
	folder := provider.Folder(t, "secretive", "tests/http/secrets/testdata/secrets.cue")
	config := map[string]property.Value{
		"endpoint": property.New(l.server.URL), "clientCert": property.New(certificateOf(l.canaries["clientKey"])),
	}
	for _, name := range settings() {
		config[name] = property.New(l.canaries[name]).WithSecret(true)
	}
	if server.CA != "" {
		config["ca"] = property.New(server.CA)
	}
	l.folders = []string{journal, cache, folder}
	l.provider = startWatched(t, folder, l.heard, config, "DECLPROV_JOURNAL="+journal, "DECLPROV_CACHE="+cache)
	return l
}

// operation runs an operation, and searches its error and its state.
func (l *fixture) operation(what string, before client.State, do func(ctx context.Context) (client.State, error)) client.State {
	l.Helper()
	ctx, cancel := context.WithTimeout(l.Context(), 20*time.Second)
	defer cancel()
	state, err := do(ctx)
	if err != nil {
		l.checkText("the error of "+what, err.Error())
		var kept *client.InitFailed
		if !errors.As(err, &kept) {
			return before
		}
		l.checkText("the reasons of "+what, strings.Join(kept.Reasons, "\n"))
		state = kept.State
	}
	l.checkText("the id after "+what, state.ID)
	l.checkText("the inputs after "+what, encodings.ClearTexts(property.New(state.Inputs)))
	l.checkText("the outputs after "+what, encodings.ClearTexts(property.New(state.Outputs)))
	return state
}

// faultPlan arms the faults of a lifecycle. It is called before each operation.
type faultPlan struct {
	name string
	arm  func(resource, method string)
}

// planFault plans a fault at the first operation of a method.
func (l *fixture) planFault(method string, fault hostile.Fault) faultPlan {
	var once sync.Once
	return faultPlan{fault.Name + " at " + method, func(resource, now string) {
		if now == method {
			once.Do(func() { l.server.ArmFor(resource, method, fault) })
		}
	}}
}

// lifecycle creates, reads, updates and deletes a resource with faults.
func (l *fixture) lifecycle(kind string, p faultPlan) {
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
	for range 2 { // with the fault, and then without
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

// searchElsewhere searches the log, the written files, and the arguments of all processes.
func (l *fixture) searchElsewhere() {
	l.Helper()
	l.checkText("the log", l.heard.String())
	l.searchFiles(l.folders...)
	l.searchArguments()
}

// TestSecretsWhenAllIsWell checks that every canary reaches the server, and appears nowhere.
func TestSecretsWhenAllIsWell(t *testing.T) {
	t.Parallel()
	l := newFixture(t, hostile.Start(t))
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		l.lifecycle(kind, faultPlan{"nothing", func(string, string) {}})
		l.checkArrived(append(kinds[kind], "header", "body")...)
	}
	if len(l.server.Objects()) != 0 {
		t.Errorf("left: %v", l.server.Objects())
	}
	l.searchElsewhere()
}
