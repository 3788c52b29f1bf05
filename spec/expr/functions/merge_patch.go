package functions

import (
	"maps"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/types"
)

func fnMergePatch(r *eval.Run, a args) (any, error) {
	old, patch := a.dict(0), maps.Clone(a.dict(1))
	for name, now := range patch {
		nested, err := mergePatchOf(r, old[name], now)
		if err != nil {
			return nil, err
		}
		patch[name] = nested
	}
	return patch, r.Items(len(patch))
}

// mergePatchOf returns the patch for one member, of which everything is compared.
func mergePatchOf(r *eval.Run, old, now any) (any, error) {
	was, isMap := old.(map[string]any)
	is, both := now.(map[string]any)
	if !isMap || !both {
		return now, nil
	}
	patch := make(map[string]any, len(was)+len(is))
	for name := range was {
		patch[name] = nil
	}
	for name, now := range is {
		nested, err := mergePatchOf(r, was[name], now)
		if err != nil {
			return nil, err
		}
		patch[name] = nested
	}
	return patch, r.Items(len(patch))
}

// fnDeepChanges is like mergePatch, without the nested members that are the same.
func fnDeepChanges(r *eval.Run, a args) (any, error) {
	old, changed := a.dict(0), maps.Clone(a.dict(1))
	for name, now := range changed {
		nested, same, err := deepChangesOf(r, old[name], now)
		if err != nil {
			return nil, err
		}
		if !same { // what is listed as a change is one
			changed[name] = nested
		}
	}
	return changed, r.Items(len(changed))
}

// deepChangesOf returns what of a value differs from an old one, and whether nothing does. Lists are compared as a whole.
func deepChangesOf(r *eval.Run, old, now any) (changed any, same bool, err error) {
	was, isMap := old.(map[string]any)
	is, both := now.(map[string]any)
	if !isMap || !both {
		same, err := r.Equal(old, now)
		return now, same, err
	}
	members := map[string]any{}
	for name := range was {
		if _, kept := is[name]; !kept {
			members[name] = nil
		}
	}
	for name, now := range is {
		before, given := was[name]
		nested, same, err := deepChangesOf(r, before, now)
		if err != nil {
			return nil, false, err
		}
		if !same || !given {
			members[name] = nested
		}
	}
	return members, len(members) == 0, r.Items(len(was) + len(is))
}

// typeOfMergePatch returns the type of the new value, of which nested maps and structs may have the
// members of the old ones.
func typeOfMergePatch(cl *check.Call) check.TypedPart {
	return check.TypedPart{T: patchTypes{named: cl.Types}.between(cl.Args[0].T, cl.Args[1].T, typeDepth, false)}
}

// typeOfDeepChanges returns the type of a merge patch, which may lack nested members.
func typeOfDeepChanges(cl *check.Call) check.TypedPart {
	return check.TypedPart{T: patchTypes{cl.Types, true}.between(cl.Args[0].T, cl.Args[1].T, typeDepth, false)}
}

// typeDepth is the depth to which the type of a patch is known, of types that contain themselves.
const typeDepth = 5

// patchTypes returns types of patches. partial is true if a patch lacks nested members that are the same.
type patchTypes struct {
	named   spec.Types
	partial bool
}

// between returns the type of the patch from a value of one type, which may be nil, to one of
// another type. nested is true if it has null for members that only the old value has.
func (ts patchTypes) between(old, now *spec.Type, depth int, nested bool) *spec.Type {
	if depth == 0 {
		return now
	}
	was, is := mergeVariants(old, ts.named), mergeVariants(now, ts.named)
	switch {
	case is.Kind == spec.Map:
		out := *is
		out.Elem = types.Any()
		if was.Kind == spec.Map {
			out.Elem = types.Nullable(ts.between(was.Elem, is.Elem, depth-1, true))
		}
		return &out
	case is.Kind != spec.Object:
		return now
	}
	out := &spec.Type{Kind: spec.Object, Nullable: is.Nullable, Open: is.Open, Elem: is.Elem}
	if nested && (was.Kind != spec.Object || was.Open) {
		out.Open, out.Elem = true, nil
	}
	for _, f := range is.Fields {
		p := *f
		var before *spec.Type
		if of := was.Field(f.Name); of != nil {
			before = of.Type
		}
		p.Type = ts.between(before, f.Type, depth-1, true)
		p.Required = p.Required && !(ts.partial && nested)
		out.Fields = append(out.Fields, &p)
	}
	for _, f := range was.Fields {
		if nested && out.Field(f.Name) == nil {
			p := *f
			p.Required = false
			out.Fields = append(out.Fields, &p)
		}
	}
	return out
}

// mergeVariants returns a type as a struct with the members of all variants if it is a union of structs.
func mergeVariants(t *spec.Type, named spec.Types) *spec.Type {
	if t == nil {
		return &spec.Type{Kind: spec.Object} // there is no value
	}
	t = types.Resolve(t, named)
	if t.Kind != spec.Union || t.Tag == "" {
		return t
	}
	out := &spec.Type{Kind: spec.Object, Nullable: t.Nullable}
	for _, v := range t.Variants {
		v = types.Resolve(v, named)
		out.Open = out.Open || v.Open
		for _, f := range v.Fields {
			if of := out.Field(f.Name); of != nil {
				of.Type = types.Join(of.Type, f.Type, named) // such as the literals of the tag
				continue
			}
			p := *f
			p.Required = false
			out.Fields = append(out.Fields, &p)
		}
	}
	return out
}
