package parse

import (
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/template"
)

// Unparsed returns the diagnostic of an expression in a node that cannot be parsed, without a severity and a
// path. If the expression is in another language, it says what it is here.
func Unparsed(n *spec.Node, raw template.Piece, bad *Fault) *diag.Diagnostic {
	isCUE := strings.HasSuffix(n.Range.File, ".cue")
	if bad.Summary == "invalid char escape" {
		if t, from, to, ok := foreign.ParseEscape(raw.Text, isCUE); ok {
			return repaired(n, raw, t, from, to, func(text string) string { return text })
		}
	}
	t, ok := foreign.ParseExpression(raw.Text)
	if !ok || bad.Code != CodeSyntax {
		return &diag.Diagnostic{Code: bad.Code, Subject: n.At(raw.From+bad.From, raw.From+bad.To), Summary: bad.Summary, Detail: bad.Detail}
	}
	first, last := t.Parts[0], t.Parts[len(t.Parts)-1]
	return repaired(n, raw, t, first.From, max(last.To, first.From+1), func(text string) string {
		if isCUE {
			return text
		}
		return strings.ReplaceAll(text, " : ", " :") // in YAML, a colon before a space ends a key
	})
}

// repaired returns the diagnostic of some bytes of an expression, with the edits that repair it.
func repaired(n *spec.Node, raw template.Piece, t foreign.Repair, from, to int, write func(string) string) *diag.Diagnostic {
	d := &diag.Diagnostic{Code: CodeSyntax, Subject: rangeIn(n, raw, from, to), Summary: t.Summary, Detail: t.Remedy}
	for _, p := range t.Parts {
		if p.From < p.To { // only replacements: a range of characters has a place in any notation of strings
			d.Suggest(diag.Edit{At: rangeIn(n, raw, p.From, p.To), Old: raw.Text[p.From:p.To], Text: write(p.Text)})
		}
	}
	return d
}

// rangeIn returns the range of some bytes of an expression.
func rangeIn(n *spec.Node, raw template.Piece, from, to int) diag.Range {
	runes := func(at int) int { return raw.From + utf8.RuneCountInString(raw.Text[:at]) }
	return n.At(runes(from), runes(to))
}
