// Package reading reads resources: it runs `read`, and tells the state that its response gives.
package reading

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/compare"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/outputs"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/expr"
)

// Reading is a run of `read`.
type Reading struct {
	*operation.Run
	// Rules are the rules by which values of the resource are compared.
	Rules compare.Rules
	// Taken returns an error that has a remedy if the object of a state belongs to another resource.
	Taken func(s recorded.State, remedy string) error
}

// Read runs the steps of `read` and returns its value, and verdict.ErrGone if it finds nothing.
func (r Reading) Read(ctx context.Context) (any, error) {
	if err := r.Steps(ctx); err != nil {
		switch {
		case errors.Is(err, actions.ErrNoStore):
			return nil, errors.New(err.Error()) // which is not ErrNotFound
		case errors.Is(err, verdict.ErrNotFound) && r.Failed == 0:
			return nil, verdict.ErrGone
		}
		if errors.Is(err, verdict.ErrGone) {
			err = cmp.Or(r.NotOnPages(r.Operation.Steps[r.Failed]), r.Mask().Error(err))
		}
		return nil, err
	}
	yield, err := r.Return(r.Operation)
	if err != nil {
		return nil, err
	}
	if yield != nil {
		return yield, nil
	}
	if r.Operation.Return != nil {
		return nil, cmp.Or(r.NotOnPages(r.Operation.Steps...), r.Mask().Error(verdict.GoneBy("`return` is null", r.Marked("result"))))
	}
	return nil, r.noResult()
}

// noResult returns the error of a read whose last step gives null, of which nothing says what it means.
func (r Reading) noResult() error {
	what, null, where := "its result is null", "result", "the step"
	last := plan.Last(r.Operation.Steps)
	if last == nil {
		return errors.New("read has no step that ran: say with `return` what that means")
	}
	if last.ForEach == nil && last.Yield != "" {
		what, null = "its "+last.Yield+" is null", "result."+last.Yield
	}
	if slices.ContainsFunc(plan.Shorthands(last), func(n expr.Name) bool { return n.Name == last.Yield }) {
		null = last.Yield
	}
	if title := r.TitleOf(last); title != "" {
		what = title + ", but nothing in the response"
	}
	if r.Resource.Spec.Read.Rest {
		where = "`rest`"
	}
	err := fmt.Errorf("%s: if that means that the object does not exist, add `gone: \"${%s == null}\"` to %s; otherwise say with `return` what it means", what, null, where)
	return r.Mask().Error(r.Stop(last, 1, actions.Refused, err))
}

// ReadPastMissing continues a read after the step that found nothing, and returns its value. What
// depends on a step that found nothing is unknown in it. It returns nil if no step found
// anything, or if all steps ran and `return` is null.
func (r Reading) ReadPastMissing(ctx context.Context) (any, error) {
	if len(r.Results) == len(r.Operation.Steps) {
		return nil, nil
	}
	missing := r.Operation.Steps[r.Failed]
	if err := r.NotOnPages(missing); err != nil {
		return nil, err
	}
	r.Record(missing, expr.Unknown{})
	found := r.Failed > 0
	for _, s := range r.Operation.Steps[r.Failed+1:] {
		err := r.Step(ctx, s)
		switch {
		case err == nil:
			found = true
			continue
		case errors.Is(err, verdict.ErrGone), errors.Is(err, verdict.ErrNotFound):
			err = r.NotOnPages(s)
		case errors.Is(err, scope.ErrNotKnown): // its arguments need what an earlier step did not find
			err = nil
		}
		if err != nil {
			return nil, err
		}
		r.Record(s, expr.Unknown{})
	}
	if !found {
		return nil, nil
	}
	return r.Return(r.Operation)
}

