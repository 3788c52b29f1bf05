package types

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// maxAssignDepth stops comparisons of types that nest deeper than any document.
const maxAssignDepth = 100

// Assignable returns why a value of type from cannot stand where to is expected, or
// nil. Named types are compared by name first, then by structure. What only a
// value can tell (a string against a pattern) passes, but for types that are
// made of literals: each of those must be right.
func Assignable(from, to *spec.Type, types spec.Types) *Mismatch {
	a := assignment{types: types}
	return a.check(from, to, 0)
}

// Projectable returns why values of one type do not become a property of the
// other where they come by name, or nil: what the property does not declare is left
// out, at any depth, and a number becomes a string, which keeps its digits.
func Projectable(from, to *spec.Type, types spec.Types) *Mismatch {
	a := assignment{types: types, projects: true}
	return a.check(from, to, 0)
}

type typePair struct{ from, to string }

// assignment is one comparison; seen are the pairs of named types under way,
// which recursive types meet again.
type assignment struct {
	types spec.Types
	seen  []typePair
	// projects: see Projectable.
	projects bool
}

func (a *assignment) refuse(from, to *spec.Type) *Mismatch {
	return &Mismatch{Reason: "is " + Describe(from) + ", and " + Wanted(to) + " is wanted", Code: CodeTypeMismatch}
}

func (a *assignment) check(from, to *spec.Type, depth int) *Mismatch {
	if from == nil || to == nil || from == to || depth > maxAssignDepth {
		return nil
	}
	if from.Ref != "" && to.Ref != "" && !IsTime(from) {
		if from.Ref == to.Ref && (to.Nullable || !from.Nullable) {
			return nil
		}
		pair := typePair{from.Ref, to.Ref}
		if slices.Contains(a.seen, pair) {
			return nil
		}
		a.seen = append(a.seen, pair)
		defer func() { a.seen = a.seen[:len(a.seen)-1] }()
	}
	rf, rt := Resolve(from, a.types), Resolve(to, a.types)
	switch {
	case IsAny(rt) || IsNever(rf):
		return nil
	case IsNull(rf):
		if MayBeNull(rt, a.types) {
			return nil
		}
		return &Mismatch{Reason: "is null, and " + Wanted(to) + " is wanted", Code: CodeNullUnguarded}
	case MayBeNull(rf, a.types) && !MayBeNull(rt, a.types):
		return &Mismatch{Reason: "may be null, and " + Wanted(to) + " is wanted", Code: CodeNullUnguarded}
	case IsAny(rf):
		return nil
	}
	if MayBeNull(rf, a.types) {
		rf = Present(rf, a.types)
	}
	return a.kinds(rf, rt, from, to, depth)
}

// kinds compares resolved types that are neither any nor null.
func (a *assignment) kinds(rf, rt, from, to *spec.Type, depth int) *Mismatch {
	switch {
	case Literals(rf) != nil:
		return a.enum(rf, rt)
	case rf.Kind == spec.Union && !IsTime(rf):
		for _, v := range rf.Variants {
			if m := a.check(v, to, depth+1); m != nil {
				return m
			}
		}
		return nil
	case rt.Kind == spec.Union && !IsTime(rt):
		return a.intoUnion(rf, rt, from, to, depth)
	case IsTime(rf) || IsTime(rt):
		if rf.Ref == rt.Ref || IsTime(rf) && IsString(rt) && rt.Ref == "" {
			return nil
		}
	case rf.Kind == rt.Kind:
		return a.sameKind(rf, rt, depth)
	case rf.Kind == spec.Int && rt.Kind == spec.Number:
		return nil
	case a.projects && (rf.Kind == spec.Int || rf.Kind == spec.Number) && rt.Kind == spec.String && Literals(rt) == nil:
		return nil
	case rf.Kind == spec.Object && rt.Kind == spec.Map:
		return a.objectIntoMap(rf, rt, depth)
	case rf.Kind == spec.Map && rt.Kind == spec.Object:
		return a.mapIntoObject(rf, rt, depth)
	}
	return a.refuse(Present(from, a.types), to)
}

// enum checks each of the literals that a type is made of.
func (a *assignment) enum(rf, rt *spec.Type) *Mismatch {
	for _, v := range rf.Enum {
		if v == nil {
			continue
		}
		if m := Fits(v, rt, a.types); m != nil {
			return m
		}
	}
	return nil
}

func (a *assignment) intoUnion(rf, rt, from, to *spec.Type, depth int) *Mismatch {
	var only *Mismatch
	same := 0
	for _, v := range rt.Variants {
		m := a.check(rf, v, depth+1)
		if m == nil {
			return nil
		}
		if Resolve(v, a.types).Kind == rf.Kind {
			only, same = m, same+1
		}
	}
	if same == 1 && only.Path != "" {
		return only
	}
	return a.refuse(Present(from, a.types), to)
}

func (a *assignment) sameKind(rf, rt *spec.Type, depth int) *Mismatch {
	switch rf.Kind {
	case spec.List:
		return a.check(rf.Elem, rt.Elem, depth+1).at("[]")
	case spec.Map:
		return a.check(rf.Elem, rt.Elem, depth+1).at("*")
	case spec.Object:
		return a.objects(rf, rt, depth)
	default:
		return nil
	}
}

func (a *assignment) objects(rf, rt *spec.Type, depth int) *Mismatch {
	for _, want := range rt.Fields {
		got := rf.Field(want.Name)
		if got == nil {
			if want.Required && !rf.Open {
				return (&Mismatch{Reason: "is missing", Code: CodeMissingMember}).at(want.Name)
			}
			continue
		}
		if want.Required && Optional(got) && !MayBeNull(want.Type, a.types) {
			return (&Mismatch{Reason: "may be absent, and " + Wanted(want.Type) + " is wanted", Code: CodeNullUnguarded}).at(want.Name)
		}
		to := want.Type
		if !want.Required {
			to = Nullable(to)
		}
		if m := a.check(got.Type, to, depth+1); m != nil {
			return m.at(want.Name)
		}
	}
	return a.otherFields(rf, rt, depth)
}

// otherFields compares the properties that are not among those of the other type.
func (a *assignment) otherFields(rf, rt *spec.Type, depth int) *Mismatch {
	for _, got := range rf.Fields {
		if rt.Field(got.Name) != nil || a.projects && !rt.Open {
			continue
		}
		if !rt.Open {
			return (&Mismatch{Reason: "is not part of " + Describe(rt), Code: CodeUnknownMember}).at(got.Name)
		}
		if m := a.check(got.Type, nullableIf(rt.Elem, Optional(got)), depth+1); m != nil {
			return m.at(got.Name)
		}
	}
	return nil
}

func nullableIf(t *spec.Type, yes bool) *spec.Type {
	if yes && t != nil {
		return Nullable(t)
	}
	return t
}

func (a *assignment) objectIntoMap(rf, rt *spec.Type, depth int) *Mismatch {
	for _, got := range rf.Fields {
		if m := KeyFits(got.Name, rt); m != nil {
			return m.at(got.Name)
		}
		if m := a.check(got.Type, nullableIf(rt.Elem, Optional(got)), depth+1); m != nil {
			return m.at(got.Name)
		}
	}
	return nil
}

func (a *assignment) mapIntoObject(rf, rt *spec.Type, depth int) *Mismatch {
	for _, want := range rt.Fields {
		if want.Required {
			return (&Mismatch{Reason: "may be missing from a map", Code: CodeMissingMember}).at(want.Name)
		}
		if m := a.check(rf.Elem, want.Type, depth+1); m != nil {
			return m.at(want.Name)
		}
	}
	return nil
}
