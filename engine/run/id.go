package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// precheckID reports what inputs make of the id that cannot be one, before anything is
// sent: once it is made, nothing could name it.
func (r *Run) precheckID() error {
	if r.res.ID == nil {
		return nil
	}
	inputs, _ := r.Vars.Values["inputs"].(map[string]any)
	for _, name := range r.res.IDInputs {
		if text, ok := inputs[name].(string); ok {
			if err := value.CheckID(text, "the id of "+r.res.Spec.Name); err != nil {
				return err
			}
		}
	}
	if !r.res.IDMixes {
		return nil
	}
	defer r.hideResponses()()
	if _, err := r.EvalID(); value.IsUnrecordable(err) {
		return err
	}
	return nil // what else is wrong with it, its step says
}

// takeLateID takes the id of a create that stopped before it had one, where it
// can be told: the step that failed may have answered, or the id may need no
// response.
func (r *Run) takeLateID() {
	if r.id != "" {
		return
	}
	if id := r.evalLateID(); id != "" {
		r.TakeID(id)
	}
}

// evalLateID is the id of a create that stopped before it had one, "" where that cannot be
// told.
func (r *Run) evalLateID() string {
	before := r.Vars.Values
	r.Vars.Values = maps.Clone(before)
	defer func() { r.Vars.Values = before }()
	// What is seen is the response of an earlier step, and not the last one's.
	for _, name := range plan.AnswerNames {
		r.Vars.Values[name] = expr.Unknown{}
	}
	if t := plan.Last(r.touched); t != nil && t.answer != nil && t.step.Index == r.failed && t.step.ForEach == nil {
		r.SetResult(t.step, t.answer)
	}
	id, err := r.EvalID()
	if err != nil {
		return ""
	}
	return id
}

// takeNewID takes the id that an update gave the resource. It is false where the responses
// of the update do not tell it: they lack it, or it is made of another operation's step.
func (r *Run) takeNewID() bool {
	if !r.hasIDSources() {
		return false
	}
	id, err := r.EvalID()
	if err != nil || id == "" {
		return false
	}
	r.TakeID(id)
	return true
}

// hasIDSources reports whether the id is made of what this operation has.
func (r *Run) hasIDSources() bool {
	for _, ref := range r.res.ID.Refs() {
		switch name := ref.Path[0]; {
		case name == "steps":
			named, _ := r.Vars.Values["steps"].(map[string]any)
			if len(ref.Path) < 2 || named[ref.Path[1]] == nil {
				return false
			}
		case slices.Contains(plan.AnswerNames, name) && plan.Last(r.results) == nil:
			return false
		}
	}
	return true
}

// goneRemedy is what to do about an update that found nothing to change.
func (r *Run) goneRemedy(old recorded.State) string {
	if f := old.Private.Failed; f != nil && f.Unknown && f.Op == string(plan.Update) && r.renames() {
		return "the response to an earlier update, which was to give it another name, was lost: " + r.newNameRemedy()
	}
	return "if it was deleted, run `pulumi refresh`: the next `pulumi up` makes it again"
}

// newNameRemedy is what to do about a resource that may be there under another id.
func (r *Run) newNameRemedy() string {
	return fmt.Sprintf("look for it in the service. If it is there under its new name, "+
		"run `pulumi state delete` and `pulumi import`; if %q was deleted, `pulumi refresh`", r.id)
}

// idFromRead is the id that a read's answer gives a resource with the inputs that it
// saw; "" where it gives none.
func (rt *Runtime) idFromRead(r *Run, inputs property.Map) string {
	if !r.res.Identity.Follows {
		return ""
	}
	of := r.res.Identity
	if of.Answered && r.Operation.Return == nil && len(of.OfInputs) == 0 || !of.Answered && r.areUnchanged(of.OfInputs, inputs) {
		return r.evalPublicID() // of what is in scope already
	}
	before := r.Vars
	defer func() { r.Vars = before }()
	var found []string
	answers := []any{nil}
	if of.Answered {
		answers = r.responsesForID()
	}
	for _, answer := range answers {
		vars := *before
		vars.Values = maps.Clone(before.Values)
		r.Vars = &vars
		r.SetInputs(inputs)
		if s := plan.Last(r.Operation.Steps); s != nil && answer != nil {
			r.SetResult(s, answer)
		}
		if id := r.evalPublicID(); id != "" && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	if len(found) == 2 && r.id != "" {
		return "" // the answer and what read makes of it say two things
	}
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// identify is the state that a read found, with its id: the one that the read
// gives, else the one that it had.
func (rt *Runtime) identify(r *Run, old recorded.State, found recorded.State) (recorded.State, error) {
	found.ID = rt.idFromRead(r, found.Inputs)
	if found.ID == "" {
		found.ID = recorded.CurrentID(old)
	}
	found.Private.ID = ""
	if found.ID == "" {
		return found, errors.New("its id cannot be told: neither the text that it is imported by nor what read gives has it")
	}
	return found, nil
}

// areUnchanged reports whether those inputs are as they were recorded.
func (r *Run) areUnchanged(names []string, inputs property.Map) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		v, given := inputs.GetOk(name)
		return !given || v.IsNull() || !v.Equals(r.before.Get(name))
	})
}

