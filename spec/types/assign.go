package types

import (
	"slices"

	"github.com/declprov/declprov/spec"
)

// maxAssignDepth stops comparisons of types that nest deeper than any document.
const maxAssignDepth = 100

// Assignable returns why a value of type from cannot be used where type to is
// expected, or nil. Named types are compared by name first, then by structure. A rule
// that only a value can break, such as a pattern, is ignored, except if from is an
// enum: then each literal must fit.
func Assignable(from, to *spec.Type, types spec.Types) *Mismatch {
	a := assignment{types: types}
	return a.check(from, to, 0)
}

// Projectable returns why values of type from cannot be projected onto type to, or
// nil. A projection drops members that to does not declare, at any depth, and
// converts numbers to strings, which keep all digits.
func Projectable(from, to *spec.Type, types spec.Types) *Mismatch {
	a := assignment{types: types, projects: true}
	return a.check(from, to, 0)
}

type typePair struct{ from, to string }

// assignment is one comparison. seen holds the pairs of named types being compared,
// which ends the recursion for recursive types.
type assignment struct {
	types spec.Types
	seen  []typePair
	// projects selects the rules of Projectable.
	projects bool
}

func (a *assignment) refuse(from, to *spec.Type) *Mismatch {
	return &Mismatch{Reason: "must be " + Describe(to) + ", got " + Describe(from), Code: CodeTypeMismatch}
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
		return &Mismatch{Reason: "must be " + Describe(to) + ", got null", Code: CodeNullUnguarded}
	case MayBeNull(rf, a.types) && !MayBeNull(rt, a.types):
		return &Mismatch{Reason: "must be " + Describe(to) + ", but may be null", Code: CodeNullUnguarded}
	case IsAny(rf):
		return nil
	}
	if MayBeNull(rf, a.types) {
		rf = Present(rf, a.types)
	}
	return a.checkKinds(rf, rt, from, to, depth)
}

// checkKinds compares resolved types that are neither any nor null.
func (a *assignment) checkKinds(rf, rt, from, to *spec.Type, depth int) *Mismatch {
	switch {
	case Literals(rf) != nil:
		return a.checkLiterals(rf, rt)
	case rf.Kind == spec.Union && !IsTime(rf):
		for _, v := range rf.Variants {
			if m := a.check(v, to, depth+1); m != nil {
				return m
			}
		}
		return nil
	case rt.Kind == spec.Union && !IsTime(rt):
		return a.checkUnion(rf, rt, from, to, depth)
	case IsTime(rf) || IsTime(rt):
		if rf.Ref == rt.Ref || IsTime(rf) && IsString(rt) && rt.Ref == "" {
			return nil
		}
	case rf.Kind == rt.Kind:
		return a.checkSameKind(rf, rt, depth)
	case rf.Kind == spec.Int && rt.Kind == spec.Number:
		return nil
	case a.projects && (rf.Kind == spec.Int || rf.Kind == spec.Number) && rt.Kind == spec.String && Literals(rt) == nil:
		return nil
	case rf.Kind == spec.Object && rt.Kind == spec.Map:
		return a.checkObjectAsMap(rf, rt, depth)
	case rf.Kind == spec.Map && rt.Kind == spec.Object:
		return a.checkMapAsObject(rf, rt, depth)
	}
	return a.refuse(Present(from, a.types), to)
}

// checkLiterals checks each literal of an enum.
func (a *assignment) checkLiterals(rf, rt *spec.Type) *Mismatch {
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

func (a *assignment) checkUnion(rf, rt, from, to *spec.Type, depth int) *Mismatch {
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

func (a *assignment) checkSameKind(rf, rt *spec.Type, depth int) *Mismatch {
	switch rf.Kind {
	case spec.List:
		return a.check(rf.Elem, rt.Elem, depth+1).at("[]")
	case spec.Map:
		return a.check(rf.Elem, rt.Elem, depth+1).at("*")
	case spec.Object:
		return a.checkObjects(rf, rt, depth)
	default:
		return nil
	}
}

func (a *assignment) checkObjects(rf, rt *spec.Type, depth int) *Mismatch {
	for _, want := range rt.Fields {
		got := rf.Field(want.Name)
		if got == nil {
			if m := a.checkAbsent(rf, want, depth); m != nil {
				return m.at(want.Name)
			}
			continue
		}
		if want.Required && got.Optional() && !MayBeNull(want.Type, a.types) {
			return (&Mismatch{Reason: "must be " + Describe(want.Type) + ", but may be absent", Code: CodeNullUnguarded}).at(want.Name)
		}
		to := want.Type
		if !want.Required {
			to = Nullable(to)
		}
		if m := a.check(got.Type, to, depth+1); m != nil {
			return m.at(want.Name)
		}
	}
	return a.checkOtherFields(rf, rt, depth)
}

// checkAbsent checks a property that rf does not declare. If rf is open, the property may be there, and
// has then the type of its other members.
func (a *assignment) checkAbsent(rf *spec.Type, want *spec.Property, depth int) *Mismatch {
	switch {
	case rf.Open:
		return a.check(rf.Elem, Nullable(want.Type), depth+1)
	case want.Required:
		return &Mismatch{Reason: "is missing", Code: CodeMissingMember}
	default:
		return nil
	}
}

// checkOtherFields compares the properties of rf that rt does not declare.
func (a *assignment) checkOtherFields(rf, rt *spec.Type, depth int) *Mismatch {
	for _, got := range rf.Fields {
		if rt.Field(got.Name) != nil || a.projects && !rt.Open {
			continue
		}
		if !rt.Open {
			return (&Mismatch{Reason: "is not part of " + Describe(rt), Code: CodeUnknownMember}).at(got.Name)
		}
		if m := a.check(got.Type, nullableIf(rt.Elem, got.Optional()), depth+1); m != nil {
			return m.at(got.Name)
		}
	}
	return a.checkRest(rf, rt, depth)
}

// checkRest compares the types of the members that neither of two types declares by name, if both may
// have such members.
func (a *assignment) checkRest(rf, rt *spec.Type, depth int) *Mismatch {
	if hasRest(rf) && hasRest(rt) {
		return a.check(rf.Elem, rt.Elem, depth+1).at("*")
	}
	return nil
}

func hasRest(t *spec.Type) bool { return t.Kind == spec.Map || t.Open }

func nullableIf(t *spec.Type, yes bool) *spec.Type {
	if yes && t != nil {
		return Nullable(t)
	}
	return t
}

func (a *assignment) checkObjectAsMap(rf, rt *spec.Type, depth int) *Mismatch {
	for _, got := range rf.Fields {
		if m := KeyFits(got.Name, rt); m != nil {
			return m.at(got.Name)
		}
		if m := a.check(got.Type, nullableIf(rt.Elem, got.Optional()), depth+1); m != nil {
			return m.at(got.Name)
		}
	}
	return a.checkRest(rf, rt, depth)
}

func (a *assignment) checkMapAsObject(rf, rt *spec.Type, depth int) *Mismatch {
	for _, want := range rt.Fields {
		if want.Required {
			return (&Mismatch{Reason: "is required, but may be missing from a map", Code: CodeMissingMember}).at(want.Name)
		}
		if m := a.check(rf.Elem, want.Type, depth+1); m != nil {
			return m.at(want.Name)
		}
	}
	return a.checkRest(rf, rt, depth)
}
