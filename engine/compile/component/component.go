// Package component compiles components: what their children are, in which order they are made, and
// what is made of them.
package component

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/grants"
	"github.com/declprov/declprov/engine/compile/order"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/compile/yield"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/lists"
)

// Compiler compiles the components of a spec.
type Compiler struct {
	*finding.Collector
	Names   *scopes.Names
	Types   *value.Builder
	Yields  *yield.Checker
	Granted *grants.Granted
	// Model returns the resource with that name, or nil.
	Model func(name string) *spec.Resource
	// Compiled are the resources that are compiled already. In a container none are.
	Compiled map[string]*plan.Resource
}

// Compile compiles a component except for the defaults of its inputs.
func (c *Compiler) Compile(m *spec.Component) *plan.Component {
	out := &plan.Component{Spec: m, Inputs: c.Types.Build(m.Inputs), Outputs: c.Types.Build(m.Outputs)}
	comp := &component{Compiler: c, of: m}
	for _, ch := range m.Children {
		comp.inChild(ch.Key, func() {
			comp.children = append(comp.children, &child{component: comp, spec: ch, kind: comp.kindOf(ch)})
		})
	}
	for _, ch := range comp.children {
		ch.needs = comp.needsOf(ch.spec)
	}
	for _, ch := range comp.sorted() {
		comp.inChild(ch.spec.Key, func() { out.Children = append(out.Children, ch.compile()) })
	}
	comp.compileReturn(out)
	out.MarkMentioned()
	return out
}

// component is a component that is being compiled.
type component struct {
	*Compiler
	of       *spec.Component
	children []*child // in the order of the document
}

// need is a child that must exist before another one, and where that one refers to it.
type need struct {
	key string
	at  diag.Range
}

// inChild calls f with the child as the current place.
func (c *component) inChild(key string, f func()) {
	c.In(fmt.Sprintf("child %q", key), "children."+key, f)
}

// child returns the child with that key, or nil.
func (c *component) child(key string) *child {
	return lists.Find(c.children, func(ch *child) bool { return ch.spec.Key == key })
}

// keys returns the keys of all children.
func (c *component) keys() []string {
	return lists.Map(c.children, func(ch *child) string { return ch.spec.Key })
}

// needsOf returns the children that a child refers to. Only references matter here: mistakes in
// templates are reported when they are compiled.
func (c *component) needsOf(m *spec.Child) []need {
	var list []need
	add := func(key string, at diag.Range) {
		if c.child(key) != nil && !slices.ContainsFunc(list, func(n need) bool { return n.key == key }) {
			list = append(list, need{key, at})
		}
	}
	for _, n := range slices.Concat(stringsIn(m.If), stringsIn(m.ForEach), stringsIn(m.Inputs), stringsIn(m.Options)) {
		v, _ := expr.Compile(n, scopes.Untyped(), nil)
		if v == nil {
			continue
		}
		for _, ref := range v.Refs() {
			switch {
			case ref.Path[0] != "children":
			case len(ref.Path) == 1 || ref.Path[1] == "*":
				add(m.Key, ref.Range) // all children, and so the child itself
			default:
				add(ref.Path[1], ref.Range)
			}
		}
	}
	for _, option := range []string{"dependsOn", "parent", "provider", "deletedWith"} {
		for _, n := range stringsIn(m.Options.Get(option)) {
			add(n.Text, n.Range)
		}
	}
	return list
}

// stringsIn returns the strings in a tree.
func stringsIn(n *spec.Node) []*spec.Node {
	if n == nil {
		return nil
	}
	var list []*spec.Node
	if n.Kind == spec.StringNode {
		list = append(list, n)
	}
	for _, item := range n.Items {
		list = append(list, stringsIn(item)...)
	}
	for _, f := range n.Fields {
		list = append(list, stringsIn(f.Value)...)
	}
	return list
}

// sorted returns the children, each after those that it needs, and otherwise in the order of the
// document. It reports children that need themselves, and removes that need.
func (c *component) sorted() []*child {
	return order.Sort(c.children, func(ch *child) (needed []*child) {
		for _, n := range ch.needs {
			needed = append(needed, c.child(n.key))
		}
		return needed
	}, func(cycle []*child) {
		keys := lists.Map(cycle, func(ch *child) string { return ch.spec.Key })
		first, last := keys[0], cycle[len(cycle)-2]
		i := slices.IndexFunc(last.needs, func(n need) bool { return n.key == first })
		c.inChild(last.spec.Key, func() {
			c.Fail(finding.CodeChildCycle, last.needs[i].at, "", fmt.Sprintf("child %q needs itself", first),
				fmt.Sprintf("Each child is made after those that it refers to, which here is %s. Break the cycle.", strings.Join(keys, " → ")))
		})
		last.needs = slices.Delete(last.needs, i, i+1)
	})
}

// scope returns the scope of the component's templates. Children that are not compiled yet are of
// any type in it.
func (c *component) scope() *expr.Scope {
	children := &spec.Type{Kind: spec.Object, Open: len(c.children) == 0} // having no children was reported
	for _, ch := range c.children {
		t := ch.seen
		if t == nil {
			t = &spec.Type{}
		}
		children.Fields = append(children.Fields, &spec.Property{Name: ch.spec.Key, Type: t, Required: true})
	}
	s := c.Names.CommonScope(scopes.ResourceName(),
		expr.Name{Name: "inputs", Type: scopes.CheckedType(c.of.Inputs)}, expr.Name{Name: "children", Type: children})
	s.NullHelp = func(part string) string { return c.keyHelp(children, part) }
	return s
}

// keyHelp returns the remedy for a member of a child that has a forEach over a map: the members of
// children.KEY are then its children by their keys.
func (c *component) keyHelp(children *spec.Type, part string) string {
	path := strings.Split(part, ".")
	if len(path) != 3 || path[0] != "children" || children.Field(path[1]) == nil {
		return ""
	}
	t := c.Names.Spec.Types.Resolve(children.Field(path[1]).Type)
	if t.Kind != spec.Map || c.Names.Spec.Types.Resolve(t.Elem).Field(path[2]) == nil {
		return ""
	}
	of := path[0] + "." + path[1]
	return fmt.Sprintf("%s has a child for each key of its forEach. For a list, write map(values(%[1]s), .%s); for a map, mapValues(%[1]s, .%[2]s).", of, path[2])
}

// compileReturn compiles what the component yields.
func (c *component) compileReturn(out *plan.Component) {
	const source = "the component"
	m, s := c.of, c.scope()
	if m.Return == nil {
		c.Yields.CheckOutputs(source, &spec.Type{Kind: spec.Object}, m.Outputs, nil)
		return
	}
	op := &plan.Operation{}
	to := yield.Target{Name: m.Name, Source: source, Outputs: m.Outputs, Inputs: &spec.Type{Kind: spec.Object}}
	c.Yields.Compile(to, op, m.Return, scopes.NewTrail(s))
	if op.Broken {
		return
	}
	c.Yields.CheckOutputs(source, op.Return.Type(), m.Outputs, op)
	if m.Return.Kind != spec.MapNode {
		out.Whole = op.Return
		return
	}
	for _, f := range m.Return.Fields {
		if v := c.Template(f.Value, s, nil, "return."+f.Name); v != nil {
			out.Yields = append(out.Yields, plan.Assignment{Name: f.Name, Value: v})
		}
	}
}
