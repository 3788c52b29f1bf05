package view

import (
	"errors"
	"fmt"
	"slices"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
)

// TakeID makes an id the current one, and puts it into scope.
func (v *View) TakeID(id string) {
	v.ID = id
	v.Vars.Values["id"] = id
}

// EvalID evaluates the id of the resource. It returns "" if the id is null or not known yet.
func (v *View) EvalID() (string, error) {
	if v.Resource.ID == nil {
		return "", nil
	}
	id, err := v.PublicText(v.Resource.ID, "it")
	switch {
	case errors.Is(err, scope.ErrNotKnown):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("cannot determine the id of %s: %w", v.Resource.Spec.Name, err)
	}
	if err := value.CheckID(id, "the id of "+v.Resource.Spec.Name); err != nil {
		return "", err
	}
	return id, nil
}

// IDIn evaluates the id with the result of a step. It returns "" if that does not give the id.
func (v *View) IDIn(s *plan.Step, result any) string {
	id := ""
	_ = v.WithResult(s, result, func() (err error) {
		id, err = v.EvalID()
		return err
	})
	return id
}

// EvalPublicID evaluates the id. It returns "" if the id is not known, or contains a secret.
func (v *View) EvalPublicID() string {
	v.Vars.Secrets = v.Secrets.Paths
	out, err := v.Resource.ID.Eval(v.Vars)
	if err != nil || out == nil || expr.HasUnknown(out) {
		return ""
	}
	secret := false
	out = expr.Reveal(out, func(any) { secret = true })
	text, err := value.Text(out)
	if err != nil || secret || value.CheckID(text, "") != nil || v.Mask().Holds(text) {
		return ""
	}
	return text
}

// HasIDSources reports whether the id can be evaluated from what the operation has so far.
// responded is true if a step has run.
func (v *View) HasIDSources(responded bool) bool {
	for _, ref := range v.Resource.ID.Refs() {
		switch name := ref.Path[0]; {
		case name == "steps":
			named, _ := v.Vars.Values["steps"].(map[string]any)
			if len(ref.Path) < 2 || named[ref.Path[1]] == nil {
				return false
			}
		case slices.Contains(plan.AnswerNames, name) && !responded:
			return false
		}
	}
	return true
}
