package operation

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/verdict"
)

// What find finds stands for a response that was lost. It is the object, and has nothing that only the response told, such as
// the address of a job. A wait for that job would ask for null, and any response would count as that of the job.

// Lacking is what a step requires of a lost response, and what stands for the response lacks.
type Lacking struct {
	// Of is the step whose response was lost.
	Of *plan.Step
	// Member is the path of the member in the result of that step.
	Member string
}

// Found records that a step was done, by what was found in place of its response.
func Found(r *Run, s *plan.Step, value any) {
	r.Effect(s, verdict.Verdict{Status: actions.Done, Value: value})
	if r.Lost = true; value != nil {
		StandIn(r, s)
	}
}

// StandIn records that the result of a step is not its response.
func StandIn(r *Run, s *plan.Step) {
	if r.StandIns == nil {
		r.StandIns = map[int]bool{}
	}
	r.StandIns[s.Index] = true
}

// HasUnasked reports whether a step without an effect was not sent, because something else has shown what it waits for.
func HasUnasked(r *Run) bool {
	return slices.ContainsFunc(r.Operation.Steps, func(s *plan.Step) bool { return r.StandIns[s.Index] && s.Effect != actions.Write })
}

// AddResponse returns what find found for a step, with what only its response tells: see WithYield for the members.
func AddResponse(s *plan.Step, found, response any) any {
	if s.Yield == "" {
		return addMembers(found, response)
	}
	members, _ := found.(map[string]any)
	told, ok := response.(map[string]any)
	if !ok || members == nil {
		return found
	}
	out := maps.Clone(told)
	out[s.Yield] = addMembers(members[s.Yield], told[s.Yield])
	return out
}

// addMembers returns a value with the members of another one that it lacks.
func addMembers(v, other any) any {
	members, ok := v.(map[string]any)
	others, both := other.(map[string]any)
	if !ok || !both {
		if v == nil {
			return other
		}
		return v
	}
	out := maps.Clone(members)
	for name, part := range others {
		out[name] = addMembers(members[name], part)
	}
	return out
}

// standsIn reports whether a step is not to be sent, because it requires what only a lost response told, and something else
// shows that what it waits for is done.
func standsIn(ctx context.Context, r *Run, s *plan.Step) (settled bool, err error) {
	delete(r.StandIns, s.Index)
	lacks, is := lacking(r, s)
	if !is {
		return false, nil
	}
	if err := r.Owner.Unasked(ctx, s, lacks); err != nil {
		return false, err
	}
	StandIn(r, s)
	r.Record(s, nil)
	return true, nil
}

// lacking returns what a step that asks or waits for what earlier steps have begun requires of a lost response, if what stands
// for that lacks it.
func lacking(r *Run, s *plan.Step) (Lacking, bool) {
	if role := plan.RoleOf(s, before(r, s)); len(r.StandIns) == 0 || r.Undoing || !role.IsVague() && !role.Decides() {
		return Lacking{}, false
	}
	for _, ref := range s.Refs() {
		of, path := plan.ResultOf(r.Operation.Steps[:s.Index], nil, ref.Path)
		if of != nil && len(path) > 0 && r.StandIns[of.Index] && lacksMember(of, r.Results[of.Index], path) {
			return Lacking{Of: of, Member: strings.Join(path, ".")}, true
		}
	}
	return Lacking{}, false
}

// lacksMember reports whether what stands for the response to a step lacks a member. What is not what the step yields, such as
// the status and the headers, is about another request.
func lacksMember(of *plan.Step, value any, path []string) bool {
	return of.Yield != "" && path[0] != of.Yield || member(value, path) == nil
}
