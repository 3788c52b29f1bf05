// Package outputs decides about single properties of a resource after an operation: which it
// leaves, which are missing, and which keep their recorded values.
package outputs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// MissingError returns the error of a value that lacks required outputs. It says where they are
// declared, and which members the value has instead.
func MissingError(r *operation.Run, what string, missing []string, yield any) error {
	var places []string
	for _, name := range missing {
		if p := r.Resource.Spec.Outputs.Field(name); p != nil && !p.Range.IsZero() {
			name += fmt.Sprintf(" (%s)", r.Place(p.Range))
		}
		places = append(places, name)
	}
	return fmt.Errorf("%s no %s%s", what, diag.And(places), describeInstead(r, missing[0], yield))
}

// describeInstead says what a value has that lacks an output, and what to do.
func describeInstead(r *operation.Run, missing string, yield any) string {
	members, _ := yield.(map[string]any)
	if v, there := members[missing]; there && v == nil {
		return fmt.Sprintf("; the response has null there. If the API may do that, make it optional: `%s?: …`", missing)
	}
	has := value.ListMembers(yield)
	switch envelope := envelopeOf(members); {
	case has == "":
		return ""
	case envelope != "" && isOfRest(r):
		return has + fmt.Sprintf(". If that is an envelope of the object, add `unwrap: %q` to rest", envelope)
	case envelope != "":
		return has + fmt.Sprintf(". If that is an envelope of the object, write `return: \"${body.%s}\"` in the operation", envelope)
	}
	has += fmt.Sprintf(". If it is there under another name, declare that: `%s: … @wire(NAME)`; if the server sets it later, wait for it in a step with `until`; else make it optional", missing)
	if r.Verb == plan.Read {
		has += fmt.Sprintf(". If only the response to the create has it, such as a token that is shown once: `%s: … @noRead()`", missing)
	}
	return has
}

// envelopeOf returns the only member of a response, if that is an object, and "" otherwise.
func envelopeOf(members map[string]any) string {
	for name, v := range members {
		if _, isObject := v.(map[string]any); isObject && len(members) == 1 {
			return value.WireArgument(actions.Clip(name, 40))
		}
	}
	return ""
}

// isOfRest reports whether rest stands for the operation of a run.
func isOfRest(r *operation.Run) bool {
	op := r.Resource.Spec.Create
	switch r.Verb {
	case plan.Read:
		op = r.Resource.Spec.Read
	case plan.Update:
		op = r.Resource.Spec.Update
	}
	return op != nil && op.Rest
}

// KeepUnread gives outputs that no read returns (`@noRead()`) their recorded values: if read is
// true, also those that the read has returned, because it may have masked them.
func KeepUnread(of *plan.Resource, got *value.Projection, before map[string]property.Value, read bool) {
	for _, m := range of.Outputs.Fields {
		if !m.NoRead {
			continue
		}
		if v, ok := before[m.Name]; ok && (read || got.Values[m.Name].IsNull()) {
			got.Values[m.Name] = v
			got.Missing = slices.DeleteFunc(got.Missing, func(name string) bool { return name == m.Name })
		}
	}
}

// FillMissing adds recorded values for the outputs that the value of an operation lacks. It returns
// an error if one has no recorded value.
func FillMissing(r *operation.Run, got value.Projection, before map[string]property.Value, yield any) error {
	for _, name := range got.Missing {
		v, ok := before[name]
		if !ok {
			return MissingError(r, fmt.Sprintf("%s has no read, and %s gives", r.Resource.Spec.Name, r.Verb), []string{name}, yield)
		}
		got.Values[name] = v
	}
	return nil
}

// Preview adds the members of `return` that are known before the operation to values.
func Preview(r *operation.Run, values map[string]property.Value) {
	yield, err := r.Return(r.Operation)
	if err != nil {
		return // what fails on unknowns is unknown
	}
	object, ok := yield.(map[string]any)
	if !ok {
		return
	}
	for name, v := range object {
		m := r.Resource.Outputs.ByName[name]
		if m == nil || v == nil || expr.HasUnknown(v) {
			continue
		}
		if value, err := m.Check.FromPlain(v, name, r.Mask()); err == nil {
			values[name] = value.WithSecret(value.Secret() || m.IsSecret())
		}
	}
}

