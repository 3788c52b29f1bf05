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

// Evaluator is one node of a compiled tree. Its result may contain Unknown and Secret
// at any depth.
type Evaluator interface {
	Eval(vars *Vars, r *Run) (any, error)
}

// Constant is a constant.
type Constant struct{ Value any }

func (f Constant) Eval(*Vars, *Run) (any, error) { return f.Value, nil }

// Chain is a plain member chain, such as inputs.limits.cpu. It is evaluated without
// the virtual machine, so that unknown and secret values keep their places.
type Chain struct {
	path []string
	// strict marks the steps that are indices of lists of known type.
	strict []bool
	// demands are what the values must be whose members the steps are.
	demands []check.Demand
	at      parse.Extent
	place   parse.Place
}

func (c *Chain) Eval(vars *Vars, _ *Run) (any, error) {
	v := vars.Values[c.path[0]]
	for i, step := range c.path[1:] {
		if err := checkDemand(c.demands[i+1], v, step); err != nil {
			return nil, failureOf(c.place, c.at, err)
		}
		next, found := child(v, step)
		if !found && c.strict[i+1] {
			return nil, failure(c.place, c.at, outOfRangeError(Quoted(step), v).Error())
		}
		v = next
	}
	if len(vars.Secrets) == 0 {
		return v, nil
	}
	return vars.withMarks(c.path, v), nil
}

// child returns the member of a value for a step. It returns null if there is none.
func child(v any, step string) (next any, found bool) {
	switch base := v.(type) {
	case map[string]any:
		next, found = base[step]
		return next, found
	case []any:
		return itemAt(base, step)
	case string:
		// A member of a string is an index in code points.
		if i, err := strconv.ParseInt(step, 10, 64); err == nil {
			return character(base, i)
		}
	case types.Unknown:
		return base, true
	}
	return nil, false
}

// formula is an expression that the virtual machine runs as a whole. If any of its
// references is unknown or secret, the whole result is.
type formula struct {
	program *program
	refs    []check.Reference
	// selects is set if the result is one of the referenced values, or a list of
	// them, as for find(…). The secret marks of the result are then those of its
	// type.
	selects *selection
}

func (f *formula) Eval(vars *Vars, r *Run) (any, error) {
	secret := len(vars.Secrets) > 0 && vars.hasSecret(f.refs)
	byType := secret && f.selects != nil && f.selects.isDeclared(vars, f.refs)
	var v any = types.Unknown{}
	unknown, over := vars.hasUnknown(f.refs)
	if err := r.Spend(over >> 1); err != nil {
		return nil, failureOf(f.program.place, f.program.place.Whole(), err)
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

// Dict is a map or struct of evaluators.
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

// Sequence is a list of evaluators.
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

// mergeNode is merge(a, b…), evaluated property by property.
type mergeNode struct {
	parts []Evaluator
	fail  func(error) error
}

func (m *mergeNode) Eval(vars *Vars, r *Run) (any, error) {
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
			return nil, m.fail(errors.New("merge requires maps, got " + DescribeKind(v)))
		}
	}
	if !unknown {
		return out, nil
	}
	// The properties are not known. If one is secret, all may be.
	return types.Mark(types.Unknown{}, secret || types.HoldsMark(out)), nil
}

// selectNode is pick(m, names…), or omit if keep is false, evaluated property by
// property.
type selectNode struct {
	part  Evaluator
	names []string
	keep  bool
	fail  func(error) error
}

func (c *selectNode) Eval(vars *Vars, r *Run) (any, error) {
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
		return nil, c.fail(errors.New("expected a map, got " + DescribeKind(v)))
	}
}

// Text is a template with text and expressions.
type Text struct{ Pieces []Piece }

// Piece is literal text, or an expression to insert.
type Piece struct {
	Literal string
	Part    Evaluator
	// Ref is the path of a plain member chain.
	Ref []string
	// segments means that the expression is a call of segments(…), whose items are
	// inserted with slashes between them.
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

// insertedText is an evaluated piece. It has several texts if it is the segments of a
// path.
type insertedText struct {
	Texts           []string
	Unknown, Secret bool
}

// Evaluate returns the text to insert for the piece.
func (p *Piece) Evaluate(vars *Vars, r *Run) (insertedText, error) {
	v, err := p.Part.Eval(vars, r)
	if err != nil {
		return insertedText{}, err
	}
	var w insertedText
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
		return insertedText{}, failureOf(p.place, p.at, err)
	}
	w.Texts = make([]string, len(list))
	for i, item := range list {
		if w.Texts[i], err = ScalarText(item); err == nil {
			err = r.Grow(len(w.Texts[i]))
		}
		if err != nil {
			return insertedText{}, failureOf(p.place, p.at, err)
		}
	}
	return w, nil
}
