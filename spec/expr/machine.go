package expr

import (
	"errors"
	"fmt"
	"sync"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/checker/nature"
	"github.com/expr-lang/expr/compiler"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/expr-lang/expr/vm"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// machine is what all compilations share, and none changes.
type machine struct {
	functions conf.FunctionsTable
	disabled  map[string]bool
	env       nature.Nature
}

var theMachine = sync.OnceValue(func() *machine {
	m := &machine{functions: conf.FunctionsTable{}, disabled: disabled()}
	m.env = conf.New(map[string]any{}).Env
	charges := costs()
	add := func(name string, op operation) {
		charge := charges[name]
		if charge == nil {
			charge = ofValues
		}
		m.functions[name] = &builtin.Function{Name: name, Func: func(args ...any) (any, error) {
			r, ok := args[0].(*run)
			if !ok {
				return nil, errors.New("called outside an evaluation")
			}
			if err := r.spend(charge(args[1:])); err != nil {
				return nil, err
			}
			return op(r, args[1:])
		}}
	}
	for name, f := range functions() {
		if f.run != nil {
			add(name, f.run)
		}
	}
	for name, run := range operators() {
		add(name, run)
	}
	add("method", opMethod)
	return m
})

// config is a configuration of expr's: each has a cache that it writes to, so
// each compilation has its own.
func (m *machine) config(functions bool) *conf.Config {
	c := &conf.Config{MaxNodes: maxNodes, Disabled: m.disabled, ShortCircuit: true}
	if functions {
		c.Functions, c.Env = m.functions, m.env
	}
	return c
}

// place is where an expression stands: for the messages of its evaluation.
type place struct {
	node   *spec.Node
	offset int
	source string
}

func (p place) error(e extent, message string) *EvalError {
	return &EvalError{Template: p.source, Range: p.node.At(p.offset+e.from, p.offset+e.to), Message: message}
}

// because is error for a message that is an error's.
func (p place) because(e extent, err error) *EvalError {
	out := p.error(e, err.Error())
	out.keep(err)
	return out
}

// stopped is because for the whole of it.
func (p place) stopped(err error) *EvalError {
	return p.because(extent{0, runeLen(p.source)}, err)
}

// program is a compiled expression.
type program struct {
	code  *vm.Program
	roots []string
	place place
}

// newProgram compiles a checked tree.
func newProgram(n ast.Node, strict map[*ast.MemberNode]bool, at place) (*program, error) {
	m := theMachine()
	w := rewriter{strict: strict}
	root := w.rewrite(n)
	code, err := compiler.Compile(&parser.Tree{Node: root, Source: file.NewSource(at.source)}, m.config(true))
	if err != nil {
		return nil, fmt.Errorf("compile %s: %w", at.source, err)
	}
	p := &program{code: code, place: at}
	for name := range w.roots {
		p.roots = append(p.roots, name)
	}
	return p, nil
}

// evalIn runs the program over the values of a scope. Errors quote no values where
// secret says that there may be secrets among them.
func (p *program) evalIn(r *run, vars *Vars, secret bool) (any, error) {
	env := make(map[string]any, len(p.roots)+1)
	for _, name := range p.roots {
		env[name] = vars.Values[name]
	}
	env[runName] = r
	v, err := p.run(env, r.most)
	if err == nil {
		v, err = r.leave(v, 0)
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

// explain is an error of the machine's in the author's words.
func (p *program) explain(err error, r *run, secret bool) error {
	whole := extent{0, runeLen(p.place.source)}
	var at *file.Error
	if !errors.As(err, &at) {
		return p.place.because(whole, err)
	}
	message, known := at.Message, (*fault)(nil)
	if at.Prev != nil {
		message = at.Prev.Error()
	}
	switch {
	case message == "memory budget exceeded":
		message = r.size().Error()
	case secret && errors.As(at.Prev, &known):
		message = known.hidden
	}
	e := extent{at.From, at.To}
	if e.to <= e.from {
		e = whole
	}
	out := p.place.error(e, message)
	out.keep(at.Prev)
	return out
}

// leave is a value as it leaves an expression: a copy in which times are text.
// It refuses what has grown beyond all bounds.
func (r *run) leave(v any, depth int) (any, error) {
	if depth > maxNesting {
		return nil, fmt.Errorf("the result nests deeper than %d", maxNesting)
	}
	if r.left++; r.tooMany(r.left) {
		return nil, fmt.Errorf("the result has more than %d values", r.most)
	}
	if err := r.spend(1); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case moment:
		return v.String(), nil
	case span:
		return v.String(), nil
	case int:
		return int64(v), nil
	case []any:
		return r.leaveList(v, depth)
	case map[string]any:
		return r.leaveMap(v, depth)
	case nil, bool, string, int64, float64, *spec.File:
		return v, nil
	}
	if isNumber(v) {
		return v, nil
	}
	return nil, fmt.Errorf("the result is %T, which is no value", v)
}

func (r *run) leaveList(list []any, depth int) (any, error) {
	out := make([]any, len(list))
	for i, item := range list {
		var err error
		if out[i], err = r.leave(item, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (r *run) leaveMap(m map[string]any, depth int) (any, error) {
	out := make(map[string]any, len(m))
	for k, item := range m {
		var err error
		if out[k], err = r.leave(item, depth+1); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// failed is a diagnostic for a constant expression that cannot be evaluated.
func failed(err error) diag.Diagnostic {
	d := diag.Diagnostic{
		Severity: diag.Error, Code: CodeConstantFails, Summary: err.Error(),
		Detail: "The expression refers to nothing, so it fails whenever it is evaluated.",
	}
	var e *EvalError
	if errors.As(err, &e) {
		d.Summary, d.Subject = e.Message, e.Range
	}
	return d
}
