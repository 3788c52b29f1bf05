package program

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/auto/optup"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/signing"
)

// asked is what the method and the function yield.
type asked struct {
	Serial string `pulumi:"serial"`
	Data   any    `pulumi:"data"`
}

type askedOutput struct{ *pulumi.OutputState }

func (askedOutput) ElementType() reflect.Type { return reflect.TypeFor[asked]() }

var registerAsked = sync.OnceFunc(func() { pulumi.RegisterOutputType(askedOutput{}) })

type thing struct {
	pulumi.CustomResourceState
	Serial pulumi.StringOutput `pulumi:"serial"`
	Data   pulumi.AnyOutput    `pulumi:"data"`
}

type reader struct {
	pulumi.ResourceState
	Value pulumi.AnyOutput `pulumi:"value"`
}

// signedProgram is a program whose provider is told what Pulumi takes for its own.
type signedProgram struct {
	*testing.T
	server  *signing.Server
	hostile map[string]any
	// whats are the names of what is hostile: that of the first belongs to t0.
	whats []string
	// does is what the program does.
	does  string
	stack *stack
}

func (p *signedProgram) run(ctx *pulumi.Context) error {
	thingOf := func(name string) (*thing, error) {
		made := &thing{}
		return made, ctx.RegisterResource("signed:index:Thing", name, pulumi.Map{"name": pulumi.String(name), "size": pulumi.Int(1)}, made)
	}
	if p.does == "nothing" {
		return nil
	}
	good, err := thingOf("good")
	if err != nil || p.does == "the good" {
		return err
	}
	for i, what := range p.whats {
		name := fmt.Sprintf("t%d", i)
		switch p.does {
		case "resources":
			bad, err := thingOf(name)
			if err != nil {
				return err
			}
			// What depends on it would be handed the value.
			held := &thing{}
			if err := ctx.RegisterResource("signed:index:Holder", "held-"+name, pulumi.Map{"content": bad.Data}, held); err != nil {
				return err
			}
		case "functions":
			var out asked
			if err := ctx.Invoke("signed:index:ask", &struct {
				Name string `pulumi:"name"`
			}{name}, &out); err == nil || !strings.Contains(err.Error(), "data") {
				p.Errorf("%s: the function yields %v, %v", what, out, err)
			}
		case "methods":
			out, err := ctx.Call("signed:index:Thing/ask", nil, askedOutput{}, good)
			if err != nil {
				return err
			}
			ctx.Export(name, out.(askedOutput).ApplyT(func(a asked) any { return a.Data }))
		case "components":
			text, err := json.Marshal(map[string]any{"x": []any{p.hostile[what]}})
			if err != nil {
				return err
			}
			for _, component := range []string{"Mirror", "Reader"} {
				if err := ctx.RegisterRemoteComponentResource("signed:index:"+component, component+name, pulumi.Map{"text": pulumi.String(text)}, &reader{}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// up runs the program, which fails or not.
func (p *signedProgram) up(does string, fails bool) {
	p.Helper()
	p.does = does
	r, err := p.stack.auto.Up(p.Context(), optup.SuppressProgress(), optup.ContinueOnError())
	if (err != nil) != fails {
		p.Errorf("%s: %v\n%s", does, err, r.StdOut)
	}
	for name, v := range r.Outputs {
		p.Errorf("%s: %s = %v", does, name, v)
	}
	state, err := p.stack.Export()
	if err != nil {
		p.Fatal(err)
	}
	for _, r := range state.Resources {
		if string(r.Type) == "pulumi:pulumi:Stack" || strings.HasPrefix(string(r.Type), "pulumi:providers:") {
			continue
		}
		outputs := map[string]any{}
		for k, v := range r.Outputs {
			if k != "__declprov" {
				outputs[k] = v
			}
		}
		text, err := json.Marshal(outputs)
		if err != nil {
			p.Fatal(err)
		}
		if slices.ContainsFunc(append(signing.Markers, sig.Key, "canary sings"), func(s string) bool { return strings.Contains(string(text), s) }) {
			p.Errorf("%s: %s is recorded as %s", does, r.URN, text)
		}
	}
}

// TestSignedDataInAProgram: what a server says that Pulumi takes for its own acts in no
// program in Go: nothing of it is recorded, nothing is read because of it, and what was
// made is removed in the end.
func TestSignedDataInAProgram(t *testing.T) {
	registerAsked()
	p := &signedProgram{T: t, server: signing.New(t)}
	p.stack = configured(t, pulumitest.Providers{"signed": provider.Folder(t, "signed", "tests/outside/testdata/signed.cue")},
		map[string]string{"signed:endpoint": p.server.URL}, p.run)
	p.stack.Write("canary", "the canary sings")
	p.hostile = signing.Payloads(p.stack.Dir+"/canary", p.server.URL+"/canary")
	p.whats = []string{"asset of a file", "archive of assets", "secret", "resource reference", "output", "unknown output", "marker 0"}
	p.up("the good", false)
	for i, what := range p.whats {
		p.server.Say(fmt.Sprintf("t%d", i), map[string]any{"data": p.hostile[what]}, "POST", "GET", "ASK")
	}
	p.server.Say("good", map[string]any{"data": p.hostile["asset of a file"]}, "ASK")
	p.up("resources", true)
	if there := p.server.CountThings(); there != 1+len(p.whats) {
		t.Errorf("%d things are there: nothing but the things themselves was to be made", there)
	}
	made := p.server.CountMade()
	p.up("resources", true)
	if p.server.CountMade() != made {
		t.Errorf("%d were made, and later %d", made, p.server.CountMade())
	}
	p.up("functions", false)
	p.up("methods", true)
	p.up("components", true)
	p.stack.destroy()
	if left := p.server.CountThings(); left > 0 || p.server.CountTouched() > 0 {
		t.Errorf("%d things are left; the canary was asked for %d times", left, p.server.CountTouched())
	}
	if listed, err := provider.Journal(t, p.stack.Environment()); err != nil || len(listed) > 0 {
		t.Errorf("the journal lists %v, %v", listed, err)
	}
}
