package engine_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/component"
)

// fakeMonitor registers what a component is made of as Pulumi's monitor would:
// what a resource yields are its inputs, and whatever a test adds.
type fakeMonitor struct {
	mu      sync.Mutex
	preview bool
	began   *property.Map
	ended   *property.Map
	order   []string
	all     map[string]component.Registration
	// adds are further outputs, and fails the errors, by name.
	adds  map[string]property.Map
	fails map[string]error
	// hook, where set, is called at the start of a registration.
	hook func(ctx context.Context, r component.Registration)
	// done, where set, is called at its end.
	done func(name string)
}

func newFakeMonitor() *fakeMonitor {
	return &fakeMonitor{all: map[string]component.Registration{}, adds: map[string]property.Map{}, fails: map[string]error{}}
}

const componentURN = urn.URN("urn:pulumi:dev::test::test:index:Site::web")

func (m *fakeMonitor) Begin(_ context.Context, inputs property.Map) (urn.URN, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.began = &inputs
	return componentURN, nil
}

func (m *fakeMonitor) End(_ context.Context, _ urn.URN, outputs property.Map) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = &outputs
	return nil
}

func urnOf(name string) urn.URN { return urn.URN("urn:pulumi:dev::test::child::" + name) }

func (m *fakeMonitor) Register(ctx context.Context, r component.Registration) (component.Registered, error) {
	if m.hook != nil {
		m.hook(ctx, r)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done != nil {
		defer m.done(r.Name)
	}
	m.order = append(m.order, r.Name)
	m.all[r.Name] = r
	if err := m.fails[r.Name]; err != nil {
		return component.Registered{}, err
	}
	outputs := map[string]property.Value{}
	for name, v := range r.Inputs.All {
		outputs[name] = v.WithDependencies(nil)
	}
	maps.Insert(outputs, m.adds[r.Name].All)
	out := component.Registered{URN: urnOf(r.Name), ID: "id of " + r.Name, Outputs: property.NewMap(outputs)}
	if m.preview || r.Component {
		out.ID = ""
	}
	return out, nil
}

// names are those of the children that were registered, sorted.
func (m *fakeMonitor) names() []string { return slices.Sorted(maps.Keys(m.all)) }

// dependencies are what the inputs of a child depend on, by input: names of
// other children, and URNs of what is no child.
func (m *fakeMonitor) dependencies(name string) map[string]string {
	return dependencies(m.all[name].Inputs)
}

func dependencies(values property.Map) map[string]string {
	out := map[string]string{}
	for name, v := range values.All {
		if on := v.Dependencies(); len(on) > 0 {
			out[name] = shownURNs(on)
		}
	}
	return out
}

func shownURNs(list []urn.URN) string {
	var names []string
	for _, u := range list {
		names = append(names, strings.TrimPrefix(string(u), "urn:pulumi:dev::test::child::"))
	}
	return strings.Join(names, " ")
}

// constructing is the request for a component called web.
func constructing(typ string, m *fakeMonitor, kv ...any) engine.ConstructRequest {
	return engine.ConstructRequest{
		Ref: engine.Ref{Type: typ, Name: "web"}, Inputs: object(kv...), Preview: m.preview, Parallel: 8, Registrar: m,
	}
}

func on(v any, names ...string) property.Value {
	var list []urn.URN
	for _, name := range names {
		list = append(list, urnOf(name))
	}
	return value(v).WithDependencies(list)
}

// registered are the inputs of each child.
func (m *fakeMonitor) registered() map[string]any {
	out := map[string]any{}
	for name, r := range m.all {
		out[name] = shown(property.New(r.Inputs))
	}
	return out
}

func failsWith(format string, args ...any) error { return fmt.Errorf(format, args...) }
