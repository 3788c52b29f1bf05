package eval

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// Evaluator is one node of a compiled tree. What it yields may hold Unknown and
// Secret at any depth.
type Evaluator interface {
	Eval(vars *Vars, r *Run) (any, error)
}

// Fixed is a value that refers to nothing.
type Fixed struct{ Value any }

func (f Fixed) Eval(*Vars, *Run) (any, error) { return f.Value, nil }

// Chain is a plain member chain: inputs.limits.cpu. It is looked up without the
// machine, and what is unknown or secret in it stays where it is.
type Chain struct {
	path []string
	// strict are the steps that are indices of lists of known type.
	strict []bool
	at     parse.Extent
	place  parse.Place
}

func (c *Chain) Eval(vars *Vars, _ *Run) (any, error) {
	v := vars.Values[c.path[0]]
	for i, step := range c.path[1:] {
		next, found := child(v, step)
		if !found && c.strict[i+1] {
			return nil, failure(c.place, c.at, outOfRange(Quoted(step), v).Error())
		}
		v = next
	}
	if len(vars.Secrets) == 0 {
		return v, nil
	}
	return vars.marked(c.path, v), nil
}

// child returns one step down from a value: null where there is none.
func child(v any, step string) (next any, found bool) {
	switch base := v.(type) {
	case map[string]any:
		next, found = base[step]
		return next, found
	case []any:
		return itemAt(base, step)
	case string:
		// A member of text is an index, in code points.
		if i, err := strconv.ParseInt(step, 10, 64); err == nil {
			return character(base, i)
		}
	case types.Unknown:
		return base, true
	}
	return nil, false
}

// formula is an expression that the machine runs, as a whole: if anything that
// it refers to is unknown or secret, so is the result.
type formula struct {
	program *program
	refs    []check.Reference
	// selects is not nil where the result is one of the values that it refers to,
	// or a list of them, as of find(…): their marks stay where their type has them.
	selects *selection
}

func (f *formula) Eval(vars *Vars, r *Run) (any, error) {
	secret := len(vars.Secrets) > 0 && vars.secret(f.refs)
	byType := secret && f.selects != nil && f.selects.declared(vars, f.refs)
	var v any = types.Unknown{}
	unknown, over := vars.unknown(f.refs)
	if err := r.Spend(over >> 1); err != nil {
		return nil, because(f.program.place, f.program.place.Whole(), err)
	}
	if !unknown {
		var err error
		if v, err = f.program.evalIn(r, vars, secret); err != nil {
			return nil, err
		}
	}
	switch {
	case byType:
		return types.MarkDeclared(v, f.selects.t, f.selects.scope.Types), nil
	case secret:
		return types.Secret{Value: v}, nil
	default:
		return v, nil
	}
}

// Dict is a map or struct of parts.
type Dict struct {
	Keys  []string
	Parts []Evaluator
}

func (d *Dict) Eval(vars *Vars, r *Run) (any, error) {
	out := make(map[string]any, len(d.Keys))
	for i, key := range d.Keys {
		v, err := d.Parts[i].Eval(vars, r)
		if err != nil {
			return nil, err
		}
		out[key] = v
	}
	return out, nil
}

// Sequence is a list of parts.
type Sequence struct{ Parts []Evaluator }

func (s *Sequence) Eval(vars *Vars, r *Run) (any, error) {
	out := make([]any, len(s.Parts))
	for i, part := range s.Parts {
		v, err := part.Eval(vars, r)
		if err != nil {
			return nil, err
		}
		out[i] = v
	}
	return out, nil
}

// merged is merge(a, b…): property by property.
type merged struct {
	parts []Evaluator
	fail  func(error) error
}

