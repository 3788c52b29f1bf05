// Package eval evaluates checked expressions. Expressions that only move values are
// evaluated by their structure, so that unknown and secret values keep their places.
// In all other expressions, operators, members and functions are replaced by calls of
// this package. expr-lang's virtual machine runs the remaining control flow:
// conditionals, loops and variables. Therefore numbers keep their digits, and all
// work is charged to one budget.
package eval

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/types"
)

// Machine compiles expressions for expr-lang's virtual machine. It is immutable and
// shared by all compilations.
type Machine struct {
	// Functions are the signatures that calls are checked against.
	Functions *check.Functions
	Table     conf.FunctionsTable
	env       nature.Nature
}

// NewMachine returns a machine with expr-lang's control flow, the operators of this
// package, and operations, by name.
func NewMachine(functions *check.Functions, operations map[string]PricedOperation) *Machine {
	m := &Machine{Functions: functions, Table: conf.FunctionsTable{}, env: conf.New(map[string]any{}).Env}
	for _, group := range []map[string]PricedOperation{operations, Operators()} {
		for name, op := range group {
			m.Table[name] = &builtin.Function{Name: name, Func: func(args ...any) (any, error) {
				r, ok := args[0].(*Run)
				if !ok {
					return nil, errors.New("called outside an evaluation")
				}
				if err := r.Spend(op.Cost(args[1:])); err != nil {
					return nil, err
				}
				return op.Run(r, args[1:])
			}}
		}
	}
	return m
}

// program is a compiled expression.
type program struct {
	code  *vm.Program
	roots []string
	place parse.Place
}

// compile compiles a part of a checked expression.
func (m *Machine) compile(n ast.Node, of *check.Result) (*program, error) {
	w := rewriter{strict: of.Strict, demands: of.Demands, notNull: of.NotNull, functions: m.Functions}
	if of.Scope != nil && of.Scope.Sought != nil {
		w.sought, w.result = of.Scope.Sought, listOfResult(of.Tree)
	}
	root := w.rewrite(n)
	config := parse.Config()
	config.Functions, config.Env = m.Table, m.env
	code, err := compiler.Compile(&parser.Tree{Node: root, Source: file.NewSource(of.Place.Source)}, config)
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", of.Place.Source, err)
	}
	p := &program{code: code, place: of.Place}
	for name := range w.roots {
		p.roots = append(p.roots, name)
	}
	return p, nil
}

// evalIn runs the program with the values of a scope. If secret is true, errors do
// not quote values, because they may be secret.
func (p *program) evalIn(r *Run, vars *Vars, secret bool) (any, error) {
	env := make(map[string]any, len(p.roots)+1)
	for _, name := range p.roots {
		env[name] = vars.Values[name]
	}
	env[runName] = r
	v, err := p.run(env, r.Most)
	if err == nil {
		v, err = r.copyResult(v, 0)
	}
	if err != nil {
		return nil, p.explain(err, r, secret)
	}
	return v, nil
}

func (p *program) run(env map[string]any, most int) (v any, err error) {
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, fmt.Errorf("the expression cannot be evaluated: %v", r)
		}
	}()
	machine := vm.VM{MemoryBudget: uint(most)}
	return machine.Run(p.code, env)
}

// explain converts an error of the virtual machine to a message for authors.
func (p *program) explain(err error, r *Run, secret bool) error {
	var at *file.Error
	if !errors.As(err, &at) {
		return failureOf(p.place, p.place.Whole(), err)
	}
	message, known := at.Message, (*fault)(nil)
	if at.Prev != nil {
		message = at.Prev.Error()
	}
	switch {
	case message == "memory budget exceeded":
		message = r.Size().Error()
	case secret && errors.As(at.Prev, &known):
		message = known.hidden
	}
	e := parse.Extent{From: at.From, To: at.To}
	if e.To <= e.From {
		e = p.place.Whole()
	}
	out := failure(p.place, e, message)
	out.keep(at.Prev)
	return out
}

// copyResult returns the result of an expression: a copy with times as strings. It returns
// an error if the result is too large.
func (r *Run) copyResult(v any, depth int) (any, error) {
	if depth > decode.MaxDepth {
		return nil, fmt.Errorf("the result nests deeper than %d levels", decode.MaxDepth)
	}
	if r.results++; r.TooMany(r.results) {
		return nil, fmt.Errorf("the result has more than %d values", r.Most)
	}
	if err := r.Spend(1); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case Moment:
		return v.String(), nil
	case Span:
		return v.String(), nil
	case int:
		return int64(v), nil
	case []any:
		return r.copyList(v, depth)
	case map[string]any:
		return r.copyMap(v, depth)
	case nil, bool, string, int64, float64, *spec.File:
		return v, nil
	}
	if types.IsNumber(v) {
		return v, nil
	}
	return nil, fmt.Errorf("the result has the unsupported type %T", v)
}

func (r *Run) copyList(list []any, depth int) (any, error) {
	out := make([]any, len(list))
	for i, item := range list {
		var err error
		if out[i], err = r.copyResult(item, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *Run) copyMap(m map[string]any, depth int) (any, error) {
	out := make(map[string]any, len(m))
	for k, item := range m {
		var err error
		if out[k], err = r.copyResult(item, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}
