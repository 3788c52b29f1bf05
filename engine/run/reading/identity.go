package reading

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
)

// idOf returns the id that the response of a read gives a resource with the inputs that were
// read, "" if it gives none.
func (r Reading) idOf(inputs property.Map) string {
	if !r.Resource.Identity.Follows {
		return ""
	}
	of := r.Resource.Identity
	if of.Answered && r.Operation.Return == nil && len(of.OfInputs) == 0 || !of.Answered && r.areUnchanged(of.OfInputs, inputs) {
		return r.EvalPublicID() // of what is in scope already
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
		if id := r.EvalPublicID(); id != "" && !slices.Contains(found, id) {
			found = append(found, id)
		}
	}
	if len(found) == 2 && r.ID != "" {
		return "" // the response and the value of read lead to different ids
	}
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// identify returns the state that a read found with its id: the one that the read gives, else the
// one that it had.
func (r Reading) identify(old, found recorded.State, importing bool) (recorded.State, error) {
	found.ID = r.idOf(found.Inputs)
	if found.ID == "" {
		found.ID = recorded.CurrentID(old)
	}
	found.Private.ID = ""
	if found.ID == "" {
		return found, errors.New("cannot determine its id: neither the import ID nor the result of `read` contains it")
	}
	if err := r.checkIdentity(old, found); err != nil || !importing {
		return found, err
	}
	return found, r.checkImported(found.ID, found.Inputs)
}

// checkImported returns an error if the text of an import gives an input a value that its type does not allow: no
// program could declare the object. The read may have corrected the value.
func (r Reading) checkImported(text string, inputs property.Map) error {
	f := value.Findings{Context: r.Vars.Context}
	for _, m := range r.Resource.Inputs.Fields {
		if v, given := inputs.GetOk(m.Name); given && r.Resource.Identity.Determines(m.Name) {
			m.Check.Complete(v, m.Name, &f)
		}
	}
	if len(f.List) == 0 {
		return nil
	}
	return fmt.Errorf("it cannot be imported as %q, because no program could declare it: %s %s", text, f.List[0].Path, f.List[0].Reason)
}

// areUnchanged reports whether inputs have their recorded values.
func (r Reading) areUnchanged(names []string, inputs property.Map) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		v, given := inputs.GetOk(name)
		return !given || v.IsNull() || !v.Equals(r.Before.Get(name))
	})
}

// responsesForID returns what stands for the response of the create after a read: the response of
// the read, and the same with the value of the read as its body.
func (r Reading) responsesForID() []any {
	raw := r.Vars.Values["result"]
	s := plan.Last(r.Operation.Steps)
	yield, err := r.PlainReturn(r.Operation)
	if s == nil || err != nil || yield == nil || s.ForEach != nil {
		return []any{raw}
	}
	return []any{raw, s.WithYield(yield, raw)}
}

// A read may tell another id than the recorded one. If the server has renamed the object, that is its
// id now. But a cache, a proxy or an API that searches may have returned the object of somebody else,
// which the next destroy would delete.

// checkIdentity returns an error if what a read has found is not the object of the state that was read.
func (r Reading) checkIdentity(old, found recorded.State) error {
	was := recorded.CurrentID(old)
	if old.Private.Lookup || was == found.ID {
		return nil
	}
	if err := r.Taken(found, "read names it, so nothing of it is recorded"); err != nil {
		return err
	}
	if was == "" || !r.Operation.AsksByID() || strings.EqualFold(was, found.ID) {
		return nil
	}
	if f := old.Private.Failed; f != nil && f.Op == string(plan.Update) {
		return nil // that update may have renamed it, and changed the rest
	}
	if old.Outputs.Len() == 0 {
		return nil // an import, which has nothing to compare
	}
	switch differs, known := r.CompareRest(old, found); {
	case differs != "":
		return fmt.Errorf("it was asked for the id %q and returned the object %q, whose %s is another one, too: nothing of it is recorded, because it may be somebody else's. "+
			"If it was renamed, run `pulumi state delete '%s'`, and import %q", was, found.ID, differs, r.Rules.Ref.Key, r.importText(found))
	case !known:
		return fmt.Errorf("it was asked for the id %q and returned the object %q, and nothing shows that this is the same: nothing of it is recorded. "+
			"If it was renamed, run `pulumi state delete '%s'`, and import %q", was, found.ID, r.Rules.Ref.Key, r.importText(found))
	}
	return nil
}

// importText returns what users type to import the object of a state.
func (r Reading) importText(s recorded.State) string {
	config, _ := r.Vars.Values["config"].(map[string]any)
	if text, ok := r.Resource.Identity.Imports.Write(r.Resource, config, s.ID, s.Inputs); ok {
		return text
	}
	return s.ID
}

