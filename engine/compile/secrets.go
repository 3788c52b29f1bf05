package compile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// Where a secret may not go: checked here for what is declared secret, by Check for
// what a program makes secret, and by marks.go for what reaches a step all the same.

// covered reports whether each secret of values of a type is at a place that another
// type declares secret, too, or that it leaves out.
func (c *compiler) covered(from, to *spec.Type) bool {
	return c.covers(from, to, map[[2]*spec.Type]bool{})
}

func (c *compiler) covers(from, to *spec.Type, seen map[[2]*spec.Type]bool) bool {
	from, to = c.spec.Types.Resolve(from), c.spec.Types.Resolve(to)
	pair := [2]*spec.Type{from, to}
	if from == to || seen[pair] || !types.HoldsSecret(from, c.spec.Types) {
		return true
	}
	seen[pair] = true
	if from.Kind == spec.Union {
		for _, v := range from.Variants {
			if !c.covers(v, to, seen) {
				return false
			}
		}
		return true
	}
	switch to.Kind {
	case spec.Any:
		return false
	case spec.Union:
		for _, v := range to.Variants {
			if !c.covers(from, v, seen) {
				return false
			}
		}
		return true
	case spec.Object, spec.Map:
		return c.coversMembers(from, to, seen)
	default:
		return from.Kind != spec.List || c.covers(from.Elem, to.Elem, seen)
	}
}

func (c *compiler) coversMembers(from, to *spec.Type, seen map[[2]*spec.Type]bool) bool {
	for _, f := range from.Fields {
		p := to.Field(f.Name)
		switch {
		case p != nil && (p.Secret || p.Ephemeral):
		case p != nil:
			if f.Secret || f.Ephemeral || !c.covers(f.Type, p.Type, seen) {
				return false
			}
		case to.Kind == spec.Object && !to.Open:
			// It is left out.
		case f.Secret || f.Ephemeral || !c.covers(f.Type, to.Elem, seen):
			return false
		}
	}
	return from.Elem == nil || c.covers(from.Elem, to.Elem, seen)
}

// plainOutput reports a secret that an output would show.
func (c *compiler) plainOutput(out *spec.Property, at diag.Range, path string) {
	c.fail(codeSecretExposed, at, path, fmt.Sprintf("a secret goes into output %q, which is not @secret()", out.Name),
		"Hosts show outputs. Say @secret() on it, or return something else.")
}

// showsSecret reports whether a value that becomes an output has a secret where the
// output has none.
func (c *compiler) showsSecret(value *expr.Value, out *spec.Property) bool {
	if out == nil || out.Secret || out.Ephemeral || !value.Secret() {
		return false
	}
	return value.Hidden() || !c.covered(value.Type(), out.Type)
}

// exposedParts compiles what within an argument others can read, and refuses secrets
// there; for Check it is what the argument exposes.
func (c *compiler) exposedParts(a *plan.Argument, n *spec.Node, s *expr.Scope, name, what string) {
	if a.Decl.Exposed && a.Value != nil {
		a.Exposes = append(a.Exposes, a.Value)
	}
	for _, path := range a.Decl.ExposedWithin {
		part := at(n, path)
		if part == nil || refused(part) {
			continue
		}
		v, diags := expr.Compile(part, s, nil) // what is wrong in it is reported with the whole
		if diags.HasErrors() {
			continue
		}
		if v.Secret() {
			c.exposedSecret(part, name+"."+path, a.Decl, what)
		}
		a.Exposes = append(a.Exposes, v)
	}
	for _, path := range a.Decl.ExposedNames {
		part := n
		if path != "" {
			part = at(n, path)
		}
		if part == nil || part.Kind == spec.MapNode || refused(part) {
			continue
		}
		if v, diags := expr.Compile(part, s, nil); !diags.HasErrors() && v.Hidden() {
			c.fail(codeSecretExposed, part.Range, name, fmt.Sprintf("the names in argument %q of %s are secret", a.Decl.Name, what),
				"Others can read them. Write the names out, or put @secret() on the values alone.")
		}
	}
}

// sinkRefs are the inputs that a template puts where others can read them: each stands
// for an element of what forEach goes over.
func sinkRefs(v, forEach *expr.Value, what string) []plan.Sink {
	var sinks []plan.Sink
	for _, ref := range v.Refs() {
		switch {
		case ref.Path[0] == "inputs":
			sinks = append(sinks, plan.Sink{Path: ref.Path[1:], What: what})
		case ref.Path[0] == "each" && forEach != nil && len(ref.Path) > 1 && ref.Path[1] == "value":
			sinks = append(sinks, elementSinks(forEach, ref.Path[2:], what)...)
		}
	}
	return sinks
}

// elementSinks are the inputs that a member of each element of a loop is of.
func elementSinks(forEach *expr.Value, member []string, what string) []plan.Sink {
	if pieces := forEach.Segments(); len(pieces) == 1 && pieces[0].Ref != nil {
		if over := pieces[0].Ref; over[0] == "inputs" {
			return []plan.Sink{{Path: append(append(append([]string{}, over[1:]...), "*"), member...), What: what}}
		}
	}
	return nil // which elements these are, the run tells
}

// exposed are the inputs that a step puts where others can read them.
func exposed(s *plan.Step) []plan.Sink {
	var sinks []plan.Sink
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		a := s.Args[name]
		for _, v := range a.Exposes {
			sinks = append(sinks, sinkRefs(v, s.ForEach, fmt.Sprintf("argument %q of %s", a.Decl.Name, s.Action))...)
		}
	}
	if s.Progress != nil {
		sinks = append(sinks, sinkRefs(s.Progress, s.ForEach, "progress")...)
	}
	return sinks
}

// openName refuses secrets in what everybody sees of a listing.
func (c *compiler) openName(v *expr.Value, n *spec.Node, path string) {
	if v != nil && v.Secret() {
		c.fail(codeSecretExposed, n.Range, path, fmt.Sprintf("a secret goes into the %s of what is listed", path), "Hosts show ids and names everywhere. Build it of something else.")
	}
}

// telling returns the type of a result in which the members are secret that tell a
// secret argument; nil where there are none.
func telling(k *actions.Kind, result *spec.Type) *spec.Type {
	if len(k.Echoes) == 0 {
		return nil
	}
	t := *result
	t.Fields = slices.Clone(t.Fields)
	for i, f := range t.Fields {
		if slices.Contains(k.Echoes, f.Name) {
			secret := *f
			secret.Secret = true
			t.Fields[i] = &secret
		}
	}
	return &t
}
