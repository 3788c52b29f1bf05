package expr

import (
	"fmt"
	"slices"
	"sync"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// Value is a compiled tree of templates. It is immutable and safe for concurrent use.
type Value struct {
	root      eval.Evaluator
	typ       *spec.Type
	refs      []Ref
	free      []string
	secret    bool
	hidden    bool
	unchecked []diag.Range
	pieces    []eval.Piece
	present   [][]string
	passed    [][]string
	truths    [][]string
	keys      []Key
	node      *spec.Node
}

// Key is a key of a struct in an expression: see Value.Keys.
type Key struct {
	// Path leads to the member in the value, with "*" for the items of a list and the values of a map.
	Path  []string
	Range diag.Range
}

// Type returns the static type of the result of Eval, never nil.
func (v *Value) Type() *spec.Type { return v.typ }

// Refs returns the references of the tree: maximal member chains, such as
// inputs.limits.mode or inputs.rules.*.port, in the order of the document. A nil tree has
// none.
func (v *Value) Refs() []Ref {
	if v == nil {
		return nil
	}
	return v.refs
}

// RefersTo reports whether any reference of the tree begins with one of the names, such as inputs.
func (v *Value) RefersTo(names ...string) bool { return Mention(v.Refs(), names...) }

// Mention reports whether any of the references begins with one of the names.
func Mention(refs []Ref, names ...string) bool {
	return slices.ContainsFunc(refs, func(ref Ref) bool { return slices.Contains(names, ref.Path[0]) })
}

// Literals returns the strings and numbers that the tree's expressions contain as literals, as text. A nil tree has none.
func (v *Value) Literals() map[string]bool {
	if v == nil {
		return nil
	}
	return parse.Literals(v.node)
}

// Const returns the value of a tree without references. ok is false for other trees,
// and for trees that are too expensive to evaluate in advance.
func (v *Value) Const() (any, bool) {
	f, ok := v.root.(eval.Constant)
	return f.Value, ok
}

// Secret reports whether any reference of the tree is to a value that is declared
// secret, that is part of one, or that contains one.
func (v *Value) Secret() bool { return v.secret }

// Free returns the references of the tree whose values may contain any text, such as
// inputs.description. Their types have no pattern that excludes what a program would interpret.
func (v *Value) Free() []string { return v.free }

// Hidden reports whether the value of the tree is secret as a whole. If it only
// contains secrets, Type marks them.
func (v *Value) Hidden() bool { return v.hidden }

// SecretAt reports whether the value at a path within the tree's value is, or
// contains, a secret.
func (v *Value) SecretAt(path []string, named spec.Types) bool {
	return v.hidden || types.SecretAt(v.typ, path, false, named)
}

// Present returns the paths that are not null if the tree's value is true, such as
// inputs.a and inputs.b for `inputs.a != null && inputs.b == 1`. A template that only
// runs in that case may be compiled in a Scope with these paths as Present.
func (v *Value) Present() [][]string { return v.present }

// Passed returns the paths that are not null if the tree's value is false or null,
// such as body.id for `gone: body.id == null` and for `fail: body.id == null ? "no
// id" : null`. A template that only runs in that case may be compiled in a Scope with
// these paths as Present.
func (v *Value) Passed() [][]string { return v.passed }

// Requires reports whether the tree's value is true only if a path is true, as for `made.a && inputs.b == 1`, and not for `!made.a`.
func (v *Value) Requires(path ...string) bool {
	return v != nil && slices.ContainsFunc(v.truths, func(is []string) bool { return slices.Equal(is, path) })
}

// Keys returns the keys that are written in the tree's root, an expression, and that a member of
// its value has, such as a in `${merge(body, {a: 1})}`.
func (v *Value) Keys() []Key { return v.keys }

// Unchecked returns the accesses to members of values of unknown type, which cannot
// be checked before they run.
func (v *Value) Unchecked() []diag.Range { return v.unchecked }

// Eval returns the value of the tree: nil, bool, int64, float64, json.Number, string,
// []any, map[string]any, *spec.File; and Unknown and Secret at any depth. A value
// that is both is Secret{Unknown{}}. The result may share lists and maps with vars,
// and must not be modified.
//
// The error is an *EvalError.
func (v *Value) Eval(vars *Vars) (out any, err error) {
	switch root := v.root.(type) {
	case eval.Constant:
		return root.Value, nil
	case *eval.Chain:
		return root.Eval(vars, nil) // a Chain does not charge the budget
	}
	r := beginRun(vars)
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, v.panicError(r)
		}
		r.Given = nil
		runs.Put(r)
	}()
	return v.root.Eval(vars, r)
}

// runs are reused for later evaluations, because most evaluations only take a
// microsecond.
var runs = sync.Pool{New: func() any { return &eval.Run{} }}

func beginRun(vars *Vars) *eval.Run {
	r := runs.Get().(*eval.Run)
	r.Begin(vars, eval.MaxWork)
	return r
}

func (v *Value) panicError(r any) error {
	return &EvalError{Template: v.node.Text, Range: v.node.Range, Message: fmt.Sprintf("the expression cannot be evaluated: %v", r)}
}

// Segment is one piece of a string template.
type Segment struct {
	// Text is the text of a literal.
	Text string
	// Ref is the path of a plain member chain (`inputs.owner`). It is nil for a
	// literal and for any other expression.
	Ref []string
	// Literal means that the piece is literal text of the author's.
	Literal bool
}

// Segments returns the pieces of a string template as written, or nil for a list or a
// struct.
func (v *Value) Segments() []Segment {
	var out []Segment
	for _, p := range v.pieces {
		out = append(out, Segment{Text: p.Literal, Ref: slices.Clone(p.Ref), Literal: p.Part == nil})
	}
	return out
}

// Part is an evaluated piece of a string template, before escaping.
type Part struct {
	Text string
	// Literal means that the text is the author's.
	Literal bool
	// Unknown means that the value of the piece is not known yet. Text is then "".
	Unknown bool
	// Secret means that the piece contains a secret.
	Secret bool
}

// Parts returns the evaluated pieces of a string template, or the text of a scalar. A
// list, such as the result of segments(…), becomes one part per item, with literal
// slashes between them. The error is an *EvalError.
func (v *Value) Parts(vars *Vars) (out []Part, err error) {
	r := beginRun(vars)
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, v.panicError(r)
		}
		runs.Put(r)
	}()
	for i := range v.pieces {
		p := &v.pieces[i]
		if p.Part == nil {
			out = append(out, Part{Text: p.Literal, Literal: true})
			continue
		}
		w, err := p.Evaluate(vars, r)
		if err != nil {
			return nil, err
		}
		if w.Unknown {
			out = append(out, Part{Unknown: true, Secret: w.Secret})
		}
		if !w.Unknown && len(w.Texts) == 0 {
			// An empty list of segments becomes an empty segment, which callers that
			// build paths refuse. Omitting it would produce a different path.
			out = append(out, Part{Secret: w.Secret})
		}
		for j, text := range w.Texts {
			if j > 0 {
				out = append(out, Part{Text: "/", Literal: true})
			}
			out = append(out, Part{Text: text, Secret: w.Secret})
		}
	}
	return out, nil
}
