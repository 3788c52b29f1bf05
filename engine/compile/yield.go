package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// target is what the yield of an operation is projected onto, by name.
type target struct {
	// name is that of the resource or function, what is who yields: "read".
	name, what      string
	outputs, inputs *spec.Type
	// both says that inputs take from the yield, too: a read's.
	both bool
	// elsewhere says that an output which is absent here may still be read.
	elsewhere bool
}

// yield compiles what an operation of a resource yields, and checks that it can
// be projected onto the properties: its own `return`, else the resource's, else
// what its last step gives.
func (c *compiler) yield(r *plan.Resource, op *plan.Operation, v plan.Verb, m *spec.Operation, t *trail) {
	if len(t.steps) == 0 {
		return // broken, which was reported
	}
	written := m.Return
	if written == nil {
		written = r.Spec.Return
	}
	c.yieldsTo(target{
		name: r.Spec.Name, what: string(v), outputs: r.Spec.Outputs, inputs: r.Spec.Inputs,
		both: v == plan.Read, elsewhere: v != plan.Read && r.Spec.Read != nil,
	}, op, written, t)
}

// yieldsTo compiles what is written as `return`, or checks the last result where
// nothing is.
func (c *compiler) yieldsTo(y target, op *plan.Operation, written *spec.Node, t *trail) {
	if written != nil {
		op.Return, op.Meant = c.returns(y, written, t.scope)
		op.Broken = op.Return == nil
		return
	}
	if len(t.steps) == 0 {
		return
	}
	if s := t.steps[len(t.steps)-1]; s.ForEach == nil {
		c.objectFits(y, s.Yields(), func(p *spec.Property) diag.Range { return p.Range })
	}
}

// returns compiles a `return`. meant are the properties that misspelt ones in it
// were probably meant to be.
func (c *compiler) returns(y target, written *spec.Node, s *expr.Scope) (v *expr.Value, meant []string) {
	v = c.template(written, s, &spec.Type{Kind: spec.Object, Open: true, Nullable: true}, "return")
	if v == nil {
		return nil, nil
	}
	if written.Kind != spec.MapNode {
		c.objectFits(y, v.Type(), func(*spec.Property) diag.Range { return written.Range })
		return v, nil
	}
	for _, f := range written.Fields {
		targets := y.properties(f.Name)
		if len(targets) > 0 {
			c.returned(y, targets, f, s)
		} else if near, ok := c.unknownProperty(y, f); !ok {
			meant = append(meant, near)
		}
	}
	return v, meant
}

// properties are those that a member of the yield is for.
func (y target) properties(name string) []*spec.Property {
	var out []*spec.Property
	if p := y.outputs.Field(name); p != nil {
		out = append(out, p)
	}
	if p := y.inputs.Field(name); p != nil && y.both {
		out = append(out, p)
	}
	return out
}

// unknownProperty reports a member of `return` that no property takes, and gives
// the one that was probably meant.
func (c *compiler) unknownProperty(y target, f spec.Field) (near string, ok bool) {
	if y.inputs.Field(f.Name) != nil || y.outputs.Open || y.inputs != nil && y.inputs.Open {
		return "", true // of use to read, where all share a return; or nobody knows what there is
	}
	names := y.outputs.FieldNames()
	if y.inputs != nil {
		names = slices.Concat(names, y.inputs.FieldNames())
	}
	c.fail(codeUnknownProperty, f.NameRange, "return."+f.Name, fmt.Sprintf("no property %q to return", f.Name),
		fmt.Sprintf("%s has no property of that name. %s", y.name, diag.Remedy(f.Name, names)))
	return diag.DidYouMean(f.Name, names), false
}

// returned checks one member of a `return` that is written out.
func (c *compiler) returned(y target, targets []*spec.Property, f spec.Field, s *expr.Scope) {
	value := c.template(f.Value, s, nil, "return."+f.Name)
	if value == nil {
		return
	}
	for _, p := range targets {
		if !c.projects(value.Type(), p.Type, f.Value.Kind != spec.StringNode) {
			c.template(f.Value, s, y.returnable(p), "return."+f.Name)
		}
	}
	if out := y.outputs.Field(f.Name); c.showsSecret(value, out) {
		c.plainOutput(out, f.Value.Range, "return."+f.Name)
	}
}

// returnable is the type that a returned value must have: null is absence, which
// an output that must be there affords only where it can come from elsewhere.
func (y target) returnable(p *spec.Property) *spec.Type {
	if p.Required && !y.elsewhere && y.outputs.Field(p.Name) == p {
		return p.Type
	}
	t := *p.Type
	t.Nullable = true
	return &t
}

// objectFits checks an object as a whole; at says where a finding about a
// property is shown.
func (c *compiler) objectFits(y target, t *spec.Type, at func(*spec.Property) diag.Range) {
	t = c.spec.Types.Resolve(t)
	if t.Kind != spec.Object {
		return
	}
	for _, f := range t.Fields {
		for _, p := range y.properties(f.Name) {
			present := *f.Type
			present.Nullable = false
			if out := y.outputs.Field(f.Name); out == p && !p.Secret && !p.Ephemeral && (f.Secret || f.Ephemeral || !c.covered(f.Type, p.Type)) {
				c.plainOutput(p, at(p), p.Name)
				continue
			}
			if types.Projectable(&present, p.Type, c.spec.Types) == nil {
				continue
			}
			c.fail(codeTypeMismatch, at(p), p.Name, fmt.Sprintf("%s gives %s for %q, which is declared as %s", y.what, value.Describe(f.Type), p.Name, value.Describe(p.Type)),
				"Declare what is given, or convert it in a `return`.")
		}
	}
}

// projects reports whether values of a type become a property: as they come, by
// name, or as the author has spelt them out. Then a name that the property does
// not have is a slip, and is not left out.
func (c *compiler) projects(from, to *spec.Type, spelt bool) bool {
	if types.Projectable(from, to, c.spec.Types) != nil {
		return false
	}
	return !spelt || types.Assignable(from, to, c.spec.Types) == nil
}

// remedyWire says how a property is named that a typed response has under another name:
// one of those members of it that the name may mean. It is "" where none does.
func (c *compiler) remedyWire(op *plan.Operation, t *spec.Type, p *spec.Property) string {
	if op == nil || op.Return != nil || t == nil {
		return ""
	}
	const most = 3
	var meant []string
	rule := value.WireRule(c.wireRule())
	for _, f := range t.Fields {
		if len(meant) < most && mayMean(p.Name, f.Name) && types.Projectable(f.Type, p.Type, c.spec.Types) == nil {
			meant = append(meant, value.WireArgument(rule.Name(f)))
		}
	}
	if len(meant) == 0 {
		return ""
	}
	return fmt.Sprintf(" If it is %s of the response, give that this name in the type that the step returns: `%s: … @wire(%s)`.", diag.Join(meant, "or"), p.Name, meant[0])
}

// mayMean reports whether a property may be another name of a member: id of poolId.
func mayMean(name, member string) bool {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	a, b := plain(name), plain(member)
	const least = 2
	return len(a) >= least && len(b) >= least && (strings.HasSuffix(a, b) || strings.HasSuffix(b, a) || strings.HasPrefix(b, a) || strings.HasPrefix(a, b)) ||
		diag.DidYouMean(a, []string{b}) != ""
}
