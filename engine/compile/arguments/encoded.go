package arguments

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/template"
)

// encoding matches the call of a function that escapes a value for a URL, here and elsewhere.
var encoding = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:urlencode|encodeURIComponent|url_encode|urlEncode|quote_plus)\((.*)\)\s*$`)
})

// encoded returns the argument of an expression that is one call of an encoding function, such as
// `inputs.name` of `urlencode(inputs.name)`. ok is false for other expressions.
func encoded(expression string) (value string, ok bool) {
	if !strings.Contains(expression, "(") { // avoid the regular expression: this is called for every template
		return "", false
	}
	m := encoding().FindStringSubmatch(expression)
	if m == nil {
		return "", false
	}
	depth := 0
	for _, c := range m[1] {
		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth < 0 {
				return "", false // f(a) + f(b)
			}
		}
	}
	return m[1], depth == 0
}

// escapesValues reports whether the values in the templates of an argument are escaped for a URL.
func escapesValues(decl *actions.Arg) bool {
	return decl.Mode == actions.Path || decl.Name == "query" && decl.Wire
}

// checkEncoded warns of values that are escaped twice, because the argument escapes them as well. found are the other
// findings in the argument. If one of them suggests our name for a foreign function that escapes, it suggests to remove the
// call instead.
func (b *Block) checkEncoded(f spec.Field, found diag.List) {
	const remedy = "Each value is escaped already, and a %% would be escaped again. Write %s."
	for i := range found {
		d := &found[i]
		if len(d.Edits) != 1 {
			continue
		}
		if value, ok := encoded(d.Edits[0].Text); ok {
			d.Edits[0].Text, d.Detail = value, fmt.Sprintf(remedy, value)
		}
	}
	var add []func()
	eachText(f.Value, f.Name, func(n *spec.Node, path string) {
		pieces, bad := template.Scan(n.Text)
		if bad != nil {
			return
		}
		for _, p := range pieces {
			value, ok := encoded(p.Text)
			if !p.Expr || !ok {
				continue
			}
			at := n.At(p.From, p.To)
			edit := diag.Edit{At: at, Old: strings.TrimSpace(p.Text), Text: value}
			detail := fmt.Sprintf(remedy, value)
			if d := within(found, at); d != nil {
				d.Detail, d.Edits = detail, []diag.Edit{edit} // a function of another tool
				continue
			}
			add = append(add, func() { b.Warn(finding.CodeBadCall, at, path, "the value is escaped twice", detail).Suggest(edit) })
		}
	})
	for _, warn := range add { // which may move the findings
		warn()
	}
}

// within returns a finding in a range that is about an unknown function, or nil.
func within(found diag.List, at diag.Range) *diag.Diagnostic {
	for i := range found {
		if at.Contains(found[i].Subject) && strings.HasPrefix(found[i].Summary, "unknown function") {
			return &found[i]
		}
	}
	return nil
}

// eachText calls see for each string in a value.
func eachText(n *spec.Node, path string, see func(n *spec.Node, path string)) {
	switch n.Kind {
	case spec.StringNode:
		see(n, path)
	case spec.ListNode:
		for i, item := range n.Items {
			eachText(item, fmt.Sprintf("%s[%d]", path, i), see)
		}
	case spec.MapNode:
		for _, f := range n.Fields {
			eachText(f.Value, path+"."+f.Name, see)
		}
	}
}
