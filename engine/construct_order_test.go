package engine_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/component"
	"github.com/declprov/declprov/spec"
)

// TestChildrenComeAfterWhatTheyNeed: of any children that refer to each other
// without a ring, each is registered after those that it refers to, and depends
// on exactly these.
func TestChildrenComeAfterWhatTheyNeed(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		needs, model := anyComponent(t)
		p := &spec.Provider{
			Metadata: spec.Metadata{Name: "test", Version: "1.0.0"}, Config: &spec.Type{Kind: spec.Object}, Components: []*spec.Component{model},
		}
		prog, diags := engine.Compile(p, newWorld().families())
		if diags.HasErrors() {
			t.Fatalf("%+v", diags)
		}
		e, err := prog.Configure(context.Background(), property.Map{}, engine.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		m := newFakeMonitor()
		var mu sync.Mutex
		finished := map[string]bool{}
		m.done = func(name string) {
			mu.Lock()
			defer mu.Unlock()
			finished[name] = true
		}
		m.hook = func(_ context.Context, r component.Registration) {
			mu.Lock()
			defer mu.Unlock()
			for _, key := range needs[key(r.Name)] {
				if !finished["web-"+key] {
					t.Errorf("%s was registered before %s", r.Name, key)
				}
			}
		}
		req := constructing("Site", m)
		req.Parallel = rapid.IntRange(0, 5).Draw(t, "parallel")
		if _, err := e.Construct(context.Background(), req); err != nil {
			t.Fatal(err)
		}
		if len(m.all) != len(needs) {
			t.Fatalf("%d children were registered, want %d", len(m.all), len(needs))
		}
		for name, r := range m.all {
			var on []string
			for _, u := range slices.Concat(r.Inputs.Get("of").Dependencies(), r.DependsOn) {
				on = append(on, key(u.Name()))
			}
			slices.Sort(on)
			if want := strings.Join(needs[key(name)], " "); strings.Join(slices.Compact(on), " ") != want {
				t.Errorf("%s depends on %v, want %s", name, on, want)
			}
		}
	})
}

func key(name string) string { return strings.TrimPrefix(name, "web-") }

// anyComponent is a component whose children refer to children before them in
// some order, written down in another.
func anyComponent(t *rapid.T) (needs map[string][]string, model *spec.Component) {
	count := rapid.IntRange(1, 12).Draw(t, "children")
	needs = map[string][]string{}
	model = &spec.Component{Name: "Site", Inputs: &spec.Type{Kind: spec.Object}, Outputs: &spec.Type{Kind: spec.Object}}
	text := func(s string) *spec.Node { return &spec.Node{Kind: spec.StringNode, Text: s} }
	for i := range count {
		key := fmt.Sprint("c", i)
		child := &spec.Child{Key: key, Type: text("other:index:Part")}
		var parts []string
		var depends []*spec.Node
		for j := range i {
			before := fmt.Sprint("c", j)
			switch rapid.IntRange(0, 5).Draw(t, "edge") {
			case 0:
				parts = append(parts, fmt.Sprintf("${children.%s.id}", before))
			case 1:
				depends = append(depends, text(before))
			case 2:
				parts = append(parts, fmt.Sprintf("${children.%s.deep.down ?? ''}", before))
			default:
				continue
			}
			needs[key] = append(needs[key], before)
		}
		slices.Sort(needs[key])
		needs[key] = append([]string(nil), needs[key]...)
		child.Inputs = &spec.Node{Kind: spec.MapNode, Fields: []spec.Field{{Name: "of", Value: text("x" + strings.Join(parts, "-"))}}}
		if depends != nil {
			child.Options = &spec.Node{Kind: spec.MapNode, Fields: []spec.Field{
				{Name: "dependsOn", Value: &spec.Node{Kind: spec.ListNode, Items: depends}},
			}}
		}
		model.Children = append(model.Children, child)
	}
	model.Children = rapid.Permutation(model.Children).Draw(t, "order")
	return needs, model
}