// CompareRest compares what is not part of the id: the inputs that the program has set, and the outputs
// that never change. It returns the first that differs, and whether it could compare any.
func (r Reading) CompareRest(old, found recorded.State) (differs string, known bool) {
	for _, m := range r.Resource.Inputs.Fields {
		was, given := old.Inputs.GetOk(m.Name)
		if !given || was.IsNull() || m.NoRead || m.Ephemeral || slices.Contains(r.Resource.Identity.OfInputs, m.Name) {
			continue
		}
		if known = true; !r.Rules.Read().IsSame(r.Vars.Context, m, was, found.Inputs.Get(m.Name)) {
			return "inputs." + m.Name, true
		}
	}
	differs, stable := r.CompareStable(old, found)
	return differs, known || stable
}

// CompareStable is CompareRest for the outputs that never change. An equal one shows that the object is
// the same.
func (r Reading) CompareStable(old, found recorded.State) (differs string, known bool) {
	for _, m := range r.Resource.Outputs.Fields {
		was, given := old.Outputs.GetOk(m.Name)
		if !given || was.IsNull() || !m.Stable || m.NoRead {
			continue
		}
		if known = true; !value.PlainEqual(was, found.Outputs.Get(m.Name)) {
			return "outputs." + m.Name, true
		}
	}
	return "", known
}

// RefuseOther returns an error if a refresh with other settings, of which the names are moved, finds another object than the one
// of before: one with another id, or with other values of what never changes or names it.
func (r Reading) RefuseOther(before, after recorded.State, moved []string) error {
	names, _ := r.otherValues(before, after, r.Resource.Names)
	if recorded.CurrentID(before) != after.ID {
		names = append([]string{"the id"}, names...)
	}
	if moved == nil || names == nil {
		return nil
	}
	return r.Mask().Error(fmt.Errorf("the provider's configuration has another value of %s than when it was last read, and what read finds there has another value of %s: it is another object, which is left alone. "+
		"Restore the value or, if this resource is not to be managed any more, run `pulumi state delete '%s'`", diag.And(moved), diag.And(names), r.Rules.Ref.Key))
}

// otherValues returns the inputs that no update changes, or that are in also, and the outputs that never change, of which a read
// shows another value than was recorded. replaces is true if there is such an input.
func (r Reading) otherValues(before, after recorded.State, also []string) (names []string, replaces bool) {
	for _, m := range r.Resource.Inputs.Fields {
		was, given := before.Inputs.GetOk(m.Name)
		if (m.Replace || slices.Contains(also, m.Name)) && given && !was.IsNull() && !m.NoRead && !m.Ephemeral && !m.Normalised && !r.Rules.Read().IsSame(r.Vars.Context, m, was, after.Inputs.Get(m.Name)) {
			names = append(names, m.Name)
		}
	}
	return append(names, recorded.OtherStable(r.Resource, before, after)...), names != nil
}

// WarnOtherObject warns of a refresh that has found other values, under the id of before, in inputs that no update
// changes, or in outputs that never change: such an object may be another one, in a database that was restored or made anew,
// or one that somebody else has made under the name. `pulumi up` would replace the first, and change or delete both.
func (r Reading) WarnOtherObject(before, after recorded.State) {
	names, replaces := r.otherValues(before, after, nil)
	does := "change or delete what has this id"
	if replaces {
		does = "replace it, and delete what has this id"
	}
	if names == nil || recorded.CurrentID(before) != after.ID || before.Private.Failed != nil {
		return
	}
	r.Log.Message(operation.Warning, fmt.Sprintf("it has another value of %s than was recorded, under the same id %q. If that is another object (a database was restored, and its ids began anew, or somebody else has the name now), "+
		"run `pulumi state delete '%s'` now: `pulumi up` would %s", diag.And(names), after.ID, r.Rules.Ref.Key, does))
}

// WarnOtherID warns of a refresh that has found another id.
func (r Reading) WarnOtherID(was, now string) {
	switch {
	case was == now || was == "":
	case r.Operation.AsksByID():
		r.Log.Message(operation.Warning, fmt.Sprintf("its id was %q and is %q now, as read shows", was, now))
	default:
		r.Log.Message(operation.Warning, fmt.Sprintf("its id was %q and is %q now. Read does not ask for the id, so this may be another object, in the place of yours; "+
			"if somebody else owns it, run `pulumi state delete '%s'` before you update or destroy it", was, now, r.Rules.Ref.Key))
	}
}
