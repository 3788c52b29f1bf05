package plan

import (
	"iter"
	"maps"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Word is one item of a Words argument.
type Word struct {
	Value *expr.Value
	// Author says that the word begins with the author's own text.
	Author bool
	Name   string // for people: command[2]
}

// Argument is a compiled argument of an action.
type Argument struct {
	Decl *actions.Arg
	// Value is what is evaluated before the action runs; nil for Late and Typed
	// arguments.
	Value *expr.Value
	// Node is the argument as written, Rest what of it Value is made of.
	Node, Rest *spec.Node
	// Parts are what reaches the action apart from the value.
	Parts Parts
	// typ is the type that a Typed argument names.
	Type *spec.Type
	// Words are the items of a Words argument; see Word.
	Words []Word
	// Exposes are the templates in it whose values others can read.
	Exposes []*expr.Value
	// Under is the family's default, whose members stand below the value's,
	// for a Merged argument.
	Under *Argument
	// Renamed says that a name in the value is another one on the wire.
	Renamed bool
	// Inherited says that the argument is the family's default: its late parts
	// were compiled with it. Request is the text by which the step asks for that, or nil.
	Inherited bool
	Request   *spec.Node
}

// Source is where the argument comes from, or a member of it.
func (a *Argument) Source(member string) actions.Source {
	switch {
	case a.Request != nil:
		return actions.Requested
	case a.Inherited, a.Under != nil && member != "" && a.Node.Kind == spec.MapNode && a.Node.Get(member) == nil:
		return actions.Inherited
	default:
		return actions.Own
	}
}

// whole is the argument with the family's default below it.
func (a *Argument) whole() *spec.Node {
	if a.Under == nil || a.Node.Kind != spec.MapNode || a.Under.Node.Kind != spec.MapNode {
		return a.Node
	}
	out := *a.Node
	for _, f := range a.Under.Node.Fields {
		if a.Node.Get(f.Name) == nil {
			out.Fields = append(out.Fields[:len(out.Fields):len(out.Fields)], f)
		}
	}
	return &out
}

// Part is a late expression or a path: a whole argument, or inside one.
type Part struct {
	Mode  actions.Mode
	Node  *spec.Node
	Value *expr.Value
	// Own are the names that the call itself gives it: of the response, and not of an
	// earlier step's.
	Own []string
}

// Refs are what it refers to that is there before the call.
func (p Part) Refs() []expr.Ref {
	return slices.DeleteFunc(slices.Clone(p.Value.Refs()), func(ref expr.Ref) bool { return slices.Contains(p.Own, ref.Path[0]) })
}

// Parts are the parts of an argument, by dotted path. They never change: the
// arguments in a family's defaults are shared by all steps, which are compiled
// side by side.
type Parts struct{ ByPath map[string]Part }

// All are the parts, in no order.
func (p Parts) All() iter.Seq2[string, Part] { return maps.All(p.ByPath) }

// late returns the late expression at a path, or nil.
func (p Parts) late(path string) *expr.Value {
	if found := p.ByPath[path]; found.Mode == actions.Late {
		return found.Value
	}
	return nil
}

// With returns the parts with one more. Without a value there is none.
func (p Parts) With(path string, added Part) Parts {
	if added.Value == nil {
		return p
	}
	out := make(map[string]Part, len(p.ByPath)+1)
	maps.Copy(out, p.ByPath)
	out[path] = added
	return Parts{out}
}
