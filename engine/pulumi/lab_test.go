package pulumi_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/sig"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load"
)

// lab is a family of actions, `lab: do` and `lab: look`, that do what a test
// says, so that a call can be made to hang, to panic or to stop halfway.
type lab struct {
	mu    sync.Mutex
	hooks map[string]func(context.Context, *actions.Call) actions.Outcome
}

// on sets what an action with that `what` does. Others succeed with nothing.
func (l *lab) on(what string, do func(context.Context, *actions.Call) actions.Outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.hooks == nil {
		l.hooks = map[string]func(context.Context, *actions.Call) actions.Outcome{}
	}
	l.hooks[what] = do
}

func (l *lab) run(ctx context.Context, call *actions.Call) actions.Outcome {
	what, _ := call.Args["what"].(string)
	l.mu.Lock()
	do := l.hooks[what]
	l.mu.Unlock()
	if do == nil {
		return actions.Succeed(map[string]any{})
	}
	return do(ctx, call)
}

func (l *lab) family() *actions.Family {
	kind := func(name string, effect actions.Effect) *actions.Kind {
		return &actions.Kind{
			Name: name, Summary: name, Run: l.run,
			Args: []actions.Arg{
				{Property: spec.Property{Name: "what", Type: &spec.Type{Kind: spec.String}, Required: true}},
				{Property: spec.Property{Name: "with", Type: &spec.Type{}}},
			},
			Analyze: func(actions.Static) actions.Facts { return actions.Facts{Result: &spec.Type{}, Effect: effect} },
		}
	}
	return &actions.Family{
		Name: "lab",
		Declare: func() ([]actions.Arg, []*actions.Kind) {
			return nil, []*actions.Kind{kind("do", actions.Write), kind("look", actions.None)}
		},
		Grants: func(actions.Static) []actions.Grant { return nil },
	}
}

// program compiles a spec: the whole of one, or its resources.
func (l *lab) program(t testing.TB, text string) *engine.Program {
	t.Helper()
	p, err := l.compile(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (l *lab) compile(ctx context.Context, text string) (*engine.Program, error) {
	doc, diags := load.Load(ctx, load.Source{Path: "-", Stdin: []byte(text), Format: "cue"})
	if !diags.HasErrors() {
		p, more := engine.Compile(doc.Provider, append(builtin.Families(), l.family()))
		if !more.HasErrors() {
			return p, nil
		}
		diags = more
	}
	return nil, &mistakes{list: diags.Sorted()}
}

// things is a spec of which the lab decides everything.
const things = `
package lab
name: "lab"
version: "1.2.3"
config: {
	// Where it is.
	region?: string
	tags?: [string]: string
}
resources: Thing: {
	inputs: {
		name:  string @replace()
		size?: int
		note?: string
		token?: string @secret()
	}
	outputs: {colour?: string, "secretColour"?: string @secret()}
	id: "${inputs.name}"
	create: steps: [
		{as: "first", lab: do: {what: "first", with: "${inputs.name}"}},
		{as: "second", lab: do: {what: "second", with: "${inputs.size}"}},
	]
	read: lab: look: {what: "read", with: "${id}"}
	update: lab: do: {what: "update", with: "${inputs.size}"}
	delete: lab: do: {what: "delete", with: "${id}"}
	return: "${result}"
}
`

// provider starts one of a spec, introduced and configured with nothing.
func (l *lab) provider(t testing.TB, text string) *client.Client {
	t.Helper()
	p := l.program(t, text)
	c := start(t, pulumi.Options{Program: p, Version: p.Metadata().Version, Dir: t.TempDir()})
	if err := c.Configure(t.Context(), p.Metadata().Name, property.Map{}); err != nil {
		t.Fatal(err)
	}
	return c
}

// start starts a provider and ends it with the test.
func start(t testing.TB, options pulumi.Options) *client.Client {
	t.Helper()
	if options.Stderr == nil {
		options.Stderr = t.Output()
	}
	c, err := client.Start(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// files is the provider of examples/files.cue, in a folder of the test's own.
func files(t testing.TB) (*client.Client, string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "examples", "files.cue"))
	if err != nil {
		t.Fatal(err)
	}
	p := (&lab{}).program(t, string(text))
	dir := t.TempDir()
	c := start(t, pulumi.Options{Program: p, Version: p.Metadata().Version, Dir: dir})
	if err := c.Configure(t.Context(), "files", property.Map{}); err != nil {
		t.Fatal(err)
	}
	return c, dir
}

// object is a property map of plain values.
func object(pairs ...any) property.Map {
	m := map[string]property.Value{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i].(string)] = value(pairs[i+1])
	}
	return property.NewMap(m)
}

func value(v any) property.Value {
	switch v := v.(type) {
	case int:
		return property.New(float64(v))
	case property.Value:
		return v
	case property.Map:
		return property.New(v)
	default:
		made, err := property.Any(v)
		if err != nil {
			panic(err) // the test's own mistake
		}
		return made
	}
}

// shown are properties as a user sees them.
func shown(m property.Map) property.Map {
	for k := range m.All {
		if len(k) > 1 && k[:2] == "__" {
			m = m.Delete(k)
		}
	}
	return m
}

// same reports a difference between properties.
func same(t testing.TB, what string, got, want property.Map) {
	t.Helper()
	if !got.Equals(want) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// signedStruct has one property, p, with an unknown signature.
func signedStruct(signature string) *structpb.Struct {
	inner := &structpb.Struct{Fields: map[string]*structpb.Value{sig.Key: structpb.NewStringValue(signature)}}
	return &structpb.Struct{Fields: map[string]*structpb.Value{"p": structpb.NewStructValue(inner)}}
}