// State returns the old state, updated by the value of a read.
func (r Reading) State(old recorded.State, yield any, importing bool) (*recorded.State, error) {
	m := r.Mask()
	got, lost := value.ProjectRead(r.Resource.Outputs, yield, m)
	if always := r.alwaysShown(); always != nil && len(got.Values) == 0 && r.showsNothing(yield) {
		return nil, m.Error(fmt.Errorf("read of %s: %w", r.Resource.Spec.Name, outputs.MissingError(r.Run, "read yields", always, yield)))
	}
	outputs.KeepUnread(r.Resource, &got, old.Outputs.AsMap(), true)
	got.Missing = slices.DeleteFunc(got.Missing, func(name string) bool { return r.Resource.Outputs.ByName[name].NoRead })
	if lost == nil && len(got.Missing) > 0 {
		lost = outputs.MissingError(r.Run, "read yields", got.Missing, yield)
	}
	inputs, lostInputs := r.InputsOf(old, yield, importing)
	if all, changed := r.Resource.Inputs.Seal(property.New(inputs)); changed {
		inputs = all.AsMap() // the spec may have declared it secret since then
	}
	lost = errors.Join(lost, lostInputs)
	// A managed resource stays managed without the values that cannot be recorded; an import
	// fails.
	if lost != nil && (importing || !value.IsUnrecordable(lost)) {
		return nil, m.Error(fmt.Errorf("read of %s: %w", r.Resource.Spec.Name, lost))
	}
	for name, value := range got.Values {
		got.Values[name] = recorded.CopySecrecy(value, old.Outputs.Get(name))
	}
	private := old.Private
	private.ETags = r.ETags
	private.SchemaVersion = r.Resource.Spec.SchemaVersion // an import has none yet
	private.Unshown = r.unshown(old, yield, importing)
	if f := private.Failed; f != nil {
		seen := *f
		if f.Op == string(plan.Update) {
			seen.Seen, seen.Unread = true, r.Unread(old, yield) // from now on what differs in the rest is known
		} else {
			seen.Drifted = f.Drifted || !property.New(inputs).Equals(property.New(old.Inputs))
		}
		private.Failed = &seen
	}
	found, err := r.identify(old, recorded.State{Inputs: inputs, Outputs: recorded.WithInputs(inputs, got.Values), Private: private}, importing && !old.Private.Lookup)
	if err != nil {
		return nil, m.Error(fmt.Errorf("read of %s: %w", r.Resource.Spec.Name, err))
	}
	if lost != nil {
		lost = m.Error(fmt.Errorf("read of %s: %w", r.Resource.Spec.Name, lost))
	}
	if recorded.IsHalfMade(r.Resource, old) && recorded.RanWith(old, old.Inputs) {
		found.KeepOriginal(old.Inputs)
	}
	return &found, lost
}

// ETagsOf returns the ETags of a read after a change, "" if the read shows another version than what was sent:
// with its ETags, the next change would overwrite what somebody else has written since.
func (r Reading) ETagsOf(ctx context.Context, sent property.Map, yield any) actions.ETags {
	if r.ETags == "" {
		return ""
	}
	found, err := value.ProjectRead(r.Resource.Inputs, yield, r.Mask())
	for _, m := range r.Resource.Inputs.Fields {
		was, given := sent.GetOk(m.Name)
		shown, there := found.Values[m.Name]
		if err != nil || !given || !there || m.NoRead || m.Ephemeral || m.Normalised || r.Rules.Read().IsSame(ctx, m, was, unmask(m, was, shown)) {
			continue
		}
		r.Log.Message(operation.Warning, fmt.Sprintf("reading it back shows another value of %s than was sent, so its ETag is not recorded: somebody may have changed it since. Run `pulumi refresh` before the next change", m.Name))
		return ""
	}
	return r.ETags
}

