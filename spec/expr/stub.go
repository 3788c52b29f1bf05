package expr

import (
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// Compile parses and checks a tree of templates.
func Compile(n *spec.Node, scope *Scope, want *spec.Type) (*Value, diag.List) {
	return &Value{}, nil
}

// Type is the static type of what Eval yields.
func (v *Value) Type() *spec.Type { return v.typ }

// Refs are what the tree refers to: maximal member chains.
func (v *Value) Refs() []Ref { return nil }

// Const is the value, where nothing is referred to.
func (v *Value) Const() (any, bool) { return nil, false }

// Secret reports whether the tree refers to what is declared secret.
func (v *Value) Secret() bool { return false }

// Unchecked counts the accesses to members of untyped values.
func (v *Value) Unchecked() int { return 0 }

// Eval yields the tree's value.
func (v *Value) Eval(vars *Vars) (any, error) { return nil, nil }

// Segments are the pieces of a string template, as written.
func (v *Value) Segments() []Segment { return nil }

// Parts are the evaluated pieces of a string template.
func (v *Value) Parts(vars *Vars) ([]Part, error) { return nil, nil }

// Reveal strips the marks of secrets.
func Reveal(v any, seen func(any)) any { return v }

// HasUnknown reports whether anything in v is Unknown.
func HasUnknown(v any) bool { return false }

// Assignable says why a value of type from cannot stand where to is wanted.
func Assignable(from, to *spec.Type, types spec.Types) error { return nil }

// Describe is a type in an author's words.
func Describe(t *spec.Type) string { return "" }

// Function documents one function of the language.
type Function struct {
	Name, Signature, Summary, Example string
}

// Functions are the functions of the language, by name.
func Functions() []Function { return nil }
