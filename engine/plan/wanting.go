package plan

import (
	"slices"

	"github.com/declprov/declprov/spec/expr"
)

// Wanting notes what templates refer to, at the steps that yield it.
type Wanting struct{ Named map[string]*Step }

// Note notes what a template refers to, where `result` is that of the last of
// the steps, and each.value an element of each.
func (w Wanting) Note(before []*Step, each []string, v *expr.Value) {
	if v == nil {
		return
	}
	for _, ref := range v.Refs() {
		path := ref.Path
		if len(path) > 1 && path[0] == "each" && path[1] == "value" && each != nil {
			path = append(slices.Clone(each), path[2:]...)
		}
		if of, member := w.Of(before, path); of != nil {
			of.Want(member)
		}
	}
}

// Over is what the elements of a loop are members of, where that is a plain
// member of a result: then only what is wanted of the elements is wanted of it.
func (w Wanting) Over(before []*Step, forEach *expr.Value) []string {
	if forEach == nil {
		return nil
	}
	if pieces := forEach.Segments(); len(pieces) == 1 && pieces[0].Ref != nil {
		return append(slices.Clone(pieces[0].Ref), "*")
	}
	w.Note(before, nil, forEach)
	return nil
}

// Step notes what a step's templates refer to: before are the steps before it,
// own those and itself.
func (w Wanting) Step(before, own []*Step, s *Step) {
	each := w.Over(before, s.ForEach)
	for _, v := range s.Templates() {
		w.Note(before, each, v)
	}
	for _, v := range s.OwnTemplates() {
		w.Note(own, each, v)
	}
}

// Of is the step whose result a path is about, and the path within it.
func (w Wanting) Of(before []*Step, path []string) (*Step, []string) {
	var of *Step
	switch {
	case path[0] == "result" && len(before) > 0:
		of, path = before[len(before)-1], path[1:]
	case path[0] == "steps" && len(path) > 1:
		of, path = w.Named[path[1]], path[2:]
	case len(before) > 0 && slices.ContainsFunc(Shorthands(before[len(before)-1]), func(n expr.Name) bool { return n.Name == path[0] }):
		of = before[len(before)-1]
	}
	if of != nil && of.ForEach != nil && len(path) > 0 {
		path = path[1:] // the index or key
	}
	return of, path
}
