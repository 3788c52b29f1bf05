package expr

import (
	"errors"
	"sync"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/expr/functions"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/template"
	"github.com/declprov/declprov/spec/types"
)

// language is the machine that runs expressions.
var language = sync.OnceValue(func() *eval.Machine { return eval.NewMachine(functions.Prototypes(), functions.Operations()) })

// compileExpression parses, checks and compiles one `${…}`. If there are errors, the value
// is null with any type.
func (c *compilation) compileExpression(n *spec.Node, raw template.Piece, want *spec.Type, amidText bool) (eval.Piece, check.Result) {
	faulty, ofFaulty := eval.Piece{Part: eval.Constant{}}, check.Result{Type: types.Any()}
	tree, bad := parse.Expression(raw.Text)
	if bad != nil {
		d := parse.Unparsed(n, raw, bad)
		c.report(d.Code, d.Subject, d.Detail, "%s", d.Summary).Suggest(d.Edits...)
		return faulty, ofFaulty
	}
	checked := check.Expression(tree, parse.Place{Node: n, Offset: raw.From, Source: raw.Text}, c.scope, language().Functions, want, amidText)
	c.diags = append(c.diags, checked.Diags...)
	c.unchecked = append(c.unchecked, checked.Unchecked...)
	c.refs = checked.AppendRefs(c.refs)
	if checked.Diags.HasErrors() {
		return faulty, ofFaulty
	}
	out, err := language().Build(&checked)
	if err != nil {
		d := diag.Diagnostic{
			Severity: diag.Error, Code: check.CodeConstantFails, Summary: err.Error(), Subject: n.At(raw.From, raw.To),
			Detail: "The expression has no references, so it fails whenever it is evaluated. Correct it.",
		}
		var e *EvalError
		if errors.As(err, &e) {
			d.Summary, d.Subject = e.Message, e.Range
		}
		c.diags = append(c.diags, d)
		return faulty, ofFaulty
	}
	if f, ok := out.Part.(eval.Constant); ok && want != nil && !amidText {
		if m := types.Fits(f.Value, want, c.scope.Types); m != nil {
			c.report(m.Code, checked.Place.At(checked.At), check.RemedyForValue(m, f.Value, want, c.scope.Types), "%s", m.Error())
		}
	}
	return out, checked
}
