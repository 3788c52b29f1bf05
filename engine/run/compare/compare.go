// Package compare tells whether recorded and new values of a resource mean the same.
package compare

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec/stable"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Rules are the rules by which values of a resource are compared: those of their types, and the
// @equal rules of its inputs.
type Rules struct {
	Runtime  *operation.Runtime
	Resource *plan.Resource
	Ref      recorded.Ref
	// OfRead means that one of the values was read: an optional list or map that is empty
	// then counts as absent, because servers return either.
	OfRead bool
}

// Read returns the rules for values of which one was read.
func (r Rules) Read() Rules {
	r.OfRead = true
	return r
}

// Changes returns the properties that differ between recorded and new inputs, sorted by path,
// without those that are ignored.
func (r Rules) Changes(ctx context.Context, olds, news property.Map, ignore []string) []value.Change {
	d := r.differ(ctx)
	d.CompareObjects(r.Resource.Inputs, olds, news, "", r.Resource.Update == nil)
	out := slices.DeleteFunc(d.Changes, func(c value.Change) bool {
		return value.IsIgnored(c.Path, ignore) || c.Kind == value.Delete && r.ServerKeeps(c.Path)
	})
	stable.Sort(out, func(a, b value.Change) int { return cmp.Compare(a.Path, b.Path) })
	return out
}

// IsSame reports whether two values of a property mean the same, by all rules of a diff.
func (r Rules) IsSame(ctx context.Context, m *value.Member, old, new property.Value) bool {
	d := r.differ(ctx)
	d.Compare(m.Check, m, old, new, m.Name, false)
	return len(d.Changes) == 0
}

// Differ reports whether some inputs differ between recorded and new ones.
func (r Rules) Differ(ctx context.Context, names []string, olds, news property.Map) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return !r.IsSame(ctx, r.Resource.Inputs.ByName[name], olds.Get(name), news.Get(name))
	})
}

// differ returns a differ with the @equal rules of the resource.
func (r Rules) differ(ctx context.Context) *value.Differ {
	return &value.Differ{Equal: func(m *value.Member, old, new property.Value) bool { return r.isEqual(ctx, m, old, new) }}
}

// isEqual reports whether two values of an input are equal by the @equal rule of the property.
func (r Rules) isEqual(ctx context.Context, m *value.Member, old, new property.Value) bool {
	if r.OfRead && isEmpty(old) && isEmpty(new) && r.emptyIsAbsent(m) {
		return true
	}
	if m.EqualExpr != nil {
		return r.equalByTemplate(ctx, m, old, new)
	}
	if !old.IsString() || !new.IsString() {
		return false
	}
	a, b := old.AsString(), new.AsString()
	switch m.Equal {
	case "fold":
		return strings.EqualFold(a, b)
	case "trim":
		return strings.TrimSpace(a) == strings.TrimSpace(b)
	case "path":
		return path.Clean(a) == path.Clean(b)
	case "json":
		return value.EqualJSON(a, b, r.Runtime.Program.MaxValues())
	default:
		return false
	}
}

// emptyIsAbsent reports whether an empty value of a property means the same as none: it is an
// optional list or map without a default, and neither null nor the server's own value (of an input
// that is also an output) has a meaning of its own.
func (r Rules) emptyIsAbsent(m *value.Member) bool {
	own := r.Resource.Inputs.ByName[m.Name] == m && r.Resource.Outputs.ByName[m.Name] != nil
	return (m.Check.Spec.Kind == spec.List || m.Check.Spec.Kind == spec.Map) && !m.Check.Spec.Nullable && m.Optional() && m.Equal != "exact" && !own
}

func isEmpty(v property.Value) bool {
	return v.IsNull() || v.IsArray() && v.AsArray().Len() == 0 || v.IsMap() && v.AsMap().Len() == 0
}

// equalByTemplate evaluates an @equal template over two values. If it fails for them, they are
// not equal.
func (r Rules) equalByTemplate(ctx context.Context, m *value.Member, old, new property.Value) bool {
	if m.EqualRule == nil || old.IsNull() || new.IsNull() {
		return false
	}
	run := r.Runtime.New(ctx, r.Resource, nil, plan.Update, r.Ref, nil)
	run.Vars.Values["old"] = m.Check.Plain(old, []string{"old"}, run.Secrets)
	run.Vars.Values["new"] = m.Check.Plain(new, []string{"new"}, run.Secrets)
	v, err := run.Eval(m.EqualRule)
	return err == nil && v == true && !expr.HasUnknown(v)
}

// ServerKeeps reports whether a path is a property whose value the server may choose, because it
// is an input and an output of one type. Removing such a property from the program does not count as a change.
func (r Rules) ServerKeeps(path string) bool {
	in, out := r.Resource.Inputs.ByName[path], r.Resource.Outputs.ByName[path]
	return in != nil && out != nil && !in.Normalised && in.Type.Kind == out.Type.Kind && in.Default == nil
}
