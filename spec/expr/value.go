package expr

import (
	"fmt"
	"slices"
	"sync"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/types"
)

// Value is a compiled tree of templates. It is immutable, and safe for
// concurrent use.
type Value struct {
	root      eval.Evaluator
	typ       *spec.Type
	refs      []Ref
	secret    bool
	hidden    bool
	unchecked []diag.Range
	pieces    []eval.Piece
	present   [][]string
	passed    [][]string
	node      *spec.Node
}

// Type returns the static type of what Eval yields, never nil.
func (v *Value) Type() *spec.Type { return v.typ }

// Refs returns what the tree refers to: maximal member chains, in the order of the
// document, such as inputs limits mode, or inputs rules * port.
func (v *Value) Refs() []Ref { return v.refs }

// Const returns the value of a tree that refers to nothing; not of one that is too
// costly to evaluate beforehand.
func (v *Value) Const() (any, bool) {
	f, ok := v.root.(eval.Fixed)
	return f.Value, ok
}

// Secret reports whether the tree refers to what is declared secret: a name or
// property that is, that lies under one, or that holds one.
func (v *Value) Secret() bool { return v.secret }

// Hidden reports whether all of the tree's value is secret: where it only holds
// secrets, Type has them at their places.
func (v *Value) Hidden() bool { return v.hidden }

// SecretAt reports whether what a path within the value leads to is secret, or holds
// a secret.
func (v *Value) SecretAt(path []string, named spec.Types) bool {
	return v.hidden || types.SecretAt(v.typ, path, false, named)
}

// Present returns the paths of what is not null wherever the tree's value is true:
// those of `inputs.a != null && inputs.b == 1`. What runs only then may be
// compiled in a Scope that knows it.
func (v *Value) Present() [][]string { return v.present }

// Passed returns the paths of what is not null wherever the tree's value is false or
// null: body id, for `gone: body.id == null` and for
// `fail: body.id == null ? "no id" : null`. What runs only then may be compiled in
// a Scope that knows it.
func (v *Value) Passed() [][]string { return v.passed }

// Unchecked returns the accesses to members of values of no known type, which
// nothing can check before they run.
func (v *Value) Unchecked() []diag.Range { return v.unchecked }

// Eval yields the tree's value: nil, bool, int64, float64, json.Number, string,
// []any, map[string]any, *spec.File; and Unknown and Secret at any depth. A
// value that is both is Secret{Unknown{}}. It may share lists and maps with
// vars, and is not to be changed.
//
// The error is an *EvalError.
func (v *Value) Eval(vars *Vars) (out any, err error) {
	switch root := v.root.(type) {
	case eval.Fixed:
		return root.Value, nil
	case *eval.Chain:
		return root.Eval(vars, nil) // which spends nothing
	}
	r := beginRun(vars)
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, v.panicked(r)
		}
		r.Given = nil
		runs.Put(r)
	}()
	return v.root.Eval(vars, r)
}

// runs are kept for the next evaluation: most are over in a microsecond.
var runs = sync.Pool{New: func() any { return &eval.Run{} }}

func beginRun(vars *Vars) *eval.Run {
	r := runs.Get().(*eval.Run)
	r.Begin(vars, eval.MaxWork)
	return r
}

func (v *Value) panicked(r any) error {
	return &EvalError{Template: v.node.Text, Range: v.node.Range, Message: fmt.Sprintf("the expression cannot be evaluated: %v", r)}
}

// Segment is one piece of a string template.
type Segment struct {
	// Text is a literal's.
	Text string
	// Ref is the path of a plain member chain (`inputs.owner`); nil for a
	// literal, and for an expression that is anything else.
	Ref []string
	// Literal says that the piece is the author's own text.
	Literal bool
}

// Segments returns the pieces of a string template, as written; nil for a list or a
// struct.
func (v *Value) Segments() []Segment {
	var out []Segment
	for _, p := range v.pieces {
		out = append(out, Segment{Text: p.Literal, Ref: slices.Clone(p.Ref), Literal: p.Part == nil})
	}
	return out
}

// Part is an evaluated piece of a string template, not yet escaped.
type Part struct {
	Text string
	// Literal says that the text is the author's own.
	Literal bool
	// Unknown says that the piece's value is not known yet; Text is then "".
	Unknown bool
	// Secret says that the piece holds a secret.
	Secret bool
}

// Parts returns the evaluated pieces of a string template, or the text of a scalar. A piece that is a list,
// such as segments(…) yields, is a part for each item, with a literal slash
// between them. The error is an *EvalError.
func (v *Value) Parts(vars *Vars) (out []Part, err error) {
	r := beginRun(vars)
	defer func() {
		if r := recover(); r != nil {
			out, err = nil, v.panicked(r)
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
			// No segments are an empty one, which whoever builds a path refuses:
			// left out, they would make it another path.
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
