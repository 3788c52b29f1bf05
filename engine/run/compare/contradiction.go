package compare

import (
	"context"
	"maps"
	"slices"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
)

// Contradiction returns the first property that the step sends and that has none of the sent
// values, "" if there is none.
func (r Rules) Contradiction(ctx context.Context, s *plan.Step, seen property.Map, withheld []string, sent []property.Map) string {
	names, whole := s.Sends(r.Resource)
	for _, m := range r.Resource.Inputs.Fields {
		if m.Normalised {
			withheld = append(withheld, m.Name) // the server may have made anything of it
		}
	}
	for _, name := range withheld {
		delete(names, name)
	}
	against := map[string]int{}
	for _, inputs := range sent {
		differ := map[string]bool{}
		for _, c := range r.Changes(ctx, seen, inputs, withheld) {
			name := value.TopLevel(c.Path)
			if (whole || names[name]) && (c.Kind != value.Delete || !empty(seen.Get(name))) {
				differ[name] = true
			}
		}
		for name := range differ {
			against[name]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(against)) {
		if against[name] == len(sent) {
			return name
		}
	}
	return ""
}

// empty reports whether a value means the same as an absent one: many servers show what was
// not given as an empty list, an empty string, zero or false.
func empty(v property.Value) bool {
	switch {
	case v.IsNull():
		return true
	case v.IsArray():
		return v.AsArray().Len() == 0
	case v.IsMap():
		return v.AsMap().Len() == 0
	case v.IsString():
		return v.AsString() == ""
	case v.IsNumber():
		return v.AsNumber() == 0
	case v.IsBool():
		return !v.AsBool()
	default:
		return false
	}
}
