package expr

import (
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/template"
)

// warnName warns of a name in a struct that is sent as it is, and looks like a template or like the spread of other languages.
func (c *compilation) warnName(n *spec.Node, f spec.Field) {
	computed, isComputed := templateOf(f.Name)
	spread, isSpread := spreadOf(f)
	var remedy, meant string
	switch {
	case isSpread:
		remedy, meant = "A struct with the members of another one is an expression, such as `\"${merge(inputs, {id: id})}\"`.", spreadAsMerge(n, f, spread)
	case isComputed:
		remedy = "A struct with a computed name is an expression, such as `\"${fromPairs([[inputs.name, inputs.value]])}\"`."
		if value, ok := expressionOf(f.Value); ok && len(n.Fields) == 1 && computed != "" {
			meant = "${fromPairs([[" + computed + ", " + value + "]])}"
		}
	default:
		return
	}
	d := c.report(check.CodeLiteralTemplate, f.NameRange, remedy, "the name %q is sent as it is", f.Name)
	d.Severity = diag.Warning
	if _, bad := template.Scan(meant); meant != "" && bad == nil && !strings.ContainsAny(meant, "\"\\\n") {
		d.Detail = "Write \"" + meant + "\"."
		d.Suggest(diag.Edit{At: n.Range, Text: strconv.Quote(meant)})
	}
}

// templateOf returns the expression that a name consists of, "" if it has other text, too. ok is false if it is not a template.
func templateOf(name string) (expression string, ok bool) {
	pieces, bad := template.Scan(name)
	if bad != nil || !slices.ContainsFunc(pieces, func(p template.Piece) bool { return p.Expr }) {
		return "", false
	}
	expression, _ = template.Whole(name)
	return strings.TrimSpace(expression), true
}

// spreadOf returns the expression whose members a field stands for: `"...": "${inputs}"`, `"...inputs": …` or `"${...inputs}": …`; "" if
// that is not clear. ok is false if it is not a spread.
func spreadOf(f spec.Field) (expression string, ok bool) {
	name := f.Name
	if inner, isTemplate := template.Whole(name); isTemplate {
		name = strings.TrimSpace(inner)
	}
	of, ok := strings.CutPrefix(name, "...")
	if !ok {
		return "", false
	}
	if of = strings.TrimSpace(of); of == "" && f.Value.Kind == spec.StringNode {
		of, _ = template.Whole(f.Value.Text)
	}
	if _, bad := parse.Expression(of); bad != nil {
		return "", true
	}
	return of, true
}

// spreadAsMerge returns the template for a struct with one spread, "" if a member cannot be written in an expression.
func spreadAsMerge(n *spec.Node, of spec.Field, spread string) string {
	var members []string
	for _, f := range n.Fields {
		value, ok := expressionOf(f.Value)
		switch {
		case f.Name == of.Name:
		case !ok || !isIdentifier(f.Name):
			return ""
		default:
			members = append(members, f.Name+": "+value)
		}
	}
	switch {
	case spread == "":
		return ""
	case members == nil:
		return "${" + spread + "}"
	default:
		return "${merge(" + spread + ", {" + strings.Join(members, ", ") + "})}"
	}
}

func isIdentifier(name string) bool { return expressionName().FindString(name) == name }

// expressionOf returns a scalar as an expression: a template without text around it, a text, a number or a boolean.
func expressionOf(n *spec.Node) (text string, ok bool) {
	switch n.Kind {
	case spec.StringNode:
		if inner, whole := template.Whole(n.Text); whole {
			return strings.TrimSpace(inner), true
		}
		pieces, bad := template.Scan(n.Text)
		isText := bad == nil && !slices.ContainsFunc(pieces, func(p template.Piece) bool { return p.Expr }) && !strings.ContainsAny(n.Text, "'\"\\\n$")
		return "'" + n.Text + "'", isText
	case spec.NumberNode, spec.BoolNode:
		return n.Text, true
	default:
		return "", false
	}
}
