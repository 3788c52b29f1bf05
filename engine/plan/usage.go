package plan

import (
	"slices"

	"github.com/declprov/declprov/spec/expr"
)

// Usage marks the members of step results to which templates refer. Named are the
// steps by name.
type Usage struct{ Named map[string]*Step }

// MarkTemplate marks the members to which a template refers. It is evaluated after the steps
// before and, unless own is nil, on the response of that step; each.value is an element of the
// path each.
func (w Usage) MarkTemplate(before []*Step, own *Step, each []string, v *expr.Value) {
	if v == nil {
		return
	}
	for _, ref := range v.Refs() {
		path := ref.Path
		if len(path) > 1 && path[0] == "each" && path[1] == "value" && each != nil {
			path = append(slices.Clone(each), path[2:]...)
		}
		if of, member := w.Resolve(before, own, path); of != nil {
			of.MarkUsed(member)
		}
	}
}

// LoopPath returns the path of the elements over which forEach iterates, if forEach
// is just a path. Only the members of the elements that are used are then marked.
// Otherwise it marks what forEach refers to, and returns nil.
func (w Usage) LoopPath(before []*Step, forEach *expr.Value) []string {
	if forEach == nil {
		return nil
	}
	if pieces := forEach.Segments(); len(pieces) == 1 && pieces[0].Ref != nil {
		return append(slices.Clone(pieces[0].Ref), "*")
	}
	w.MarkTemplate(before, nil, nil, forEach)
	return nil
}

// MarkStep marks the members to which the templates of a step refer. before are the
// steps before it.
func (w Usage) MarkStep(before []*Step, s *Step) {
	each := w.LoopPath(before, s.ForEach)
	for _, v := range s.Templates() {
		w.MarkTemplate(before, nil, each, v)
	}
	for _, v := range s.OwnTemplates() {
		w.MarkTemplate(before, s, each, v)
	}
}

// Resolve returns the step to whose result a path refers, and the rest of the path. The path is
// that of a template which is evaluated after the steps before and, unless own is nil, on the
// response of that step: that of one element, if the step has a forEach.
func (w Usage) Resolve(before []*Step, own *Step, path []string) (*Step, []string) {
	var of *Step
	switch {
	case own != nil && path[0] == "result":
		return own, path[1:]
	case own != nil && own.Once().hasShorthand(path[0]):
		return own, path
	case path[0] == "result":
		of, path = Last(before), path[1:]
	case path[0] == "steps" && len(path) > 1:
		of, path = w.Named[path[1]], path[2:]
	default:
		// Later steps without these names leave them as they are.
		for _, s := range slices.Backward(before) {
			if s.hasShorthand(path[0]) {
				of = s
				break
			}
		}
	}
	if of != nil && of.ForEach != nil && len(path) > 0 {
		path = path[1:] // the index or key
	}
	return of, path
}
