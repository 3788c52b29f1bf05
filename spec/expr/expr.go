// Package expr is the templates of a spec: `${expr}` in a string, and trees of
// them. It parses, type-checks against a Scope, says what a template refers to,
// and evaluates. It is the only importer of expr-lang.
//
// The language is expr's, parsed by its parser. Types are our own (check*.go):
// a checker that knows the spec's types finds unknown members, nulls that
// nobody guarded, arguments and comparisons that cannot be right, with the place
// inside the string. Then operators, members and functions become calls of ours
// (rewrite.go), and expr's virtual machine runs what is left: conditionals,
// loops, variables. So numbers keep their digits, lists have no end but a
// budget, and messages speak of the template, not of Go.
//
// What only moves values (a member chain, a struct or list of such, merge, pick,
// omit) does not go through the machine at all: what is unknown or secret in it
// stays where it is. A result of anything else is unknown, or secret, as a whole
// if anything that it refers to is.
package expr

import (
	"context"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
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

// Vars are the values of a scope's names: nil, bool, int64, float64,
// json.Number (what neither of them holds exactly), string, []any,
// map[string]any, *spec.File; and Unknown at any depth.
type Vars struct {
	// Context ends an evaluation; nil does not.
	Context context.Context
	Values  map[string]any
	// Secrets are the paths, from the names on, whose values are secret; "*"
	// does not occur in them, and list items are decimal indices.
	Secrets [][]string
	// MaxValues is how many values the texts may have that are decoded, and if it is
	// more than a million the lists and results that are made; 0 is a million. What is
	// as large as Values are all together is never too large.
	MaxValues int
}

// Unknown stands for a value that is not known yet. In what Eval yields, one that
// is secret too is Secret{Unknown{}}.
type Unknown struct{}

// Secret marks a value, in what Eval yields, as secret.
type Secret struct{ Value any }
