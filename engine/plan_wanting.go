package engine

import (
	"slices"

	"github.com/declprov/declprov/spec/expr"
)

// wanting notes what templates refer to, at the steps that yield it.
type wanting struct{ named map[string]*step }

// note notes what a template refers to, where `result` is that of the last of
// the steps, and each.value an element of each.
func (w wanting) note(before []*step, each []string, v *expr.Value) {
	if v == nil {
		return
	}
	for _, ref := range v.Refs() {
		path := ref.Path
		if len(path) > 1 && path[0] == "each" && path[1] == "value" && each != nil {
			path = append(slices.Clone(each), path[2:]...)
		}
		if of, member := w.of(before, path); of != nil {
			of.want(member)
		}
	}
}

// over is what the elements of a loop are members of, where that is a plain
// member of a result: then only what is wanted of the elements is wanted of it.
func (w wanting) over(before []*step, forEach *expr.Value) []string {
	if forEach == nil {
		return nil
	}
	if pieces := forEach.Segments(); len(pieces) == 1 && pieces[0].Ref != nil {
		return append(slices.Clone(pieces[0].Ref), "*")
	}
	w.note(before, nil, forEach)
	return nil
}

// step notes what a step's templates refer to: before are the steps before it,
// own those and itself.
func (w wanting) step(before, own []*step, s *step) {
	each := w.over(before, s.forEach)
	for _, v := range s.templates() {
		w.note(before, each, v)
	}
	for _, v := range s.ownTemplates() {
		w.note(own, each, v)
	}
}

// of is the step whose result a path is about, and the path within it.
func (w wanting) of(before []*step, path []string) (*step, []string) {
	var of *step
	switch {
	case path[0] == "result" && len(before) > 0:
		of, path = before[len(before)-1], path[1:]
	case path[0] == "steps" && len(path) > 1:
		of, path = w.named[path[1]], path[2:]
	case len(before) > 0 && slices.ContainsFunc(shorthands(before[len(before)-1]), func(n expr.Name) bool { return n.Name == path[0] }):
		of = before[len(before)-1]
	}
	if of != nil && of.forEach != nil && len(path) > 0 {
		path = path[1:] // the index or key
	}
	return of, path
}
