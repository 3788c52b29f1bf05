package component

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/template"
	"github.com/declprov/declprov/spec/types"
)

// child is a child that is being compiled.
type child struct {
	*component
	spec  *spec.Child
	kind  childKind
	needs []need
	// seen is the type of children.KEY. It is nil, which is any type, until the child is compiled.
	seen *spec.Type
	out  *plan.Child
}

// compile compiles the child. Its templates see the children that are compiled already.
func (c *child) compile() *plan.Child {
	m := c.spec
	c.out = &plan.Child{
		Key: m.Key, Type: c.kind.name, Foreign: c.kind.foreign, Component: c.kind.component,
		Takes: c.Types.Build(c.kind.inputs), Has: c.Types.Build(c.kind.seen),
	}
	if c.out.Foreign {
		c.out.Versions = c.checkPackage()
	}
	for _, n := range c.needs {
		c.out.Needs = append(c.out.Needs, n.key)
	}
	scope, named := c.scope(), c.Names.Spec.Types
	if m.ForEach != nil {
		over := c.Template(m.ForEach, scope, nil, "forEach")
		c.out.ForEach, c.out.Keyed = over, over != nil && scopes.LoopKind(named, over) == spec.Map
		each := scopes.EachOver(c.Collector, named, m.ForEach, over, "It makes the child once per element.")
		if c.hasSecretKeys() {
			each = scopes.EachOf(each.Type.Fields[0].Type, each.Type.Fields[1].Type, false) // it is reported once
		}
		scope = scopes.Extend(scope, each)
	}
	c.out.When = c.Template(m.If, scope, scopes.BoolType, "if")
	scope = scopes.AssumeTrue(scope, m.If, c.out.When)
	c.compileInputs(scope)
	c.checkIndexed()
	if m.Options != nil {
		c.In("options", "options", func() { c.compileOptions(scope) })
	}
	c.seen = c.seenType()
	return c.out
}

// seenType returns the type of children.KEY: nullable with an `if`, a list or map with a forEach;
// or nil, which is any type.
func (c *child) seenType() *spec.Type {
	t := c.kind.seen
	if t != nil && c.spec.If != nil {
		t = plan.OrNull(t)
	}
	if t == nil || c.spec.ForEach == nil {
		return t
	}
	kind := scopes.LoopKind(c.Names.Spec.Types, c.out.ForEach)
	if kind == spec.Any {
		return nil
	}
	return plan.PerElement(kind, t)
}

// hasSecretKeys reports a forEach over a map that is secret as a whole: its keys become names. It
// returns whether the keys are secret.
func (c *child) hasSecretKeys() bool {
	if !c.out.Keyed || !c.out.ForEach.Hidden() {
		return false
	}
	for _, ref := range c.out.ForEach.Refs() {
		if len(ref.Path) != 2 || ref.Path[0] != "inputs" && ref.Path[0] != "config" {
			continue
		}
		c.Fail(finding.CodeSecretExposed, c.spec.ForEach.Range, "forEach", "the keys of a secret become names of resources",
			"Everybody can see names. Remove @secret() from the map, and put it on its values: [string]: {value: string @secret()}.")
		return true
	}
	return false
}

