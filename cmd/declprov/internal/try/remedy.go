package try

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
)

// difference is an input whose value in the program differs from the one that was read.
type difference struct {
	name string
	// property is the declaration of the input, or nil.
	property *spec.Property
	// program and read are the two values; null means none.
	program, read property.Value
	// before is the value before the last update, if there was one: then updated is true.
	before  property.Value
	updated bool
}

// code returns the code of the finding.
func (d difference) code() string {
	switch {
	case d.property == nil:
		return codeReadDiffers
	case d.updated && !same(d.before, d.program) && (same(d.before, d.read) || keepsRemoved(d.program, d.read, d.before)):
		return codeNotApplied
	case !d.program.IsNull() && d.read.IsNull():
		return codeNotRead
	case d.program.IsNull():
		return codeFilledIn
	case d.updated && same(d.before, d.program):
		return codeSideEffect
	default:
		return codeReadDiffers
	}
}

// explain returns what is wrong, and what to write in the spec.
func (d difference) explain() (text, remedy string) {
	switch d.code() {
	case codeNotApplied:
		if d.read.IsNull() {
			return "read returns nothing, as before the update", d.notAppliedRemedy()
		}
		if keepsRemoved(d.program, d.read, d.before) {
			return fmt.Sprintf("read returns %s: what the program has removed is still there", show(d.read)),
				"The API keeps the members that are not sent, so update must send null for those that are removed. In rest, add `patch: \"merge\"`; otherwise `json: \"${mergePatch(state, changes)}\"`."
		}
		return fmt.Sprintf("read returns %s, as before the update", show(d.read)), d.notAppliedRemedy()
	case codeNotRead:
		return "read does not return this input",
			fmt.Sprintf("If the API never returns it, declare that: `%s: … @noRead()`. If it returns it under another name, add @wire(NAME), or return it from read.", d.name)
	case codeFilledIn:
		return fmt.Sprintf("the program does not set this input, and read returns %s", show(d.read)), d.filledInRemedy()
	case codeSideEffect:
		return fmt.Sprintf("the update did not change this input, and read returns %s in place of %s", show(d.read), show(d.program)),
			fmt.Sprintf("The API changes it with what the update sent: send it, too: `json: \"${merge(changes, pick(inputs, '%s'))}\"`. If both values mean the same: @equal(\"${…}\") over old and new.", d.name)
	default:
		return fmt.Sprintf("the program has %s, and read returns %s", show(d.program), show(d.read)), d.valueRemedy()
	}
}

// keepsRemoved reports whether a value that was read is that of the program, and members of maps that it had before.
func keepsRemoved(program, read, before property.Value) bool {
	if !program.IsMap() || !read.IsMap() || !before.IsMap() {
		return false
	}
	kept := false
	for name, is := range read.AsMap().All {
		had, hadIt := before.AsMap().GetOk(name)
		wanted, wants := program.AsMap().GetOk(name)
		switch {
		case !wants && hadIt && same(is, had):
			kept = true
		case wants && keepsRemoved(wanted, is, had):
			kept = true
		case !wants || !same(wanted, is):
			return false
		}
	}
	for name := range program.AsMap().All {
		if _, ok := read.AsMap().GetOk(name); !ok {
			return false
		}
	}
	return kept
}

// notAppliedRemedy returns the remedy for an update that does not reach the object.
func (d difference) notAppliedRemedy() string {
	if d.program.IsNull() {
		return "Update must send something that removes it, such as null: `json: \"${changes}\"` does, and for a PUT `json: \"${merge(inputs, mergePatch(state, changes))}\"`; in rest, add `patch: \"merge\"`. If the API requires a value, give the input that default (`*\"\" | string`). If it cannot remove it, add @replace(), or declare it in outputs, too: then its value is the API's choice."
	}
	return "Send it in update, under the name that the API expects (@wire); if the API cannot change it, add @replace(); if it never returns the value that was written, add @noRead()."
}

// filledInRemedy returns the remedy for a value that the API chooses.
func (d difference) filledInRemedy() string {
	choice := fmt.Sprintf("If the API chooses the value, declare it in outputs, too: `outputs: %s: …`", d.name)
	if !d.read.Secret() && (d.read.IsString() || d.read.IsNumber() || d.read.IsBool()) {
		return fmt.Sprintf("%s. If it is always the same, make it the default: `%s: *%s | …`.", choice, d.name, show(d.read))
	}
	return choice + "."
}

