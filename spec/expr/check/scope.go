package check

import (
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/types"
)

// Scope is the names that a template may use at its place, with their types.
type Scope struct {
	// Types are the named types that the names' types refer to.
	Types spec.Types
	// Names are what may be used; of two of one name, the first.
	Names []Name
	// Present are paths, from the names on, that are known not to be null here,
	// though their types allow it: see Value.Present.
	Present [][]string
	// NullHelp is what to do about a part that may be null here, by its text
	// ("state.digest"), where that is known better than that nulls are to be
	// guarded; "" elsewhere. It may be nil.
	NullHelp func(part string) string
}

// Name is one name of a scope.
type Name struct {
	Name string
	// Type is what the name holds; nil is any. A property that is optional may
	// be null.
	Type *spec.Type
	// Secret says that the whole of it is; a property's own attribute says so
	// of a part. That is for Value.Secret: what Eval marks, Vars.Secrets says.
	Secret bool
	// Absent is not "" for a name that the language has, but not here: the
	// sentence says where it is to be had. Type is then ignored.
	Absent string
}

// Ref is one thing that a template refers to: the path from a name of the
// scope on, with "*" for any item or key: inputs, rules, *, port.
type Ref struct {
	Path  []string
	Range diag.Range
	// Presence says that it matters only whether it is there: it is compared
	// with null.
	Presence bool
}

// RefersToSecret reports whether any reference is to what is declared secret.
func (s *Scope) RefersToSecret(refs []Ref) bool {
	return slices.ContainsFunc(refs, func(r Ref) bool {
		i := slices.IndexFunc(s.Names, func(n Name) bool { return n.Name == r.Path[0] })
		if i < 0 {
			return false
		}
		if s.Names[i].Secret {
			return true
		}
		return types.SecretAt(s.Names[i].Type, r.Path[1:], r.Presence, s.Types)
	})
}

// Hides reports whether what refers to these is secret as a whole: one of them leads
// through or to what is declared secret or, unless the value is only moved, above it.
func (s *Scope) Hides(refs []Ref, moved bool) bool {
	return slices.ContainsFunc(refs, func(r Ref) bool {
		r.Presence = r.Presence || moved
		return s.RefersToSecret([]Ref{r})
	})
}

// Declares reports whether what a path leads to is declared secret, or lies under
// what is.
func (s *Scope) Declares(path []string) bool {
	return s.RefersToSecret([]Ref{{Path: path, Presence: true}})
}

// facts returns the keys of what a scope knows not to be null.
func (s *Scope) facts() []string {
	var keys []string
	for _, path := range s.Present {
		keys = append(keys, strings.Join(path, "\x00"))
	}
	return keys
}
