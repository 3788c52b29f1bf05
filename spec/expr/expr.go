// Package expr is the templates of a spec: `${expr}` in a string, and trees of
// them. It parses, type-checks against a Scope, says what a template refers to,
// and evaluates. It is the only importer of expr-lang.
//
// The language is expr-lang's, parsed by its parser. Types are our own (check):
// a checker that knows the spec's types finds unknown members, nulls that
// nobody guarded, arguments and comparisons that cannot be right, with the place
// inside the string. Then operators, members and functions become calls of ours
// (eval), and expr-lang's virtual machine runs what is left: conditionals,
// loops, variables. So numbers keep their digits, lists have no end but a
// budget, and messages speak of the template, not of Go.
//
// What only moves values (a member chain, a struct or list of such, merge, pick,
// omit) does not go through the machine at all: what is unknown or secret in it
// stays where it is. A result of anything else is unknown, or secret, as a whole
// if anything that it refers to is.
package expr

import (
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// What a template may use at its place, and what it refers to.
type (
	// Scope is the names that a template may use at its place, with their types.
	Scope = check.Scope
	// Name is one name of a scope.
	Name = check.Name
	// Ref is one thing that a template refers to.
	Ref = check.Ref
)

// What an evaluation is given, and how it fails.
type (
	// Vars are the values of a scope's names.
	Vars = eval.Vars
	// EvalError is what goes wrong when a template is evaluated.
	EvalError = eval.EvalError
)

// The marks that values have, in what Eval yields and in what it is given.
type (
	// Unknown stands for a value that is not known yet: see types.Unknown.
	Unknown = types.Unknown
	// Secret marks a value as secret.
	Secret = types.Secret
)

// Compile parses and checks a tree of templates. n is any node: a string, which
// is a template; a scalar; a list or map of such; `{literal: "…"}`, where no
// struct or map is wanted, is a string that is never parsed.
//
// want is the type that the value must be of; nil is any, null included. The
// property of a wanted struct that is not required takes null, which stands for
// absence; so should the caller's want, where absence is allowed.
//
// Findings have their place, code, summary and detail; Context and Path are the
// caller's. After errors the Value may be nil.
func Compile(n *spec.Node, scope *Scope, want *spec.Type) (*Value, diag.List) {
	if scope == nil {
		scope = &Scope{}
	}
	c := &compilation{scope: scope}
	if n == nil {
		return &Value{root: eval.Fixed{}, typ: types.Null()}, nil
	}
	root, t := c.node(n, want, 0)
	if f, ok := root.(eval.Fixed); ok && c.pieces == nil {
		if text, err := eval.ScalarText(f.Value); err == nil {
			c.pieces = []eval.Piece{{Literal: text}}
		}
	}
	if c.diags.HasErrors() {
		return nil, c.diags
	}
	v := &Value{root: root, typ: types.WithoutTimes(t), refs: c.refs, unchecked: c.unchecked, pieces: c.pieces, node: n, present: c.present, passed: c.passed}
	v.secret = scope.RefersToSecret(c.refs)
	v.hidden = v.secret && eval.Hidden(root, scope, c.refs)
	return v, c.diags
}

// Reveal strips the marks of secrets from a value: see types.Reveal.
func Reveal(v any, seen func(any)) any { return types.Reveal(v, seen) }

// HasUnknown reports whether v is Unknown, or anything in it is.
func HasUnknown(v any) bool { return types.HasUnknown(v) }

// HasTemplate reports whether a tree holds an expression: see parse.HasTemplate.
func HasTemplate(n *spec.Node) bool { return parse.HasTemplate(n) }

// Members returns the members of a name that a tree refers to: see parse.Members.
func Members(n *spec.Node, name string) (members []string, whole bool) {
	return parse.Members(n, name)
}