// valueRemedy returns the remedy for a value that the API returns in another form.
func (d difference) valueRemedy() string {
	if d.property != nil && d.property.Normalised {
		return "It is @normalised(), so what create or update returned was recorded as the API's own form of the value, and read returns another one. Let both return the same: see `return`."
	}
	if rule := equalRule(d.program, d.read); rule != "" {
		return fmt.Sprintf("If both mean the same: `%s: … %s`. If the API rewrites the value: `%s: … @normalised()`.", d.name, rule, d.name)
	}
	if d.property != nil && d.property.Default != nil && d.readsDefault() {
		return fmt.Sprintf("It is the default of %s, so the response may not have it at all: compare what read returns (`--trace` shows it), and return the part that has the properties: `return: \"${body.…}\"`. "+
			"If the API never returns the value: `%[1]s: … @noRead()`.", d.name)
	}
	if isMasked(d.read) {
		return fmt.Sprintf("The API returns a placeholder. Declare that it never returns the value: `%s: … @noRead()`.", d.name)
	}
	return fmt.Sprintf("Return what was written from read. If the API rewrites the value, declare that: `%s: … @normalised()`; if it only has another form, say when both mean the same: @equal(\"${…}\") over old and new; if the API never returns the value, add @noRead().", d.name)
}

// equalRule returns the attribute by which two values count as equal, or "".
func equalRule(program, read property.Value) string {
	switch {
	case program.IsString() && read.IsString():
		return equalTextRule(program.AsString(), read.AsString())
	case program.IsArray() && read.IsArray():
		return equalListRule(program.AsArray().AsSlice(), read.AsArray().AsSlice())
	}
	return ""
}

func equalTextRule(a, b string) string {
	switch {
	case strings.TrimSpace(a) == strings.TrimSpace(b):
		return "@equal(trim)"
	case strings.EqualFold(a, b):
		return "@equal(fold)"
	case strings.Contains(a, "/") && path.Clean(a) == path.Clean(b):
		return "@equal(path)"
	case value.EqualJSON(a, b, decode.DefaultValues):
		return "@equal(json)"
	}
	return ""
}

// equalListRule returns the attribute by which two lists with the same items in another order
// are equal, or "".
func equalListRule(a, b []property.Value) string {
	if len(a) != len(b) || slices.ContainsFunc(a, func(v property.Value) bool { return count(a, v) != count(b, v) }) {
		return ""
	}
	if key := keyOf(a); key != "" {
		return "@key(" + key + ")"
	}
	return "@set()"
}

func count(list []property.Value, v property.Value) int {
	n := 0
	for _, other := range list {
		if same(v, other) {
			n++
		}
	}
	return n
}

// keyOf returns a member that identifies the items of a list of objects, or "". That the values of a
// member differ in one list does not say that they always do, so the name must say it.
func keyOf(items []property.Value) string {
	for _, name := range []string{"id", "uuid", "key", "name"} {
		if len(items) > 0 && identifies(items, name) {
			return name
		}
	}
	return ""
}

func identifies(items []property.Value, name string) bool {
	seen := map[string]bool{}
	for _, item := range items {
		if !item.IsMap() {
			return false
		}
		v := item.AsMap().Get(name)
		if !v.IsString() && !v.IsNumber() || seen[fmt.Sprint(v)] {
			return false
		}
		seen[fmt.Sprint(v)] = true
	}
	return true
}

// readsDefault reports whether read returns the default of the input, as it does if the response does not have it.
func (d difference) readsDefault() bool {
	var read any
	switch {
	case d.read.IsString():
		read = d.read.AsString()
	case d.read.IsBool():
		read = d.read.AsBool()
	case d.read.IsNumber():
		read = d.read.AsNumber()
	default:
		return false
	}
	return fmt.Sprint(read) == fmt.Sprint(d.property.Default)
}

// isMasked reports whether a value is a placeholder for a secret, such as "****".
func isMasked(v property.Value) bool {
	if !v.IsString() {
		return false
	}
	text := v.AsString()
	return text == "" || strings.Trim(text, "*•xX") == "" || strings.HasPrefix(text, "***") || strings.EqualFold(text, "<redacted>") || strings.EqualFold(text, "[redacted]") || strings.EqualFold(text, "redacted")
}

// same compares two values regardless of whether they are secret.
func same(a, b property.Value) bool { return value.PlainEqual(a, b) }
