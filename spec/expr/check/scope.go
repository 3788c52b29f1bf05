package check

import (
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/types"
)

// Scope is the set of names that a template may use in its place, with their types.
type Scope struct {
	// Types are the named types that the types of names refer to.
	Types spec.Types
	// Names are the available names. If a name occurs twice, the first applies.
	Names []Name
	// Present are paths that are known not to be null here, although their types
	// allow it; see Value.Present. The first element is a name of the scope, or a call; see
	// RootsOf.
	Present [][]string
	// Bodies are the paths of untyped responses that must be there where a template reads a member of them: null and scalars are
	// an error there, unless `?.` reads it.
	Bodies [][]string
	// Absence is what a template may say about the existence of an object. Members of Bodies that decide this must be
	// present, unless the template says what their absence means, by `?.`, `??` or a comparison with null.
	Absence Absence
	// NullHelp returns the remedy for a part that may be null, by its text
	// ("state.digest"). It returns "" if there is no better remedy than a guard
	// against null. It may be nil.
	NullHelp func(part string) string
	// Resources are the resources of the spec, for the remedy of a reference to one. It may be nil.
	Resources *Resources
	// Sought is set if templates look for the object of a resource: several that fit are then an error. It may be nil.
	Sought *Sought
}

// Sought is how a template looks for the object of a resource.
type Sought struct {
	// ID is the path of the id in an object, as names; nil if it is not known.
	ID []string
	// Responses means that a response consists of nothing but what may be the object, as that of a `find` does.
	Responses bool
}

// Name is one name of a scope.
type Name struct {
	Name string
	// Type is the type of the name's value; nil means any. An optional property may
	// be null.
	Type *spec.Type
	// Secret means that the whole value is secret. The attributes of properties mark
	// secret parts. Value.Secret uses it; at evaluation, Vars.Secrets determines what
	// is secret.
	Secret bool
	// MayLack means that the value was recorded earlier, so that required members may be missing although the type
	// says otherwise. Comparing one with null is a guard, and has an effect.
	MayLack bool
	// Lacks is a member that is missing in the value, "" if none is known to be. An expression that is this member is
	// then null where its author relies on a value.
	Lacks string
	// Absent is set for a name of the language that is not available here. It is a
	// sentence that says where the name is available. Type is then ignored.
	Absent string
	// Meant is the expression that is probably meant in place of an absent name, or "".
	Meant string
}

// Ref is one reference of a template: the path from a name of the scope, with "*" for
// any item or key: inputs, rules, *, port.
type Ref struct {
	Path  []string
	Range diag.Range
	// Presence means that only the presence of the value matters, because it is
	// compared with null.
	Presence bool
}

// Find returns the name, or nil.
func (s *Scope) Find(name string) *Name {
	i := slices.IndexFunc(s.Names, func(n Name) bool { return n.Name == name })
	if i < 0 {
		return nil
	}
	return &s.Names[i]
}

// Available returns the name unless it is absent, or nil.
func (s *Scope) Available(name string) *Name {
	if n := s.Find(name); n != nil && n.Absent == "" {
		return n
	}
	return nil
}

// RefersToSecret reports whether any reference is to a value that is declared secret.
func (s *Scope) RefersToSecret(refs []Ref) bool {
	return slices.ContainsFunc(refs, func(r Ref) bool {
		n := s.Find(r.Path[0])
		return n != nil && (n.Secret || types.SecretAt(n.Type, r.Path[1:], r.Presence, s.Types))
	})
}

// Hides reports whether a value with these references is secret as a whole. It is if
// a reference leads through or to a value that is declared secret. Unless the value
// is only moved, it also is if a reference leads to a value that contains a secret.
func (s *Scope) Hides(refs []Ref, moved bool) bool {
	return slices.ContainsFunc(refs, func(r Ref) bool {
		r.Presence = r.Presence || moved
		return s.RefersToSecret([]Ref{r})
	})
}

// Free returns those of the references, with dots between their steps, whose values may contain
// any text: see types.IsFree. An id has the form that the spec gives it.
func (s *Scope) Free(refs []Ref) []string {
	free := []string{}
	for _, r := range refs {
		n := s.Find(r.Path[0])
		if r.Presence || r.Path[0] == "id" || n != nil && !types.IsFree(n.Type, r.Path[1:], s.Types) {
			continue
		}
		free = append(free, strings.Join(r.Path, "."))
	}
	return free
}

// Declares reports whether the value at a path, or a value that contains it, is
// declared secret.
func (s *Scope) Declares(path []string) bool {
	return s.RefersToSecret([]Ref{{Path: path, Presence: true}})
}

// facts returns the keys of the paths that are known not to be null.
func (s *Scope) facts() []string {
	return lists.Map(s.Present, func(path []string) string { return strings.Join(path, "\x00") })
}
