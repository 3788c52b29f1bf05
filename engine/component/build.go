package component

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// build is the construction of one component. The scope of its templates grows with
// every registered child.
type build struct {
	req   Request
	urn   urn.URN
	slots chan struct{}

	mu sync.Mutex
	// made are the settled children, by key. values are the children as templates see
	// them, and secrets marks the secrets in them.
	made    map[string]*settled
	values  map[string]any
	secrets value.Secrets
}

// settled is a child that was registered or omitted.
type settled struct {
	// one is the resource of a child without forEach. It is nil if `if` was false.
	one *instance
	// each are the resources of a child with forEach, in order, and keys are their keys.
	// listed is true if forEach iterates over a list.
	each   []*instance
	keys   []string
	listed bool
	// unknown is true if the elements of forEach are not known yet.
	unknown bool
}

// instance is one resource of a child.
type instance struct {
	urn     urn.URN
	outputs property.Map
	// unknown is true if it is not known yet whether the resource will exist.
	unknown bool
}

func newBuild(req Request) *build {
	b := &build{req: req, made: map[string]*settled{}, values: map[string]any{}}
	b.req.Scope.SetObject("inputs", req.Component.Inputs, req.Inputs)
	return b
}

// mask returns a mask of the secrets seen so far.
func (b *build) mask() *screen.Mask {
	b.mu.Lock()
	defer b.mu.Unlock()
	return screen.NewMask(slices.Concat(b.req.Scope.Secrets.Values, b.secrets.Values))
}

// vars returns the variables of templates at this moment.
func (b *build) vars(el *scope.Element) *expr.Vars {
	b.mu.Lock()
	defer b.mu.Unlock()
	vars := *b.req.Scope.Vars
	vars.Values, vars.Secrets = maps.Clone(b.req.Scope.Vars.Values), slices.Concat(b.req.Scope.Secrets.Paths, b.secrets.Paths)
	vars.Values["children"] = maps.Clone(b.values)
	if el != nil {
		var hidden value.Secrets
		each := map[string]any{"key": el.Key, "value": el.Value}
		hidden.MarkSecrets(each, []string{"each"})
		vars.Values["each"] = expr.Reveal(each, nil)
		vars.Secrets = append(vars.Secrets, hidden.Paths...)
	}
	return &vars
}

// eval evaluates a template. The value may contain secrets and unknown values.
func (b *build) eval(v *expr.Value, el *scope.Element) (any, error) {
	out, err := v.Eval(b.vars(el))
	b.mu.Lock()
	defer b.mu.Unlock()
	expr.Reveal(out, b.secrets.AddPlain)
	return out, err
}

// put makes a settled child visible to templates.
func (b *build) put(ch *plan.Child, m *settled) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.made[ch.Key] = m
	see := func(one *instance, at ...string) any {
		switch {
		case one == nil:
			return nil
		case one.unknown:
			return expr.Unknown{}
		default:
			return ch.Has.PlainMap(one.outputs, append([]string{"children", ch.Key}, at...), &b.secrets)
		}
	}
	switch {
	case m.unknown:
		b.values[ch.Key] = expr.Unknown{}
	case ch.ForEach == nil:
		b.values[ch.Key] = see(m.one)
	case m.listed:
		list := make([]any, len(m.each))
		for i, one := range m.each {
			list[i] = see(one, strconv.Itoa(i))
		}
		b.values[ch.Key] = list
	default:
		object := make(map[string]any, len(m.each))
		for i, one := range m.each {
			object[m.keys[i]] = see(one, m.keys[i])
		}
		b.values[ch.Key] = object
	}
}

// dependencies returns what the value of a template depends on: the dependencies of
// the inputs to which it refers, and the children. `each` has the dependencies of
// forEach.
func (b *build) dependencies(v, forEach *expr.Value) []urn.URN {
	if v == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.dependenciesOf(v, forEach)
}

func (b *build) dependenciesOf(v, forEach *expr.Value) []urn.URN {
	var on []urn.URN
	for _, ref := range v.Refs() {
		switch ref.Path[0] {
		case "inputs":
			on = append(on, dependenciesAt(property.New(b.req.Inputs), ref.Path[1:])...)
		case "children":
			on = append(on, b.childrenAt(ref.Path[1:])...)
		case "each":
			if forEach != nil {
				on = append(on, b.dependenciesOf(forEach, nil)...)
			}
		}
	}
	return mergeSorted(on)
}

// childrenAt returns the URNs of the children to which a path below `children`
// refers, and the dependencies of their outputs at the path.
func (b *build) childrenAt(path []string) []urn.URN {
	var on []urn.URN
	for key, m := range b.made {
		if len(path) > 0 && path[0] != "*" && path[0] != key {
			continue
		}
		rest := path[min(1, len(path)):]
		if m.each == nil {
			on = append(on, m.one.dependencies(rest)...)
			continue
		}
		for i, one := range m.each {
			if len(rest) == 0 || rest[0] == "*" || rest[0] == m.keys[i] {
				on = append(on, one.dependencies(rest[min(1, len(rest)):])...)
			}
		}
	}
	return on
}

func (one *instance) dependencies(path []string) []urn.URN {
	if one == nil || one.unknown {
		return nil
	}
	return append(dependenciesAt(property.New(one.outputs), path), one.urn)
}

// dependenciesAt returns the dependencies of the values on a path, and of everything
// below it.
func dependenciesAt(v property.Value, path []string) []urn.URN {
	on := slices.Clone(v.Dependencies())
	switch {
	case v.IsMap():
		for name, item := range v.AsMap().All {
			if len(path) == 0 || path[0] == "*" || path[0] == name {
				on = append(on, dependenciesAt(item, path[min(1, len(path)):])...)
			}
		}
	case v.IsArray():
		for i, item := range v.AsArray().All {
			if len(path) == 0 || path[0] == "*" || path[0] == strconv.Itoa(i) {
				on = append(on, dependenciesAt(item, path[min(1, len(path)):])...)
			}
		}
	}
	return on
}

// mergeSorted returns the distinct URNs of all lists, sorted.
func mergeSorted(lists ...[]urn.URN) []urn.URN {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// name returns the name of a child's resource: the name of the component, the key of
// the child, and for a child with forEach the key of the element.
func (b *build) name(ch *plan.Child, el *scope.Element) (string, error) {
	name := b.req.Name + "-" + ch.Key
	if el == nil {
		return name, nil
	}
	if el.Text == "" {
		return "", errors.New("an element requires a key, from which its name is built")
	}
	return name + "-" + el.Text, nil
}
