package plan

import (
	"iter"
	"maps"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/stable"
)

// Word is one item of a Words argument.
type Word struct {
	Value *expr.Value
	// Author is true if the word begins with literal text of the author.
	Author bool
	Name   string // for messages: command[2]
}

// Argument is a compiled argument of an action.
type Argument struct {
	Decl *actions.Arg
	// Value is evaluated before the action runs. It is nil for Late and Typed arguments.
	Value *expr.Value
	// Node is the argument as written. Rest is the part of it from which Value was
	// compiled.
	Node, Rest *spec.Node
	// Parts are passed to the action separately from the value.
	Parts Parts
	// Type is the type that a Typed argument names.
	Type *spec.Type
	// Words are the items of a Words argument.
	Words []Word
	// Exposes are templates in the argument whose values other users or processes can
	// read.
	Exposes []*expr.Value
	// Under is the family's default of a Merged argument. It supplies the members that
	// the argument itself lacks.
	Under *Argument
	// Renamed is true if the value contains a name that differs on the wire.
	Renamed bool
	// Inherited is true if the argument is the family's default. Its late parts were
	// compiled with the default. Request is the text with which the step requests the
	// default, or nil.
	Inherited bool
	Request   *spec.Node
}

// Source returns where the argument, or a member of it, comes from.
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

// whole returns the argument as written, completed by the family's default.
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

// Part is a late expression or a path: a whole argument, or a part of one.
type Part struct {
	Mode  actions.Mode
	Node  *spec.Node
	Value *expr.Value
	// Own are the names that the call itself defines, such as those of its response.
	Own []string
}

// Refs returns the references of the part, without those to Own.
func (p Part) Refs() []expr.Ref {
	return slices.DeleteFunc(slices.Clone(p.Value.Refs()), func(ref expr.Ref) bool { return slices.Contains(p.Own, ref.Path[0]) })
}

// Parts are the parts of an argument, by dotted path. They are immutable, because all
// steps share the arguments in a family's defaults and are compiled concurrently.
type Parts struct{ ByPath map[string]Part }

// All returns the parts, sorted by path.
func (p Parts) All() iter.Seq2[string, Part] { return stable.All(p.ByPath) }

// late returns the late expression at a path, or nil.
func (p Parts) late(path string) *expr.Value {
	if found := p.ByPath[path]; found.Mode == actions.Late {
		return found.Value
	}
	return nil
}

// With returns the parts and one more. It returns them unchanged if the new part has
// no value.
func (p Parts) With(path string, added Part) Parts {
	if added.Value == nil {
		return p
	}
	out := make(map[string]Part, len(p.ByPath)+1)
	maps.Copy(out, p.ByPath)
	out[path] = added
	return Parts{out}
}
