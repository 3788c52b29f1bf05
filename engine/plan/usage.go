package plan

import (
	"slices"

	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/lists"
)

// MarkUsed marks the members of step results to which a template refers. It is evaluated after the
// steps before.
func MarkUsed(before []*Step, v *expr.Value) { markUsed(before, nil, nil, v.Refs()) }

// MarkUsedInLoop is MarkUsed for templates in which each.value is an element of a list or map.
func MarkUsedInLoop(before []*Step, list *expr.Value, templates ...*expr.Value) {
	each := loopPath(before, list)
	for _, v := range templates {
		markUsed(before, nil, each, v.Refs())
	}
}

// MarkUsedBy marks the members of step results to which a step refers. before are the steps before it.
func MarkUsedBy(s *Step, before []*Step) {
	each := loopPath(before, s.ForEach)
	markUsed(before, nil, each, s.refsOfElement())
	markUsed(before, s, each, s.ownRefs())
}

// markUsed is MarkUsed for references, which may also be to the response of the step own, unless it is nil. each
// is the path of what each.value is an element of, or nil.
func markUsed(before []*Step, own *Step, each []string, refs []expr.Ref) {
	for _, ref := range refs {
		path := ref.Path
		if len(path) > 1 && path[0] == "each" && path[1] == "value" && each != nil {
			path = append(slices.Clone(each), path[2:]...)
		}
		if of, member := ResultOf(before, own, path); of != nil {
			of.MarkUsed(member)
		}
	}
}

// loopPath returns the path of the elements over which forEach iterates, if forEach
// is just a path. Only the members of the elements that are used are then marked.
// Otherwise it marks what forEach refers to, and returns nil.
func loopPath(before []*Step, forEach *expr.Value) []string {
	if forEach == nil {
		return nil
	}
	if pieces := forEach.Segments(); len(pieces) == 1 && pieces[0].Ref != nil {
		return append(slices.Clone(pieces[0].Ref), "*")
	}
	MarkUsed(before, forEach)
	return nil
}

// ResultOf returns the step to whose result a path refers, nil if to none, and the rest of the path. The
// path is that of a template which is evaluated after the steps before and, unless own is nil, on the
// response of that step: that of one element, if the step has a forEach.
func ResultOf(before []*Step, own *Step, path []string) (*Step, []string) {
	var of *Step
	switch {
	case own != nil && path[0] == "result":
		return own, path[1:]
	case own != nil && own.Once().hasShorthand(path[0]):
		return own, path
	case path[0] == "result":
		of, path = Last(before), path[1:]
	case path[0] == "steps" && len(path) > 1:
		of, path = Named(before, path[1]), path[2:]
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

// Named returns the step with a name, or nil.
func Named(steps []*Step, name string) *Step {
	return lists.Find(steps, func(s *Step) bool { return s.Model.As == name })
}
