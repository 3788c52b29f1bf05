package compile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// componentCompiler compiles a component: it finds out what each of its children is and
// which come before which, then compiles them in that order.
type componentCompiler struct {
	*compiler
	of       *spec.Component
	children []*planned // in the order of the document
	order    []*planned // each after those that it needs
}

// planned is a child before it is compiled.
type planned struct {
	spec  *spec.Child
	kind  childKind
	needs []need
	// seen is what others see as children.KEY; nil, which is anything, until the
	// child is compiled.
	seen *spec.Type
}

// need is a child that must be there before another one.
type need struct {
	key string
	at  diag.Range // where that is said
}

// arrange finds out what the children of the component are, and their order.
func (c *componentCompiler) arrange() {
	for _, ch := range c.of.Children {
		c.in(fmt.Sprintf("child %q", ch.Key), "children."+ch.Key, func() {
			c.children = append(c.children, &planned{spec: ch, kind: c.childKind(ch)})
		})
	}
	for _, ch := range c.children {
		ch.needs = c.needsOf(ch.spec)
	}
	c.sortChildren()
}

// childOf is the planned one of that key, or nil.
func (c *componentCompiler) childOf(key string) *planned {
	i := slices.IndexFunc(c.children, func(ch *planned) bool { return ch.spec.Key == key })
	if i < 0 {
		return nil
	}
	return c.children[i]
}

// keys are those of all children.
func (c *componentCompiler) keys() []string {
	keys := make([]string, len(c.children))
	for i, ch := range c.children {
		keys[i] = ch.spec.Key
	}
	return keys
}

// needsOf are the children that anything in one of them speaks of, known by
// references alone: what is wrong with a template is said when it is compiled.
func (c *componentCompiler) needsOf(m *spec.Child) []need {
	var list []need
	add := func(key string, at diag.Range) {
		if c.childOf(key) != nil && !slices.ContainsFunc(list, func(n need) bool { return n.key == key }) {
			list = append(list, need{key, at})
		}
	}
	for _, n := range slices.Concat(texts(m.If), texts(m.ForEach), texts(m.Inputs), texts(m.Options)) {
		v, _ := expr.Compile(n, anyScope(), nil)
		if v == nil {
			continue
		}
		for _, ref := range v.Refs() {
			switch {
			case ref.Path[0] != "children":
			case len(ref.Path) == 1 || ref.Path[1] == "*":
				add(m.Key, ref.Range) // all of them, and so itself
			default:
				add(ref.Path[1], ref.Range)
			}
		}
	}
	for _, n := range siblingsIn(m.Options) {
		add(n.Text, n.Range)
	}
	return list
}

// texts are the strings in a tree.
func texts(n *spec.Node) []*spec.Node {
	if n == nil {
		return nil
	}
	var list []*spec.Node
	if n.Kind == spec.StringNode {
		list = append(list, n)
	}
	for _, item := range n.Items {
		list = append(list, texts(item)...)
	}
	for _, f := range n.Fields {
		list = append(list, texts(f.Value)...)
	}
	return list
}

// sortChildren orders the children: each after those that it needs,
// and else as they are written. What needs itself, over whatever way, is
// reported.
func (c *componentCompiler) sortChildren() {
	state := map[*planned]int{}
	var visit func(ch *planned, through []string)
	visit = func(ch *planned, through []string) {
		state[ch] = 1
		through = append(slices.Clone(through), ch.spec.Key)
		ch.needs = slices.DeleteFunc(ch.needs, func(n need) bool {
			before := c.childOf(n.key)
			switch state[before] {
			case 0:
				visit(before, through)
			case 1:
				ring := append(through[slices.Index(through, n.key):], n.key)
				c.in(fmt.Sprintf("child %q", ch.spec.Key), "children."+ch.spec.Key, func() {
					c.fail(codeChildCycle, n.at, "", fmt.Sprintf("child %q needs itself", n.key),
						fmt.Sprintf("Each is made after those that it refers to, and here that goes %s. Break the ring.", strings.Join(ring, " → ")))
				})
				return true
			}
			return false
		})
		state[ch] = 2
		c.order = append(c.order, ch)
	}
	for _, ch := range c.children {
		if state[ch] == 0 {
			visit(ch, nil)
		}
	}
}

// componentScope are the names that a component's templates may use, with the children
// that are compiled so far; of the others nothing is known.
func (c *componentCompiler) componentScope() *expr.Scope {
	children := &spec.Type{Kind: spec.Object, Open: len(c.children) == 0} // without any, which was reported, all may be meant
	for _, ch := range c.children {
		t := ch.seen
		if t == nil {
			t = &spec.Type{}
		}
		children.Fields = append(children.Fields, &spec.Property{Name: ch.spec.Key, Type: t, Required: true})
	}
	return c.everywhere(resourceName(),
		expr.Name{Name: "inputs", Type: checked(c.of.Inputs)}, expr.Name{Name: "children", Type: children})
}
