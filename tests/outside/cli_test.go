package outside

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/signing"
)

// TestSignedDataInYAML: with the real CLI, what was made is in the state, without what
// Pulumi would take for its own, and is removed in the end.
func TestSignedDataInYAML(t *testing.T) {
	b := &signedStack{T: t, server: signing.New(t)}
	b.stack = pulumitest.New(t, pulumitest.Providers{"signed": provider.Folder(t, "signed", "tests/outside/testdata/signed.cue")})
	b.stack.Write("canary", "the canary sings")
	hostile := signing.Payloads(b.stack.Dir+"/canary", b.server.URL+"/canary")
	things := map[string]string{} // the output of each that is not what it seems
	var program strings.Builder
	for i, what := range []string{"asset of a file", "archive of assets", "secret", "resource reference", "unknown output", "marker 0"} {
		for j, place := range []string{"data", "closed"} {
			name := fmt.Sprintf("t%d%d", i, j)
			things[name] = place
			b.server.Say(name, map[string]any{place: signing.Places(hostile[what])[place]}, "POST", "GET", "PATCH")
			fmt.Fprintf(&program, "  %s: {type: 'signed:index:Thing', properties: {name: %s, size: %%d}}\n", name, name)
		}
	}
	b.program(strings.ReplaceAll(program.String(), "%d", "1"))
	b.upFails("--continue-on-error")
	b.holds(things)
	made := b.server.CountMade()
	b.upFails("--continue-on-error")
	b.holds(things)
	b.program(strings.ReplaceAll(program.String(), "%d", "2"))
	b.upFails("--continue-on-error")
	b.holds(things)
	if b.server.CountMade() != made {
		t.Errorf("%d were made, and later %d", made, b.server.CountMade())
	}
	if r, err := b.stack.Project.Refresh(t.Context()); err != nil || r.ExitCode != 0 {
		t.Errorf("refresh: %v %+v", err, r)
	}
	b.holds(things)
	b.destroy()
	if left := b.server.CountThings(); left > 0 || b.server.CountTouched() > 0 {
		t.Errorf("%d things are left; the canary was asked for %d times", left, b.server.CountTouched())
	}
	if listed, err := provider.Journal(t, b.stack.Environment()); err != nil || len(listed) > 0 {
		t.Errorf("the journal lists %v, %v", listed, err)
	}
}

// TestSignedComponentsInYAML: no component makes an asset, a secret or an unknown value
// of a text, for its outputs or for its children; and no function of what a server says.
func TestSignedComponentsInYAML(t *testing.T) {
	b := &signedStack{T: t, server: signing.New(t)}
	b.stack = pulumitest.New(t, pulumitest.Providers{"signed": provider.Folder(t, "signed", "tests/outside/testdata/signed.cue")})
	hostile := signing.Payloads(b.stack.Dir+"/canary", b.server.URL+"/canary")
	for _, what := range []string{"asset of a URL", "output", "marker 0"} {
		text, err := json.Marshal(map[string]any{"x": []any{hostile[what]}})
		if err != nil {
			t.Fatal(err)
		}
		for _, component := range []string{"Mirror", "Reader"} {
			b.program(fmt.Sprintf("  it: {type: 'signed:index:%s', properties: {text: '%s'}}\n", component, text))
			b.upFails()
			b.holds(nil)
		}
		b.server.Say("asked", map[string]any{"data": hostile[what]}, "GET")
		b.program("variables:\n  said: {fn::invoke: {function: 'signed:index:ask', arguments: {name: asked}}}\noutputs: {said: '${said.data}'}\n")
		if failed := strings.Join(b.upFails(), "\n"); !strings.Contains(failed, "data") {
			b.Errorf("the function's error does not name the output: %s", failed)
		}
		b.holds(nil)
	}
	b.destroy()
	if left := b.server.CountThings(); left > 0 || b.server.CountTouched() > 0 {
		t.Errorf("%d things are left; the canary was asked for %d times", left, b.server.CountTouched())
	}
}

// signedStack is a stack whose provider talks to such a server.
type signedStack struct {
	*testing.T
	server *signing.Server
	stack  *pulumitest.Stack
}

func (b *signedStack) program(resources string) {
	b.Helper()
	b.stack.Program("resources:\n  of: {type: 'pulumi:providers:signed', defaultProvider: true, properties: {endpoint: '" + b.server.URL + "'}}\n" + resources)
}

func (b *signedStack) upFails(args ...string) []string {
	b.Helper()
	return b.stack.Fails(b.stack.Project.Up(b.Context(), args...))
}

func (b *signedStack) destroy() {
	b.Helper()
	if r, err := b.stack.Project.Destroy(b.Context()); err != nil || r.ExitCode != 0 {
		b.Errorf("destroy: %v %+v", err, r)
	}
}

// holds compares the state with what is there: each thing is in it, without the output
// that is named, and nothing in it is what Pulumi would take for its own.
func (b *signedStack) holds(things map[string]string) {
	b.Helper()
	state, err := b.stack.Export()
	if err != nil {
		b.Fatal(err)
	}
	seen := 0
	for _, r := range state.Resources {
		text, err := json.Marshal(r.Outputs)
		if err != nil {
			b.Fatal(err)
		}
		if strings.Contains(string(text), "canary sings") || slices.ContainsFunc(signing.Markers, func(m string) bool { return strings.Contains(withoutPrivate(r.Outputs), m) }) {
			b.Errorf("%s: %s", r.URN, text)
		}
		if strings.Contains(withoutPrivate(r.Outputs), sig.Key) {
			b.Errorf("%s has a signature: %s", r.URN, text)
		}
		place, ok := things[r.URN.Name()]
		if !ok {
			continue
		}
		seen++
		if r.Outputs[place] != nil || string(r.ID) != r.URN.Name() || r.Outputs["serial"] == nil {
			b.Errorf("%s: %s, %s", r.URN, r.ID, text)
		}
		if !strings.Contains(strings.Join(r.InitErrors, ""), place) {
			b.Errorf("%s: the errors do not name %s: %q", r.URN, place, r.InitErrors)
		}
	}
	if seen != len(things) || b.server.CountThings() < seen {
		b.Errorf("%d of %d things are recorded, %d are there", seen, len(things), b.server.CountThings())
	}
}

// withoutPrivate are the outputs as text, without the provider's own part.
func withoutPrivate(outputs map[string]any) string {
	shown := map[string]any{}
	for k, v := range outputs {
		if k != "__declprov" {
			shown[k] = v
		}
	}
	text, _ := json.Marshal(shown)
	return string(text)
}
