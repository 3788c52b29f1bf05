package engine

import (
	"iter"
	"maps"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// word is one item of a Words argument.
type word struct {
	value *expr.Value
	// author says that the word begins with the author's own text.
	author bool
	name   string // for people: command[2]
}

// argument is a compiled argument of an action.
type argument struct {
	decl *actions.Arg
	// value is what is evaluated before the action runs; nil for Late and Typed
	// arguments.
	value *expr.Value
	// node is the argument as written, rest what of it value is made of.
	node, rest *spec.Node
	// parts are what reaches the action apart from the value.
	parts parts
	// typ is the type that a Typed argument names.
	typ *spec.Type
	// words are the items of a Words argument; see word.
	words []word
	// exposes are the templates in it whose values others can read.
	exposes []*expr.Value
	// under is the family's default, whose members stand below the value's,
	// for a Merged argument.
	under *argument
	// renamed says that a name in the value is another one on the wire.
	renamed bool
	// inherited says that the argument is the family's default: its late parts
	// were compiled with it. Request is the text by which the step asks for that, or nil.
	inherited bool
	request   *spec.Node
}

// source is where the argument comes from, or a member of it.
func (a *argument) source(member string) actions.Source {
	switch {
	case a.request != nil:
		return actions.Requested
	case a.inherited, a.under != nil && member != "" && a.node.Kind == spec.MapNode && a.node.Get(member) == nil:
		return actions.Inherited
	default:
		return actions.Own
	}
}

// whole is the argument with the family's default below it.
func (a *argument) whole() *spec.Node {
	if a.under == nil || a.node.Kind != spec.MapNode || a.under.node.Kind != spec.MapNode {
		return a.node
	}
	out := *a.node
	for _, f := range a.under.node.Fields {
		if a.node.Get(f.Name) == nil {
			out.Fields = append(out.Fields[:len(out.Fields):len(out.Fields)], f)
		}
	}
	return &out
}

// part is a late expression or a path: a whole argument, or inside one.
type part struct {
	mode  actions.Mode
	node  *spec.Node
	value *expr.Value
	// own are the names that the call itself gives it: of the response, and not of an
	// earlier step's.
	own []string
}

// refs are what it refers to that is there before the call.
func (p part) refs() []expr.Ref {
	return slices.DeleteFunc(slices.Clone(p.value.Refs()), func(ref expr.Ref) bool { return slices.Contains(p.own, ref.Path[0]) })
}

// parts are the parts of an argument, by dotted path. They never change: the
// arguments in a family's defaults are shared by all steps, which are compiled
// side by side.
type parts struct{ byPath map[string]part }

// all are the parts, in no order.
func (p parts) all() iter.Seq2[string, part] { return maps.All(p.byPath) }

// late returns the late expression at a path, or nil.
func (p parts) late(path string) *expr.Value {
	if found := p.byPath[path]; found.mode == actions.Late {
		return found.value
	}
	return nil
}

// with returns the parts with one more. Without a value there is none.
func (p parts) with(path string, added part) parts {
	if added.value == nil {
		return p
	}
	out := make(map[string]part, len(p.byPath)+1)
	maps.Copy(out, p.byPath)
	out[path] = added
	return parts{out}
}
