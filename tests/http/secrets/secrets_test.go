// Package secrets puts a canary in every place that takes a secret, breaks the
// API in every way, and looks for the canaries wherever somebody could read.
package secrets

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
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
	*testing.T
	server   *hostile.Server
	provider *watched
	canaries canaries
	heard    *talk
	folder   string
	count    int
}

func newLab(t *testing.T) *lab {
	l := &lab{T: t, server: hostile.Start(t), canaries: newCanaries(), heard: &talk{}}
	t.Setenv("DECLPROV_JOURNAL", filepath.Join(t.TempDir(), "journal"))
	t.Setenv("DECLPROV_CACHE", filepath.Join(t.TempDir(), "cache"))
	l.server.Extra, l.server.Token = hostile.Object{"answer": l.canaries["answer"]}, l.canaries["issued"]
	l.folder = provider.Folder(t, "secretive", "tests/http/secrets/testdata/secrets.cue")
	config := map[string]property.Value{"endpoint": property.New(l.server.URL)}
	for _, name := range []string{"token", "password", "apiKey", "cookie", "parameter", "header", "clientSecret", "loginSecret"} {
		config[name] = property.New(l.canaries[name]).WithSecret(true)
	}
	l.provider = watch(t, l.folder, l.heard, config)
	return l
}

// secret fails the test where a text shows a canary.
func (l *lab) secret(where, text string) {
	l.Helper()
	for _, found := range l.canaries.found(text) {
		l.Errorf("%s shows %s", where, found)
	}
}

// inClear are the texts of a value that are not marked secret, nor within what
// is.
func inClear(v property.Value) string {
	switch {
	case v.Secret():
		return ""
	case v.IsString():
		return v.AsString() + "\n"
	case v.IsArray():
		var b strings.Builder
		for _, item := range v.AsArray().All {
			b.WriteString(inClear(item))
		}
		return b.String()
	case v.IsMap():
		var b strings.Builder
		for name, item := range v.AsMap().AllStable {
			b.WriteString(name + "\n" + inClear(item))
		}
		return b.String()
	default:
		return ""
	}
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
	l.secret("the inputs after "+what, inClear(property.New(state.Inputs)))
	l.secret("the outputs after "+what, inClear(property.New(state.Outputs)))
	return state
}

// lifecycle makes, reads, changes and deletes a resource, of which one verb
// meets a fault.
func (l *lab) lifecycle(kind, method string, fault hostile.Fault) {
	l.Helper()
	l.count++
	r := client.Resource{Type: "secretive:index:" + kind, Name: fmt.Sprintf("r%d", l.count)}
	inputs := func(size float64) property.Map {
		checked, err := l.provider.Check(l.Context(), r, property.Map{}, property.NewMap(map[string]property.Value{
			"name": property.New(r.Name), "size": property.New(size), "pass": property.New(l.canaries["body"]).WithSecret(true),
		}))
		if err != nil || len(checked.Failures) > 0 {
			l.Fatalf("%v, %v", checked.Failures, err)
		}
		return checked.Inputs
	}
	what := fmt.Sprintf("%s of %s at %s", fault.Name, kind, method)
	if fault.Strike != nil {
		l.server.Arm(method, fault)
	}
	var state client.State
	for range 2 { // the fault, and what repairs it
		if state.ID == "" {
			state = l.operation(what+": create", state, func(ctx context.Context) (client.State, error) {
				return l.provider.Create(ctx, r, inputs(1), client.Operation{})
			})
		}
		if state.ID == "" {
			continue
		}
		state = l.operation(what+": read", state, func(ctx context.Context) (client.State, error) {
			return l.provider.Read(ctx, r, state, client.Operation{})
		})
		state = l.operation(what+": update", state, func(ctx context.Context) (client.State, error) {
			return l.provider.Update(ctx, r, state, inputs(2), client.Operation{})
		})
	}
	if state.ID != "" {
		l.operation(what+": delete", state, func(ctx context.Context) (client.State, error) {
			return client.State{}, l.provider.Delete(ctx, r, state, client.Operation{})
		})
	}
	l.server.Disarm()
}