func (m *merged) Eval(vars *Vars, r *Run) (any, error) {
	out := map[string]any{}
	unknown, secret := false, false
	for _, part := range m.parts {
		v, err := part.Eval(vars, r)
		if err != nil {
			return nil, err
		}
		wrapped := false
		if s, ok := v.(types.Secret); ok {
			wrapped, v = true, s.Value
		}
		switch v := v.(type) {
		case nil:
		case types.Unknown:
			unknown, secret = true, secret || wrapped
		case map[string]any:
			if err := r.Items(len(v)); err != nil {
				return nil, m.fail(err)
			}
			for k, item := range v {
				out[k] = types.Mark(item, wrapped)
			}
		default:
			return nil, m.fail(errors.New("merge needs maps, and has " + DescribeKind(v)))
		}
	}
	if !unknown {
		return out, nil
	}
	// Which properties there are is not known; if one is secret, all may be.
	return types.Mark(types.Unknown{}, secret || types.HoldsMark(out)), nil
}

// chosenPart is pick(m, names…), or omit with keep false: property by property.
type chosenPart struct {
	part  Evaluator
	names []string
	keep  bool
	fail  func(error) error
}

func (c *chosenPart) Eval(vars *Vars, r *Run) (any, error) {
	v, err := c.part.Eval(vars, r)
	if err != nil {
		return nil, err
	}
	s, wrapped := v.(types.Secret)
	if wrapped {
		v = s.Value
	}
	switch v := v.(type) {
	case types.Unknown:
		return types.Mark(v, wrapped), nil
	case map[string]any:
		if err := r.Items(len(v)); err != nil {
			return nil, c.fail(err)
		}
		out := maps.Clone(v)
		maps.DeleteFunc(out, func(k string, _ any) bool { return slices.Contains(c.names, k) != c.keep })
		return types.Mark(out, wrapped), nil
	default:
		return nil, c.fail(errors.New("this needs a map, and there is " + DescribeKind(v)))
	}
}

// Text is a template with text around its parts.
type Text struct{ Pieces []Piece }

// Piece is literal text, or a part to be written into it.
type Piece struct {
	Literal string
	Part    Evaluator
	// Ref is the path of a plain chain.
	Ref []string
	// segments says that the part is a call of segments(…), whose items stand
	// side by side with slashes between them.
	segments bool

	at    parse.Extent
	place parse.Place
}

func (t *Text) Eval(vars *Vars, r *Run) (any, error) {
	var b strings.Builder
	unknown, secret := false, false
	for i := range t.Pieces {
		p := &t.Pieces[i]
		if p.Part == nil {
			b.WriteString(p.Literal)
			continue
		}
		part, err := p.Evaluate(vars, r)
		if err != nil {
			return nil, err
		}
		unknown, secret = unknown || part.Unknown, secret || part.Secret
		if part.Unknown {
			continue
		}
		for i, s := range part.Texts {
			if i > 0 {
				b.WriteByte('/')
			}
			b.WriteString(s)
		}
		if b.Len() > MaxText {
			return nil, failure(p.place, p.at, ErrText.Error())
		}
	}
	if unknown {
		return types.Mark(types.Unknown{}, secret), nil
	}
	return types.Mark(b.String(), secret), nil
}

// written is an evaluated piece: more than one text where it is the segments
// of a path.
type written struct {
	Texts           []string
	Unknown, Secret bool
}

// Evaluate returns what is written in the place of the piece.
func (p *Piece) Evaluate(vars *Vars, r *Run) (written, error) {
	v, err := p.Part.Eval(vars, r)
	if err != nil {
		return written{}, err
	}
	var w written
	if types.HasUnknown(v) {
		w.Unknown = true
	}
	v = types.Reveal(v, func(any) { w.Secret = true })
	if w.Unknown {
		return w, nil
	}
	list, isList := v.([]any)
	if !isList || !p.segments {
		list = []any{v}
	} else if err := r.Items(len(list)); err != nil {
		return written{}, because(p.place, p.at, err)
	}
	w.Texts = make([]string, len(list))
	for i, item := range list {
		if w.Texts[i], err = ScalarText(item); err == nil {
			err = r.Grow(len(w.Texts[i]))
		}
		if err != nil {
			return written{}, because(p.place, p.at, err)
		}
	}
	return w, nil
}
