package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/types"
)

// remedyWire says how a property is named that a typed response has under another name:
// one of those members of it that the name may mean. It is "" where none does.
func (c *compiler) remedyWire(op *operation, t *spec.Type, p *spec.Property) string {
	if op == nil || op.ret != nil || t == nil {
		return ""
	}
	const most = 3
	var meant []string
	rule := value.WireRule(c.wireRule())
	for _, f := range t.Fields {
		if len(meant) < most && mayMean(p.Name, f.Name) && types.Projectable(f.Type, p.Type, c.spec.Types) == nil {
			meant = append(meant, value.WireArgument(rule.Name(f)))
		}
	}
	if len(meant) == 0 {
		return ""
	}
	return fmt.Sprintf(" If it is %s of the response, give that this name in the type that the step returns: `%s: … @wire(%s)`.", diag.Joined(meant, "or"), p.Name, meant[0])
}

// mayMean reports whether a property may be another name of a member: id of poolId.
func mayMean(name, member string) bool {
	plain := func(s string) string { return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(s)) }
	a, b := plain(name), plain(member)
	const least = 2
	return len(a) >= least && len(b) >= least && (strings.HasSuffix(a, b) || strings.HasSuffix(b, a) || strings.HasPrefix(b, a) || strings.HasPrefix(a, b)) ||
		diag.DidYouMean(a, []string{b}) != ""
}

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
		if p := r.res.spec.Outputs.Field(name); p != nil && !p.Range.IsZero() {
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
	name, has := r.res.spec.Name, ""
	for _, ref := range r.res.id.Refs() {
		within := ref.Path[:len(ref.Path)-1]
		if len(within) == 0 || has != "" || !slices.Contains(append([]string{"steps"}, answerNames...), within[0]) {
			continue
		}
		if has = whatItHas(r.yielded(within...)); has != "" {
			has = fmt.Sprintf(" (of %s%s)", strings.Join(within, "."), has)
		}
	}
	return fmt.Errorf("%s has no id: `id` yields nothing after create%s (%s)", name, has, r.res.spec.ID.Range)
}
