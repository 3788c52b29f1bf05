package operation

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec/expr"
)

// Undoes reports whether a failure undoes the create. After a failure of a step that waits for what earlier steps have begun,
// other than by its `fail`, it is not known whether anything has failed. Of the other steps that only read, what they are
// answered counts, such as the exit code of a check.
func Undoes(r *Run, failure error) bool {
	if r.Failed >= len(r.Operation.Steps) || verdict.IsUnfit(failure) {
		return true
	}
	var failed *StepError
	if !errors.As(failure, &failed) {
		return false
	}
	s := r.Operation.Steps[r.Failed]
	if failed.Fails || plan.RoleOf(s, before(r, s)).IsVague() {
		return failed.Fails
	}
	return s.Effect == actions.Write || failed.Refused && failed.Responded()
}

// Made returns the steps with an effect that ran, in order: in this run or, if `fail` has ended it, in earlier ones.
func Made(r *Run, failure error) []*Touched {
	var failed *StepError
	if !errors.As(failure, &failed) || !failed.Fails {
		return r.Touched
	}
	made := slices.Clone(r.Touched)
	for _, t := range r.Earlier {
		if r.Of(t.Step) == nil && r.Finished[t.Step.Index] {
			made = append(made, t)
		}
	}
	slices.SortStableFunc(made, func(a, b *Touched) int { return a.Step.Index - b.Step.Index })
	return made
}

// HasUndo reports whether one of these steps has undo steps.
func HasUndo(r *Run, failure error) bool {
	return slices.ContainsFunc(Made(r, failure), func(t *Touched) bool { return len(t.Step.Undo) > 0 })
}

// Proves reports whether the response to a step proves that what its undo steps, or a delete, would remove is what the step has
// made. The names that the program chooses may be those of an object of somebody else, which a server may find out
// only after it has responded.
func Proves(r *Run, t *Touched) bool {
	if t.Claim == actions.Made || removesAssigned(r, t) {
		return true
	}
	polls := slices.DeleteFunc(plan.Waiting{Operation: r.Operation}.Polls(t.Step), func(s *plan.Step) bool { return asksByName(r, s, t) })
	if len(polls) == 0 {
		return t.Claim != actions.Accepted
	}
	return !slices.ContainsFunc(polls, func(s *plan.Step) bool { return s.Index >= r.Failed && !r.Finished[s.Index] })
}

// asksByName reports whether a step asks for the object itself: by the id, or by names that the program has chosen and
// that the response repeats.
func asksByName(r *Run, s *plan.Step, t *Touched) bool {
	return !slices.ContainsFunc(s.Refs(), func(ref expr.Ref) bool {
		if ref.Path[0] == "id" {
			return false
		}
		of, path := plan.ResultOf(r.Operation.Steps[:s.Index], nil, ref.Path)
		if of != t.Step {
			return of != nil
		}
		text, is := member(t.Answer, path).(string)
		return !is || text != r.ID && !slices.Contains(chosen(r), text)
	})
}

// LeftAloneError adds to the failure of a create that something is not undone, because nothing proves that the create has made it.
func LeftAloneError(failure error, id string) error {
	return fmt.Errorf("%w; nothing proves that this create has made what is there now%s, so it is left alone: if it is yours, import it or remove it in the service; "+
		"else choose another name. `declprov journal` lists it", failure, id)
}

// claims returns what the responses of the steps so far say that they have done, and the steps of which they prove nothing yet.
func claims(r *Run) (by map[int]actions.Claim, unproven []int) {
	if r.Verb != plan.Create {
		return nil, nil
	}
	for _, t := range slices.Concat(r.Earlier, r.Touched) {
		if t.Claim != "" {
			if by == nil {
				by = map[int]actions.Claim{}
			}
			by[t.Step.Index] = t.Claim
		}
		if (t.Done || t.Unproven) && !Proves(r, t) && !slices.Contains(unproven, t.Step.Index) {
			unproven = append(unproven, t.Step.Index)
		}
	}
	return by, unproven
}

// removesAssigned reports whether the undo steps of a step, or if it has none, the id, name what they remove by a value that the
// server has assigned; or whether the undo steps check what they remove.
func removesAssigned(r *Run, t *Touched) bool {
	writes := false
	for n, u := range t.Step.Undo {
		if u.Effect != actions.Write {
			continue
		}
		writes = true
		refersTo := func(ref expr.Ref) bool {
			if of, _ := plan.ResultOf(t.Step.Undo[:n], nil, ref.Path); of != nil {
				return false
			}
			return isAssigned(r, ref.Path, t)
		}
		checks := u.When != nil && expr.Mention(u.When.Refs(), append([]string{"steps"}, plan.AnswerNames...)...)
		if !checks && !slices.ContainsFunc(u.Refs(), refersTo) {
			return false
		}
	}
	if writes {
		return true
	}
	return isAssigned(r, []string{"id"}, t)
}

// isAssigned reports whether a path refers to something in the response to a step that has made something, up to t, that does
// not consist of what the program has chosen.
func isAssigned(r *Run, path []string, t *Touched) bool {
	if path[0] == "id" {
		return slices.ContainsFunc(r.Resource.ID.Refs(), func(ref expr.Ref) bool { return ref.Path[0] != "id" && isAssigned(r, ref.Path, t) })
	}
	of, rest := plan.ResultOf(r.Operation.Steps[:t.Step.Index+1], nil, path)
	if of == nil || of.Effect != actions.Write {
		return false
	}
	answer := t.Answer
	if of != t.Step {
		answer = nil
		if of.Index < len(r.Results) {
			answer = r.Results[of.Index]
		}
	}
	if of.ForEach != nil {
		return answer != nil
	}
	switch v := member(answer, rest).(type) {
	case nil, bool:
		return false
	case string:
		return v != "" && !isChosen(r, v)
	default:
		return true
	}
}

// member returns the part of a response at a path, nil if there is none.
func member(response any, path []string) any {
	response = expr.Reveal(response, nil)
	for _, name := range path {
		members, _ := response.(map[string]any)
		response = expr.Reveal(members[name], nil)
	}
	return response
}

// chosen returns the texts among the inputs.
func chosen(r *Run) (texts []string) {
	inputs, _ := r.Vars.Values["inputs"].(map[string]any)
	for _, v := range inputs {
		if text, _ := expr.Reveal(v, nil).(string); text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// isChosen reports whether a text contains one of the inputs.
func isChosen(r *Run, text string) bool {
	parts := strings.FieldsFunc(text, func(c rune) bool { return strings.ContainsRune("/:?&=#", c) })
	return slices.ContainsFunc(chosen(r), func(chosen string) bool {
		return text == chosen || slices.Contains(parts, chosen) || len(chosen) > 2 && strings.Contains(text, chosen)
	})
}