// checkIndexed warns of a child for each item of a list that the item names. If an item is removed, the children after it get
// the names of those that follow, whose objects still exist: each create or rename is then refused.
func (c *child) checkIndexed() {
	r := c.Compiled[c.out.Type]
	if c.out.ForEach == nil || c.out.Foreign || r == nil || len(c.out.ForEach.Refs()) == 0 || scopes.LoopKind(c.Names.Spec.Types, c.out.ForEach) != spec.List {
		return
	}
	var at diag.Range
	var named, items []string
	if c.out.Whole != nil && c.out.Whole.RefersTo("each") {
		at, named = c.spec.Inputs.Range, r.Names
		items = lists.Map(r.Names, func(name string) string { return "string(#." + name + ")" })
	}
	for _, a := range c.out.Inputs {
		if !slices.Contains(r.Names, a.Name) {
			continue
		}
		for _, ref := range a.Value.Refs() {
			switch {
			case len(ref.Path) < 2 || ref.Path[0] != "each":
			case ref.Path[1] == "key":
				return // no two children with one index have the same name
			case ref.Path[1] == "value":
				at, named = ref.Range, append(named, a.Name)
				items = append(items, "string("+strings.Join(append([]string{"#"}, ref.Path[2:]...), ".")+")")
			}
		}
	}
	if named == nil {
		return
	}
	list, ok := template.Whole(c.spec.ForEach.Text)
	if !ok {
		list = "LIST"
	}
	names := diag.And(named)
	c.Warn(finding.CodeChildByIndex, at, "inputs", fmt.Sprintf("children that are named by their index get %s from the items", names),
		fmt.Sprintf("If an item is removed from the list, the children after it get each other's %s, and such an object still exists: `pulumi up` fails. Name the children by what no two items have in common: "+
			"`forEach: \"${fromPairs(map(%s, [%s, #]))}\"`, or let the component have a map in place of the list.", names, list, strings.Join(items, " + '/' + ")))
}

// compileInputs compiles the inputs of the child, and checks them against those of its type.
func (c *child) compileInputs(s *expr.Scope) {
	m, takes := c.spec, c.kind.inputs
	if m.Inputs != nil && m.Inputs.Kind == spec.StringNode {
		c.out.Whole = c.Template(m.Inputs, s, scopes.ProgramInputs(takes), "inputs")
		c.checkExposed(c.out.Whole, m.Inputs, "")
		return
	}
	if m.Inputs != nil && m.Inputs.Kind != spec.MapNode {
		return // the loader has reported it
	}
	var given []spec.Field
	if m.Inputs != nil {
		given = m.Inputs.Fields
	}
	for _, f := range given {
		var expected *spec.Type
		switch p := takes.Field(f.Name); {
		case p != nil:
			expected = scopes.ProgramType(p)
		case takes.Kind == spec.Object && !takes.Open:
			c.Fail(types.CodeUnknownMember, f.NameRange, "inputs."+f.Name, fmt.Sprintf("unknown input %q", f.Name),
				fmt.Sprintf("%s has no input %q.", c.kind.name, f.Name)).Meant(f.Name, takes.FieldNames())
			continue
		}
		if v := c.Template(f.Value, s, expected, "inputs."+f.Name); v != nil {
			c.out.Inputs = append(c.out.Inputs, plan.Assignment{Name: f.Name, Value: v})
			c.checkExposed(v, f.Value, f.Name)
		}
	}
	at := m.Range
	if m.Inputs != nil {
		at = m.Inputs.Range
	}
	for _, p := range takes.Fields {
		meant := slices.ContainsFunc(given, func(f spec.Field) bool {
			return f.Name == p.Name || takes.Field(f.Name) == nil && diag.DidYouMean(f.Name, takes.FieldNames()) == p.Name
		})
		if scopes.MustSet(p) && !meant {
			c.Fail(types.CodeMissingMember, at, "inputs."+p.Name, fmt.Sprintf("child %q lacks input %q", m.Key, p.Name),
				strings.TrimSpace(fmt.Sprintf("%s requires it: inputs: %s: … %s", c.kind.name, p.Name, diag.FirstSentence(p.Doc))))
		}
	}
}

// checkExposed reports a secret in an input that the resource of the child shows to others.
func (c *child) checkExposed(v *expr.Value, n *spec.Node, input string) {
	r := c.Compiled[c.out.Type]
	if v == nil || !v.Secret() || c.out.Foreign || r == nil {
		return
	}
	for _, s := range r.Sinks {
		path := s.Path
		if input != "" && len(path) > 0 {
			path = path[1:]
		}
		if (input == "" || len(s.Path) == 0 || s.Path[0] == input) && v.SecretAt(path, c.Names.Spec.Types) {
			c.Fail(finding.CodeSecretExposed, n.Range, "inputs."+input, fmt.Sprintf("input %q of %s contains a secret", input, c.out.Type),
				fmt.Sprintf("It becomes %s, which others can read. Pass a value that is not secret.", s.What))
			return
		}
	}
}
