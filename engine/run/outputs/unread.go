package outputs

import (
	"fmt"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/diag"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
)

// WarnPlaceholders warns of inputs that an import does not give. In the program that it generates,
// `pulumi import` writes a placeholder, such as "", for each that is required. One with a default
// gets the default, whatever the object has.
func WarnPlaceholders(r *operation.Run, inputs property.Map) {
	var placeholders, defaults []string
	for _, m := range r.Resource.Inputs.Fields {
		given := inputs.Get(m.Name)
		switch hasDefault := m.Default != nil || m.DefaultExpr != nil; {
		case m.NoRead && hasDefault && (given.IsNull() || value.PlainEqual(given, m.Fallback)):
			defaults = append(defaults, m.Name)
		case m.Required && !hasDefault && given.IsNull():
			placeholders = append(placeholders, m.Name)
		}
	}
	if masked := value.Masks(inputs); masked != nil {
		r.Log.Message(operation.Warning, fmt.Sprintf("the API shows a mask, such as \"***\", in place of a secret in %s: write the secret into the program before you change it", diag.And(masked)))
	}
	if placeholders != nil {
		r.Log.Message(operation.Warning, fmt.Sprintf("the API does not return %s: generated code has a placeholder in its place, such as \"\"; write the value into the program before `pulumi up`", diag.And(placeholders)))
	}
	if defaults != nil {
		r.Log.Message(operation.Warning, fmt.Sprintf("the API does not return %s: the import assumes the default; if the object has another value, write it into the program before `pulumi up`", diag.And(defaults)))
	}
}

// WarnKept warns of inputs with @normalised() that an update has removed, as a whole or in part, although the server shows
// the same as before: it does not remove them. As the server may show what it wants, no refresh
// would find a difference.
func WarnKept(r *operation.Run, before, after *recorded.Written) {
	names, given, shown := before.Decode(r.Resource)
	_, left, now := after.Decode(r.Resource)
	var kept []string
	for _, name := range names {
		if removes(given.Get(name), left.Get(name)) && !shown.Get(name).IsNull() && value.PlainEqual(shown.Get(name), now.Get(name)) {
			kept = append(kept, name)
		}
	}
	if kept != nil {
		r.Log.Message(operation.Warning, fmt.Sprintf("the program has removed %s, or a part of it, and the API still shows the same: it seems to have kept it", diag.And(kept)))
	}
}

// WarnLost warns of outputs with @noRead() if a response was lost: the API may have returned them in it, and shows them
// nowhere else. key is the URN of the resource.
func WarnLost(r *operation.Run, recorded property.Map, key string) {
	if !r.Lost {
		return
	}
	var names []string
	for _, m := range r.Resource.Outputs.Fields {
		if m.NoRead && (recorded.Get(m.Name).IsNull() || r.Verb == plan.Update && !m.Stable) {
			names = append(names, m.Name)
		}
	}
	if names != nil {
		r.Log.Message(operation.Warning, fmt.Sprintf("the response was lost: if the API has returned a new value of %s, it is not known, because reads do not show it. To get one, replace the resource: `pulumi up --replace '%s'`", diag.And(names), key))
	}
}

// removes reports whether a value lacks what an earlier one has: the value itself, members, or items.
func removes(was, is property.Value) bool {
	switch {
	case is.IsNull():
		return !was.IsNull()
	case was.IsMap() && is.IsMap():
		for name, member := range was.AsMap().AllStable {
			if removes(member, is.AsMap().Get(name)) {
				return true
			}
		}
	case was.IsArray() && is.IsArray():
		return is.AsArray().Len() < was.AsArray().Len()
	}
	return false
}

// WarnUnread warns of a refresh whose value lacks required inputs. They keep their recorded values,
// because later operations may require them, so what has become of them is not seen.
func WarnUnread(r *operation.Run, inputs property.Map, yield any) {
	found, err := value.ProjectRead(r.Resource.Inputs, yield, r.Mask())
	if err != nil {
		return // which the refresh reports
	}
	var names []string
	for _, m := range r.Resource.Inputs.Fields {
		_, given := inputs.GetOk(m.Name)
		_, there := found.Values[m.Name]
		if m.Required && given && !there && !m.NoRead && !m.Ephemeral && !r.Resource.Identity.Determines(m.Name) {
			names = append(names, m.Name)
		}
	}
	if names != nil {
		r.Log.Message(operation.Warning, fmt.Sprintf("read does not return %s, so changes by others cannot be seen. In the spec, return it, or mark what the API never returns with @noRead()", diag.And(names)))
	}
}
