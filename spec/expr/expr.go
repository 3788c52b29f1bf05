// Package expr implements the templates of a spec: `${expr}` in a string, and trees
// of them. It parses templates, type-checks them against a Scope, determines their
// references, and evaluates them. It is the only importer of expr-lang.
//
// The syntax is that of expr-lang, parsed by its parser. The type checker (package
// check) uses the types of the spec. It reports unknown members, unguarded nulls, and
// invalid arguments and comparisons, with their position in the string. Package eval
// then replaces operators, members and functions by its own operations, and
// expr-lang's virtual machine runs the remaining control flow: conditionals, loops
// and variables. As a result, numbers keep their digits, a budget limits all work,
// and messages use the terms of the template instead of Go's.
//
// Expressions that only move values (a member chain, a struct or list of them, merge,
// pick, omit) do not use the virtual machine, so that unknown and secret values keep
// their places. The result of any other expression is unknown, or secret, as a whole
// if any of its references is.
package expr

import (
	"time"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/template"
	"github.com/declprov/declprov/spec/types"
)

// The scope and the references of a template.
type (
	// Scope is the set of names that a template may use in its place, with their
	// types.
	Scope = check.Scope
	// Resources are the resources of the spec, to which expressions cannot refer.
	Resources = check.Resources
	// Name is one name of a scope.
	Name = check.Name
	// Ref is one reference of a template.
	Ref = check.Ref
	// Sought is how a template looks for the object of a resource.
	Sought = check.Sought
	// Absence is what a template may say about the existence of an object.
	Absence = check.Absence
)

// What a template may say about the existence of an object: see Absence.
const (
	SaysNothing = check.SaysNothing
	ByNull      = check.ByNull
	ByTrue      = check.ByTrue
)

// RootsOf returns the names that a path of Scope.Present depends on.
func RootsOf(path []string) []string { return check.RootsOf(path) }

// The input and the error of an evaluation.
type (
	// Vars are the values of the names of a scope.
	Vars = eval.Vars
	// EvalError is an error in the evaluation of a template.
	EvalError = eval.EvalError
)

// ErrSeveral is the error of a template that looks for one object, if several fit: see Scope.Sought.
var ErrSeveral = eval.ErrSeveral

// Time returns a point in time as a value of a name.
func Time(t time.Time) any { return eval.Moment(t) }

// The marks in input values and in results of Eval.
type (
	// Unknown is a value that is not known yet: see types.Unknown.
	Unknown = types.Unknown
	// Secret marks a value as secret.
	Secret = types.Secret
)

// Compile parses and checks a tree of templates. n is any node: a string, which is a
// template; a scalar; or a list or map of nodes. `{literal: "…"}` is a string that is
// not parsed, unless a struct or map is expected.
//
// want is the expected type of the value. nil means any, including null. An optional
// property of an expected struct accepts null, which stands for absence. A caller
// that allows absence should pass a nullable want.
//
// Diagnostics have their Subject, Code, Summary and Detail. The caller sets Context
// and Path. If there are errors, the Value may be nil.
func Compile(n *spec.Node, scope *Scope, want *spec.Type) (*Value, diag.List) {
	if scope == nil {
		scope = &Scope{}
	}
	c := &compilation{scope: scope}
	if n == nil {
		return &Value{root: eval.Constant{}, typ: types.Null()}, nil
	}
	root, t := c.compileNode(n, want, 0)
	if f, ok := root.(eval.Constant); ok && c.pieces == nil {
		if text, err := eval.ScalarText(f.Value); err == nil {
			c.pieces = []eval.Piece{{Literal: text}}
		}
	}
	if c.diags.HasErrors() {
		return nil, c.diags
	}
	v := &Value{root: root, typ: types.WithoutTimes(t), refs: c.refs, unchecked: c.unchecked, pieces: c.pieces, node: n, present: c.present, passed: c.passed, truths: c.truths, keys: c.keys}
	v.secret, v.free = scope.RefersToSecret(c.refs), scope.Free(c.refs)
	v.hidden = v.secret && eval.Hidden(root, scope, c.refs)
	return v, c.diags
}

// Reveal removes the secret marks from a value: see types.Reveal.
func Reveal(v any, seen func(any)) any { return types.Reveal(v, seen) }

// HasUnknown reports whether v is or contains Unknown.
func HasUnknown(v any) bool { return types.HasUnknown(v) }

// HasTemplate reports whether a tree contains an expression: see template.HasTemplate.
func HasTemplate(n *spec.Node) bool { return template.HasTemplate(n) }

// Members returns the members of a name that a tree refers to: see parse.Members.
func Members(n *spec.Node, name string) (members []string, whole bool) {
	return parse.Members(n, name)
}
