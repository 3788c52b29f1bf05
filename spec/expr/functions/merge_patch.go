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

// typeOfMergePatch returns the type of the new value, of which nested maps and structs may have the
// members of the old ones.
func typeOfMergePatch(cl *check.Call) check.TypedPart {
	const depth = 5 // of types that contain themselves
	return check.TypedPart{T: patchType(cl.Args[0].T, cl.Args[1].T, cl.Types, depth, false)}
}

// patchType returns the type of the patch from a value of one type, which may be nil, to one of
// another type. nested is true if it has null for members that only the old value has.
func patchType(old, now *spec.Type, named spec.Types, depth int, nested bool) *spec.Type {
	if depth == 0 {
		return now
	}
	was, is := mergeVariants(old, named), mergeVariants(now, named)
	switch {
	case is.Kind == spec.Map:
		out := *is
		out.Elem = types.Any()
		if was.Kind == spec.Map {
			out.Elem = types.Nullable(patchType(was.Elem, is.Elem, named, depth-1, true))
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
		p.Type = patchType(before, f.Type, named, depth-1, true)
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