// rest looks everywhere else: in what was logged, in the files that are written,
// in the arguments of all processes.
func (l *lab) rest() {
	l.Helper()
	l.secret("the log", l.heard.String())
	for _, dir := range []string{os.Getenv("DECLPROV_JOURNAL"), os.Getenv("DECLPROV_CACHE"), l.folder} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || strings.Contains(d.Name(), "pulumi-resource-") {
				return err
			}
			text, err := os.ReadFile(path)
			l.secret(path, string(text))
			return err
		})
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			l.Error(err)
		}
	}
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		l.Error(err)
	}
	for _, path := range lines {
		if text, err := os.ReadFile(path); err == nil { // it may have ended
			l.secret(path, string(text))
		}
	}
}

// arrived fails the test where a canary never reached the server.
func (l *lab) arrived(places ...string) {
	l.Helper()
	var all strings.Builder
	for _, r := range l.server.Requests() {
		all.WriteString(r.URI + "\n" + r.Body + "\n")
		for _, values := range r.Header {
			all.WriteString(strings.Join(values, "\n") + "\n")
		}
		// OAuth escapes a client and its secret before it encodes them (RFC 6749,
		// 2.3.1).
		if code, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Basic "); ok {
			if text, err := base64.StdEncoding.DecodeString(code); err == nil {
				all.Write(append(text, '\n'))
			}
		}
	}
	for _, place := range places {
		if !slices.ContainsFunc(slices.Collect(maps.Values(forms(l.canaries[place]))), func(f string) bool { return strings.Contains(all.String(), f) }) {
			l.Errorf("the %s never arrived", place)
		}
	}
}

// TestSecretsWhenAllIsWell: every canary arrives, and shows nowhere.
func TestSecretsWhenAllIsWell(t *testing.T) {
	l := newLab(t)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		l.lifecycle(kind, "", hostile.Fault{Name: "nothing"})
		l.arrived(append(kinds[kind], "header", "body")...)
	}
	if len(l.server.Objects()) != 0 {
		t.Errorf("left: %v", l.server.Objects())
	}
	l.rest()
}

// TestSecretsOnEveryErrorPath: each fault, and each answer that says everything
// back, at each verb.
func TestSecretsOnEveryErrorPath(t *testing.T) {
	l := newLab(t)
	known := hostile.Faults("http://127.0.0.1:1/elsewhere")
	var faults []hostile.Fault
	for _, name := range slices.Sorted(maps.Keys(known)) {
		f := known[name]
		// What waits, waits once: the error is the same.
		if f.Handshake || f.Times > 1 || strings.Contains(name, "slow drip") {
			continue
		}
		faults = append(faults, f)
	}
	faults = append(faults, hostile.Echoes()...)
	order := slices.Sorted(maps.Keys(kinds))
	began := time.Now()
	for i, f := range faults {
		for j, method := range []string{"POST", "GET", "PATCH", "DELETE"} {
			kind := order[(i+j)%len(order)]
			if strings.HasPrefix(f.Name, "echo") {
				for _, kind := range order {
					l.lifecycle(kind, method, f)
				}
				continue
			}
			l.lifecycle(kind, method, f)
		}
		for path, kind := range map[string]string{"POST /token": "OAuth", "POST /login": "Login"} {
			// A token that is refused is asked for anew.
			l.server.Arm("GET", hostile.Echoes()[3])
			l.lifecycle(kind, path, f)
		}
	}
	t.Logf("%d faults, %d lifecycles, %d requests, %s", len(faults), l.count, len(l.server.Requests()), time.Since(began).Round(time.Second))
	l.arrived("token", "password", "apiKey", "cookie", "parameter", "header", "clientSecret", "loginSecret", "body", "issued")
	l.rest()
}
