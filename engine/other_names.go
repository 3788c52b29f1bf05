package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
)

// whatItHas lists the members of a response, for an error about one that it lacks; ""
// where it is no object, or secret as a whole.
func whatItHas(v any) string {
	members, ok := v.(map[string]any)
	if !ok {
		return ""
	}
	if len(members) == 0 {
		return "; it has no members"
	}
	const most, longest = 10, 40
	var names []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if len(names) == most {
			names = append(names, fmt.Sprintf("and %d more", len(members)-most))
			break
		}
		names = append(names, value.WireArgument(actions.Clip(name, longest)))
	}
	return "; it has: " + strings.Join(names, ", ")
}

// lacks is the error of a yield without outputs that are required: where they are
// declared, and what there is instead.
func (r *run) lacks(what string, missing []string, yield any) error {
	var places []string
	for _, name := range missing {
		if p := r.res.Spec.Outputs.Field(name); p != nil && !p.Range.IsZero() {
			name += fmt.Sprintf(" (%s)", p.Range)
		}
		places = append(places, name)
	}
	has := whatItHas(yield)
	if has != "" {
		has += fmt.Sprintf(". If it is there under another name, declare that: `%s: … @wire(NAME)`; else make it optional", missing[0])
	}
	return fmt.Errorf("%s no %s%s", what, diag.And(places), has)
}

// withoutID is the error of an id that yields nothing: where it stands, and what the
// response has of which it is made.
func (r *run) withoutID() error {
	name, has := r.res.Spec.Name, ""
	for _, ref := range r.res.ID.Refs() {
		within := ref.Path[:len(ref.Path)-1]
		if len(within) == 0 || has != "" || !slices.Contains(append([]string{"steps"}, plan.AnswerNames...), within[0]) {
			continue
		}
		if has = whatItHas(r.Marked(within...)); has != "" {
			has = fmt.Sprintf(" (of %s%s)", strings.Join(within, "."), has)
		}
	}
	return fmt.Errorf("%s has no id: `id` yields nothing after create%s (%s)", name, has, r.res.Spec.ID.Range)
}