// MissingIDError returns the error of an id that is null after a create. It lists the members of
// the innermost part of the response that is there on the way to the id.
func MissingIDError(r *operation.Run) error {
	name, has := r.Resource.Spec.Name, ""
	for _, ref := range r.Resource.ID.Refs() {
		if !slices.Contains(append([]string{"steps"}, plan.AnswerNames...), ref.Path[0]) {
			continue
		}
		for n := len(ref.Path) - 1; n > 0 && has == ""; n-- {
			within := ref.Path[:n]
			if has = value.ListMembers(r.Marked(within...)); has != "" {
				has = fmt.Sprintf(" (of %s%s)", strings.Join(within, "."), has) + envelopeRemedy(r, within, ref.Path[n:])
			}
		}
	}
	made, read := r.Resource.Spec.Create.Rest, r.Resource.Spec.Read
	locates := slices.ContainsFunc(r.Resource.ID.Refs(), func(ref expr.Ref) bool { return slices.Contains(ref.Path, "location") })
	switch maker := r.Resource.Maker; {
	case !made && (read == nil || !read.Rest || location(r) == "") || r.Marked("body") != nil || maker == nil:
	case !made && !locates:
		has += fmt.Sprintf("; its Location is %q: add `response: \"none\"` to rest", location(r))
	case made && maker.Args["response"].Node == nil:
		has += "; if the response to a create does not contain the object, add `response: \"none\"` to rest, and `unique: \"name\"` if it has no Location either"
	case location(r) != "":
		has += fmt.Sprintf("; its Location %q is not the path of an object, as rest has it. Correct `path` or `object`; or add `unique: \"name\"`, the input by which the list tells the id; "+
			"or write the `id` next to rest: `id: \"${split(headers.location, '/')[5]}\"`", location(r))
	case r.Resource.Find == nil:
		has += "; if the response to a create has no Location, add `unique: \"name\"` to rest, the input by which the list tells the id"
	}
	return fmt.Errorf("%s has no id: `id` yields nothing after create%s (%s)", name, has, r.Place(r.Resource.Spec.ID.Range))
}

// envelopeRemedy returns what to write if a response is the object itself, and the id is looked for in an envelope, or the reverse: the
// members of rest are missing within a part of the response.
func envelopeRemedy(r *operation.Run, within, rest []string) string {
	ofRest := r.Resource.Spec.Create.Rest && within[0] != "body" // as rest writes the id
	typed := r.Resource.Maker != nil && r.Resource.Maker.Args["returns"].Node != nil
	if typed {
		return "" // vet has compared the type with the id
	}
	members, _ := r.Marked(within...).(map[string]any)
	if bare := append(within[:len(within):len(within)], rest[1:]...); len(rest) > 1 && r.Marked(bare...) != nil {
		if ofRest {
			return fmt.Sprintf("; it is the object itself: if other responses have %s, write `unwrap: %q` in rest, else remove `unwrap`", rest[0], rest[0]+"?")
		}
		return fmt.Sprintf("; it is the object itself: write `id: \"${%s}\"`", strings.Join(bare, "."))
	}
	envelope := envelopeOf(members)
	if envelope == "" || r.Marked(slices.Concat(within, []string{envelope}, rest)...) == nil {
		return ""
	}
	if ofRest {
		return fmt.Sprintf("; the object is in %s: write `unwrap: %q` in rest if all responses have it, or `unwrap: %q` if only some have", envelope, envelope, envelope+"?")
	}
	return fmt.Sprintf("; the object is in %s: write `id: \"${%s}\"`", envelope, strings.Join(slices.Concat(within, []string{envelope}, rest), "."))
}

// location returns the header Location of the last response without its query, or "".
func location(r *operation.Run) string {
	result, _ := r.Vars.Values["result"].(map[string]any)
	headers, _ := result["headers"].(map[string]any)
	text, _ := headers["location"].(string)
	text, _, _ = strings.Cut(text, "?")
	return r.Mask().Text(text)
}