// alwaysShown returns the required inputs that a response to read has, nil if the author says by `return`
// what a read means.
func (r Reading) alwaysShown() (names []string) {
	last := plan.Last(r.Operation.Steps)
	if r.Operation.Return != nil && !r.Resource.Spec.Read.Rest || last == nil || last.Yield == "" || last.ForEach != nil {
		return nil
	}
	for _, m := range r.Resource.Inputs.Fields {
		if m.Required && !m.NoRead && !m.Ephemeral && !r.Resource.Identity.Determines(m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// showsNothing reports whether a response is an object that has no input of the resource. Such a response is
// an error with the status of a success, or it is about something else.
func (r Reading) showsNothing(yield any) bool {
	object, isObject := yield.(map[string]any)
	found, err := value.ProjectRead(r.Resource.Inputs, yield, r.Mask())
	return isObject && object != nil && err == nil && len(found.Values) == 0
}

// InputsOf returns the recorded inputs, updated by the value of a read. Inputs that mean the same as
// before keep their recorded value.
func (r Reading) InputsOf(old recorded.State, yield any, importing bool) (property.Map, error) {
	inputs := old.Inputs
	found, err := value.ProjectRead(r.Resource.Inputs, yield, r.Mask())
	if err != nil && !value.IsUnrecordable(err) {
		return inputs, err
	}
	written := old.Private.Written.Values(r.Resource)
	for _, m := range r.Resource.Inputs.Fields {
		recorded, given := old.Inputs.GetOk(m.Name)
		shown, there := found.Values[m.Name]
		wrote, wasWritten := written[m.Name]
		shown = unmask(m, recorded, shown)
		// The server may choose the value of a property that is an input and an output. It
		// counts as an input only if the program has set it.
		chosen := !importing && !given && !wasWritten && r.Resource.Outputs.ByName[m.Name] != nil
		switch {
		case slices.Contains(found.Lost, m.Name):
			// It keeps its recorded value.
		case wasWritten && r.Rules.Read().IsSame(r.Vars.Context, m, wrote.Server, shown):
			inputs = wrote.Restore(inputs, m.Name)
		case given != there && r.Rules.Read().IsSame(r.Vars.Context, m, recorded, shown):
			// One of them is empty, and the other is absent.
		case m.NoRead || m.Ephemeral || chosen:
			if importing && !given && m.Default != nil {
				inputs = inputs.Set(m.Name, m.Fallback)
			}
		case !there && (m.Required || r.Resource.Identity.Addresses(m.Name) && given):
			// It cannot be unset, or it names the object, which was found by it: it keeps its recorded value.
		case !there && meansDefault(m, given, importing):
			inputs = inputs.Set(m.Name, m.Fallback)
		case !there:
			inputs = inputs.Delete(m.Name)
		case given && (value.PlainEqual(recorded, shown) || r.Rules.Read().IsSame(r.Vars.Context, m, recorded, shown)):
		default:
			shown = wrote.Drifted(shown)
			inputs = inputs.Set(m.Name, shown.WithSecret(shown.Secret() || recorded.HasSecrets()))
		}
	}
	return inputs, err
}

// Without returns the value of a read without the inputs with some names.
func Without(yield any, names []string) any {
	object, _ := yield.(map[string]any)
	if object == nil || names == nil {
		return yield
	}
	rest := maps.Clone(object)
	for _, name := range names {
		delete(rest, name)
	}
	return rest
}

// unmask returns the shown value of an input with the recorded secrets in place of masks. With @normalised(), a
// mask is what the server makes of the secret.
func unmask(m *value.Member, recorded, shown property.Value) property.Value {
	if m.Normalised {
		return shown
	}
	unmasked, _ := value.Unmask(recorded, shown)
	return unmasked
}

// Unread returns the inputs of a state of which the value of a read does not show what the object has: those that
// read never returns, those that it lacks now, and those that the server shows in a form of its own, as
// it did after the last write. A mask such as "***" is such a form, and stands for any secret.
func (r Reading) Unread(old recorded.State, yield any) []string {
	found, _ := value.ProjectRead(r.Resource.Inputs, yield, r.Mask()) // an error is that of InputsOf
	written := old.Private.Written.Values(r.Resource)
	var out []string
	for _, m := range r.Resource.Inputs.Fields {
		shown, there := found.Values[m.Name]
		wrote, wasWritten := written[m.Name]
		same := func(v property.Value) bool { return r.Rules.Read().IsSame(r.Vars.Context, m, v, shown) }
		_, masked := value.Unmask(old.Inputs.Get(m.Name), shown)
		switch {
		case masked:
			out = append(out, m.Name)
		case m.NoRead || m.Ephemeral || slices.Contains(found.Lost, m.Name),
			!there && m.Required && !r.Resource.Identity.Determines(m.Name),
			wasWritten && same(wrote.Server) && !same(old.Inputs.Get(m.Name)):
			out = append(out, m.Name)
		}
	}
	return out
}

// unshown returns the inputs that neither the import nor this read of an object has shown. A secret that the
// API rewrites is one: it shows a mask.
func (r Reading) unshown(old recorded.State, yield any, importing bool) string {
	unread, before := r.Unread(old, yield), strings.Fields(old.Private.Unshown)
	var out []string
	for _, m := range r.Resource.Inputs.Fields {
		known := !importing && !slices.Contains(before, m.Name)
		if !known && !m.Ephemeral && (slices.Contains(unread, m.Name) || m.Normalised && m.IsSecret()) {
			out = append(out, m.Name)
		}
	}
	return strings.Join(out, " ")
}

// meansDefault reports whether a property that a response does not have has its default. If the
// property was not recorded, the spec has got it since the last write, and the next update sends it.
func meansDefault(m *value.Member, recorded, importing bool) bool {
	return m.Default != nil && (recorded || importing)
}

// OutputsOf returns the outputs in the value of a read after a write. It keeps those of the write that a
// read does not return.
func (r Reading) OutputsOf(of *operation.Run, yield any, made map[string]property.Value) (map[string]property.Value, error) {
	got, err := value.ProjectRead(r.Resource.Outputs, yield, r.Mask())
	outputs.KeepUnread(r.Resource, &got, made, true)
	if err == nil && len(got.Missing) > 0 {
		err = outputs.MissingError(of, "read yields", got.Missing, yield)
	}
	return got.Values, err
}
