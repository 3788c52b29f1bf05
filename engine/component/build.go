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
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/screen"
)

// build is the making of one component: what its templates see, which grows
// with every child that is there.
type build struct {
	req   Request
	urn   urn.URN
	slots chan struct{}

	mu sync.Mutex
	// made are the children that are settled, by key; values and secrets are
	// what templates see of them, and where secrets are in it.
	made    map[string]*made
	values  map[string]any
	secrets value.Secrets
}

// made is a child that is settled.
type made struct {
	// one is a child without forEach; nil where its `if` was false.
	one *instance
	// each are those of a child with forEach, in order, under keys; nil where
	// the `if` was false. listed says that they are a list.
	each   []*instance
	keys   []string
	listed bool
	// unknown says that nobody knows yet which there are.
	unknown bool
}

// instance is one resource of a child.
type instance struct {
	urn     urn.URN
	outputs property.Map
	// unknown says that nobody knows yet whether it will be there.
	unknown bool
}

func newBuild(req Request) *build {
	b := &build{req: req, made: map[string]*made{}, values: map[string]any{}}
	b.req.Scope.SetObject("inputs", req.Component.Inputs, req.Inputs)
	return b
}

// mask hides the secrets that have been seen so far.
func (b *build) mask() *screen.Mask {
	b.mu.Lock()
	defer b.mu.Unlock()
	return screen.NewMask(slices.Concat(b.req.Scope.Secrets.Values, b.secrets.Values))
}

// vars are what templates see now.
func (b *build) vars(el *element) *expr.Vars {
	b.mu.Lock()
	defer b.mu.Unlock()
	vars := *b.req.Scope.Vars
	vars.Values, vars.Secrets = maps.Clone(b.req.Scope.Vars.Values), slices.Concat(b.req.Scope.Secrets.Paths, b.secrets.Paths)
	vars.Values["children"] = maps.Clone(b.values)
	if el != nil {
		var hidden value.Secrets
		hidden.Within(el.values(), []string{"each"})
		vars.Values["each"] = expr.Reveal(el.values(), nil)
		vars.Secrets = append(vars.Secrets, hidden.Paths...)
	}
	return &vars
}

// eval evaluates a template to a value that may hold secrets and unknowns.
func (b *build) eval(v *expr.Value, el *element) (any, error) {
	out, err := v.Eval(b.vars(el))
	b.mu.Lock()
	defer b.mu.Unlock()
	expr.Reveal(out, b.secrets.Saw)
	return out, err
}

// put shows a settled child to the templates that come after it.
func (b *build) put(ch *plan.Child, m *made) {
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

// dependencies are what a template's value depends on: those of the inputs that
// it refers to, and the children. Those of `each` are those of what forEach goes
// over.
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
			on = append(on, carried(property.New(b.req.Inputs), ref.Path[1:])...)
		case "children":
			on = append(on, b.childrenAt(ref.Path[1:])...)
		case "each":
			if forEach != nil {
				on = append(on, b.dependenciesOf(forEach, nil)...)
			}
		}
	}
	return merged(on)
}

// childrenAt are the URNs of the children that a path below `children` speaks
// of, with what their outputs there depend on.
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
	return append(carried(property.New(one.outputs), path), one.urn)
}

// carried are what a value depends on that a path leads to: by marks on what
// it leads through, on it, and on what is in it.
func carried(v property.Value, path []string) []urn.URN {
	on := slices.Clone(v.Dependencies())
	switch {
	case v.IsMap():
		for name, item := range v.AsMap().All {
			if len(path) == 0 || path[0] == "*" || path[0] == name {
				on = append(on, carried(item, path[min(1, len(path)):])...)
			}
		}
	case v.IsArray():
		for i, item := range v.AsArray().All {
			if len(path) == 0 || path[0] == "*" || path[0] == strconv.Itoa(i) {
				on = append(on, carried(item, path[min(1, len(path)):])...)
			}
		}
	}
	return on
}

// merged are all of the lists' members, once each, sorted.
func merged(lists ...[]urn.URN) []urn.URN {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// name is what a child is called: the component's name, its key, and of a child
// with forEach the element's.
func (b *build) name(ch *plan.Child, el *element) (string, error) {
	name := b.req.Name + "-" + ch.Key
	if el == nil {
		return name, nil
	}
	key, err := value.Text(el.key)
	if err != nil || key == "" {
		return "", errors.New("an element without a key cannot be named: give it one")
	}
	return name + "-" + key, nil
}