// responsesForID are what stands for the answer of a create's step after a read: the
// read's own, and what it yields as the body of such.
func (r *Run) responsesForID() []any {
	raw := r.Vars.Values["result"]
	s := plan.Last(r.Operation.Steps)
	yield, err := r.PlainReturn(r.Operation)
	if s == nil || err != nil || yield == nil || s.ForEach != nil {
		return []any{raw}
	}
	return []any{raw, answering(s, raw, yield)}
}

// evalPublicID evaluates the id: "" where it cannot be told, or holds a secret.
func (r *Run) evalPublicID() string {
	r.Vars.Secrets = r.Secrets.Paths
	out, err := r.res.ID.Eval(r.Vars)
	if err != nil || out == nil || expr.HasUnknown(out) {
		return ""
	}
	secret := false
	out = expr.Reveal(out, func(any) { secret = true })
	text, err := value.Text(out)
	if err != nil || secret || value.CheckID(text, "") != nil || r.Mask().Holds(text) {
		return ""
	}
	return text
}

// warnOtherID warns of a refresh that found another id where its read does not ask
// for the one that was recorded: what is there may be another object, in the place of the
// one that was.
func (r *Run) warnOtherID(old, now string) {
	if old == now || old == "" {
		return
	}
	if r.Operation.RefersToState() {
		return
	}
	r.Log.Message(Warning, fmt.Sprintf("its id was %q and is %q now. Read asks neither for the id nor for what was recorded, so this may be another object, in the place of yours; "+
		"if somebody else owns it, run `pulumi state delete '%s'` before you update or destroy it", old, now, r.ref.Key))
}

// resultID is the id that a create's response gives, "" where it gives none.
func (r *Run) resultID(s *plan.Step, response any) string {
	if s != r.res.Maker || r.Verb != plan.Create {
		return r.id
	}
	return r.evalResultID(s, response)
}

// evalResultID is the id that a response gives, "" where it gives none.
func (r *Run) evalResultID(s *plan.Step, response any) string {
	id := ""
	_ = r.WithResult(s, response, func() (err error) {
		id, err = r.EvalID()
		return err
	})
	return id
}

// describeID is the id of what find found, in words, where it can be told.
func (r *Run) describeID(s *plan.Step, found any) string {
	if id := r.resultID(s, found); id != "" {
		return fmt.Sprintf(" (its id is %q)", id)
	}
	return ""
}

// evalID evaluates the id in the run's scope: "" where it is not known, or null.
func (r *Run) EvalID() (string, error) {
	if r.res.ID == nil {
		return "", nil
	}
	id, err := r.PublicText(r.res.ID, "it")
	switch {
	case errors.Is(err, scope.ErrNotKnown):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("the id of %s cannot be told: %w", r.res.Spec.Name, err)
	}
	if err := value.CheckID(id, "the id of "+r.res.Spec.Name); err != nil {
		return "", err
	}
	return id, nil
}

// takeID puts the current id into scope.
func (r *Run) TakeID(id string) {
	r.id = id
	r.Vars.Values["id"] = id
}

// missingIDError is the error of an id that yields nothing: where it stands, and what the
// response has of which it is made.
func (r *Run) missingIDError() error {
	name, has := r.res.Spec.Name, ""
	for _, ref := range r.res.ID.Refs() {
		within := ref.Path[:len(ref.Path)-1]
		if len(within) == 0 || has != "" || !slices.Contains(append([]string{"steps"}, plan.AnswerNames...), within[0]) {
			continue
		}
		if has = listMembers(r.Marked(within...)); has != "" {
			has = fmt.Sprintf(" (of %s%s)", strings.Join(within, "."), has)
		}
	}
	return fmt.Errorf("%s has no id: `id` yields nothing after create%s (%s)", name, has, r.res.Spec.ID.Range)
}
