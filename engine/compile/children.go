package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// child compiles one child, in sight of those that come before it.
func (c *componentCompiler) child(pl *planned) *plan.Child {
	m := pl.spec
	out := &plan.Child{
		Key: m.Key, Type: pl.kind.name, Foreign: pl.kind.foreign, Component: pl.kind.component,
		Takes: c.types.Of(pl.kind.takes), Has: c.types.Of(pl.kind.has),
	}
	if out.Foreign {
		out.Versions = c.childPackage(pl)
	}
	for _, n := range pl.needs {
		out.Needs = append(out.Needs, n.key)
	}
	scope := c.componentScope()
	if m.ForEach != nil {
		out.ForEach = c.template(m.ForEach, scope, nil, "forEach")
		if out.ForEach != nil {
			out.Keyed = over(c.spec.Types, out.ForEach) == spec.Map
		}
		each := c.each(m.ForEach, out.ForEach, "It makes the child once per element.")
		if c.forEachName(m, out) {
			each = eachOf(each.Type.Fields[0].Type, each.Type.Fields[1].Type, false) // it is reported once
		}
		scope = with(scope, each)
	}
	out.When = c.template(m.If, scope, truthType, "if")
	scope = where(scope, m.If, out.When)
	c.childInputs(out, pl, scope)
	c.childOptions(out, pl, scope)
	pl.seen = seenAs(m, pl.kind.has, over(c.spec.Types, out.ForEach))
	return out
}

// forEachName refuses to name children after what is secret: a map's keys.
func (c *componentCompiler) forEachName(m *spec.Child, out *plan.Child) (refused bool) {
	if !out.Keyed || !out.ForEach.Hidden() {
		return false
	}
	for _, ref := range out.ForEach.Refs() {
		if len(ref.Path) != 2 || ref.Path[0] != "inputs" && ref.Path[0] != "config" {
			continue
		}
		c.fail(codeSecretExposed, m.ForEach.Range, "forEach", "the keys of a secret become names of resources",
			"Everybody sees names. Take @secret() off the map, and put it on its values: [string]: {value: string @secret()}.")
		return true
	}
	return false
}

// childInputs compiles what a child is given, and checks it against what its
// type takes.
func (c *componentCompiler) childInputs(out *plan.Child, pl *planned, s *expr.Scope) {
	m, takes := pl.spec, pl.kind.takes
	if m.Inputs != nil && m.Inputs.Kind == spec.StringNode {
		out.Whole = c.template(m.Inputs, s, givable(takes), "inputs")
		c.sinksOf(out, out.Whole, m.Inputs, "")
		return
	}
	if m.Inputs != nil && m.Inputs.Kind != spec.MapNode {
		return // the loader has said why
	}
	var given []spec.Field
	if m.Inputs != nil {
		given = m.Inputs.Fields
	}
	for _, f := range given {
		var want *spec.Type
		switch p := takes.Field(f.Name); {
		case p != nil:
			want = givenType(p)
		case takes.Kind == spec.Object && !takes.Open:
			c.fail(types.CodeUnknownMember, f.NameRange, "inputs."+f.Name, fmt.Sprintf("unknown input %q", f.Name),
				fmt.Sprintf("%s has no input %q. %s", pl.kind.name, f.Name, diag.Remedy(f.Name, takes.FieldNames())))
			continue
		}
		if v := c.template(f.Value, s, want, "inputs."+f.Name); v != nil {
			out.Inputs = append(out.Inputs, plan.Assignment{Name: f.Name, Value: v})
			c.sinksOf(out, v, f.Value, f.Name)
		}
	}
	c.missingInputs(pl, given)
}

// missingInputs reports inputs that a child must be given, and is not.
func (c *componentCompiler) missingInputs(pl *planned, given []spec.Field) {
	takes := pl.kind.takes
	for _, p := range takes.Fields {
		meant := slices.ContainsFunc(given, func(f spec.Field) bool {
			return f.Name == p.Name || takes.Field(f.Name) == nil && diag.DidYouMean(f.Name, takes.FieldNames()) == p.Name
		})
		if p.Required && p.Default == nil && p.DefaultExpr == nil && p.Autoname == nil && !meant {
			c.fail(types.CodeMissingMember, pl.spec.Range, "inputs."+p.Name,
				fmt.Sprintf("child %q lacks input %q", pl.spec.Key, p.Name),
				strings.TrimSpace(fmt.Sprintf("%s requires it: inputs: %s: … %s", pl.kind.name, p.Name, diag.FirstSentence(p.Doc))))
		}
	}
}

// givenType is the type that is wanted of an input: null leaves out what is not
// required.
func givenType(p *spec.Property) *spec.Type {
	if p.Required && p.Default == nil && p.DefaultExpr == nil && p.Autoname == nil || p.Type.Nullable {
		return p.Type
	}
	nullable := *p.Type
	nullable.Nullable = true
	return &nullable
}

// givable is the type of a whole struct of inputs as a program may write them.
func givable(takes *spec.Type) *spec.Type {
	if takes.Kind != spec.Object || takes.Open {
		return &spec.Type{Kind: spec.Object, Open: true}
	}
	out := *takes
	out.Fields = make([]*spec.Property, len(takes.Fields))
	for i, p := range takes.Fields {
		given := *p
		given.Type = givenType(p)
		given.Required = !given.Type.Nullable || p.Type.Nullable && p.Required
		out.Fields[i] = &given
	}
	return &out
}

// sinksOf refuses to hand a secret to an input that the child's resource puts
// where others can read it.
func (c *componentCompiler) sinksOf(out *plan.Child, v *expr.Value, n *spec.Node, input string) {
	r := c.compiled[out.Type]
	if v == nil || !v.Secret() || out.Foreign || r == nil {
		return
	}
	for _, s := range r.Sinks {
		path := s.Path
		if input != "" && len(path) > 0 {
			path = path[1:]
		}
		if (input == "" || len(s.Path) == 0 || s.Path[0] == input) && v.SecretAt(path, c.spec.Types) {
			c.fail(codeSecretExposed, n.Range, "inputs."+input, fmt.Sprintf("a secret goes into input %q of %s", input, out.Type),
				fmt.Sprintf("There it becomes %s, which others can read. Pass what is no secret.", s.What))
			return
		}
	}
}
