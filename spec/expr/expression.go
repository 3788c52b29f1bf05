package expr

import (
	"errors"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/eval"
	"github.com/declprov/declprov/spec/expr/functions"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/foreign"
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
		c.reportUnparsed(n, raw, bad)
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

// reportUnparsed reports an expression that cannot be parsed. If it is in another language, the
// report says what it is here.
func (c *compilation) reportUnparsed(n *spec.Node, raw template.Piece, bad *parse.Fault) {
	isCUE := strings.HasSuffix(n.Range.File, ".cue")
	if bad.Summary == "invalid char escape" && c.reportEscape(n, raw, isCUE) {
		return
	}
	t, ok := foreign.ParseExpression(raw.Text)
	if !ok || bad.Code != parse.CodeSyntax {
		c.report(bad.Code, n.At(raw.From+bad.From, raw.From+bad.To), bad.Detail, "%s", bad.Summary)
		return
	}
	place := func(from, to int) diag.Range { return rangeIn(n, raw, from, to) }
	first, last := t.Parts[0], t.Parts[len(t.Parts)-1]
	d := c.report(bad.Code, place(first.From, max(last.To, first.From+1)), t.Remedy, "%s", t.Summary)
	for _, p := range t.Parts {
		if p.From == p.To {
			continue // only replacements: a range of characters has a place in any notation of strings
		}
		text := p.Text
		if !isCUE {
			text = strings.ReplaceAll(text, " : ", " :") // in YAML, a colon before a space ends a key
		}
		d.Suggest(diag.Edit{At: place(p.From, p.To), Old: raw.Text[p.From:p.To], Text: text})
	}
}

// reportEscape reports an escape sequence of an expression that does not exist.
func (c *compilation) reportEscape(n *spec.Node, raw template.Piece, isCUE bool) bool {
	t, from, to, ok := foreign.ParseEscape(raw.Text, isCUE)
	if !ok {
		return false
	}
	d := c.report(parse.CodeSyntax, rangeIn(n, raw, from, to), t.Remedy, "%s", t.Summary)
	for _, p := range t.Parts {
		d.Suggest(diag.Edit{At: rangeIn(n, raw, p.From, p.To), Old: raw.Text[p.From:p.To], Text: p.Text})
	}
	return true
}

// rangeIn returns the range of some bytes of an expression.
func rangeIn(n *spec.Node, raw template.Piece, from, to int) diag.Range {
	runes := func(at int) int { return raw.From + utf8.RuneCountInString(raw.Text[:at]) }
	return n.At(runes(from), runes(to))
}
