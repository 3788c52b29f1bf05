package expr

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr/check"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/types"
)

// placeholder matches a reference that is written as in other tools: {{ .inputs.x }}, {inputs.x},
// #{inputs.x}, %{inputs.x}, <inputs.x>, $(inputs.x) and $inputs.x. segment matches a name in the place of a segment of a path: :x.
var placeholder, segment = sync.OnceValue(func() *regexp.Regexp {
	const reference = `((?:inputs|config|state|session|steps|result|each|children|changes|old)(?:\.[A-Za-z_]\w*)+)`
	return regexp.MustCompile(`(?:^|[^$#%@{])(?:(\{\{-?\s*[.$]?` + reference + `\s*-?\}\})|(\{` + reference + `\})|(<` + reference + `>))|([#%@]\{` + reference + `\})|` +
		`(?:^|[^$\w])(\$` + reference + `)|(?:^|[^$])(\$\(` + reference + `\))`)
}), sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:^|/)(:([A-Za-z_]\w*))(?:/|$)`) })

// warnPlaceholders warns about references in a literal text that are not templates, but name something that
// is declared here. Other texts of that form are those of other tools, which may be meant.
func (c *compilation) warnPlaceholders(n *spec.Node, text string) {
	// A provider compiles its texts at each start, and nearly none has one of these characters.
	if strings.ContainsAny(text, "{<$") {
		c.warnReferences(n, text)
	}
	if strings.Contains(text, "inputs.") || strings.Contains(text, "config.") {
		c.warnInPath(n, text)
	}
	if strings.Contains(text, ":") && !strings.HasPrefix(text, "/") && !strings.Contains(text, "://") {
		c.warnSegments(n, text) // not the path of a request, which its family checks
	}
}

// word matches a placeholder of one name: {{ id }}, {id}, #{id}, $(id), <id>, $id and :id.
var word = sync.OnceValue(func() *regexp.Regexp {
	const name = `([A-Za-z_]\w*)`
	return regexp.MustCompile(`\{\{-?\s*[.$]?` + name + `\s*-?\}\}|[#%@]?\{` + name + `\}|\$\(` + name + `\)|<` + name + `>|[$:]` + name)
})

// words warns about placeholders of one name.
type words struct{ *compilation }

// warn warns about placeholders of one name in a text, with the templates that it contains. Such text is
// also in scripts, markup, queries and routes, so the name must be known, and the placeholder must be where a
// value is: it is the whole text, or, for the id and for local names, a part between separators.
func (c words) warn(n *spec.Node) {
	text := n.Text
	if !strings.ContainsAny(text, "{<$:") || strings.Contains(text, "\n") {
		return
	}
	for _, at := range word().FindAllStringSubmatchIndex(text, -1) {
		written, name := text[at[0]:at[1]], ""
		for i := 2; i < len(at); i += 2 {
			if at[i] >= 0 {
				name = text[at[i]:at[i+1]]
			}
		}
		isWhole := written == text
		alone := (isWhole || at[0] > 0 && text[at[0]-1] == '=') && !strings.HasPrefix(written, ":") && (written[0] != '$' || written[1] == '(')
		if meant := c.meant(n, name, alone); meant != "" && (isWhole || isValue(text, at[0], at[1])) {
			c.warnPlaceholder(n, written, meant)
		}
	}
}

// meant returns what the name of a placeholder stands for, or "". alone says that the
// placeholder is a whole value.
func (c words) meant(n *spec.Node, name string, alone bool) string {
	switch {
	case name == "id" && c.declared("id") != "", slices.Contains(n.Locals, name):
		return name
	case !alone:
		return ""
	case c.declared("inputs."+name) == "inputs."+name:
		return "inputs." + name
	case slices.Contains(foreign.Roots(name), "each.value") && c.declared("each.value") == "each.value":
		return "each.value"
	case slices.ContainsFunc(c.scope.Names, func(n check.Name) bool { return n.Name == name && n.Absent == "" }):
		return name
	default:
		return ""
	}
}

// isValue reports whether the part of a text between two positions is where a value is: a segment of a path, a value
// of a query, or {{ id }} anywhere.
func isValue(text string, from, to int) bool {
	if strings.HasPrefix(text[from:to], "{{") {
		return from == 0 || !strings.ContainsRune("$#%@{", rune(text[from-1]))
	}
	opens := from == 0 || strings.ContainsRune("/=&?,", rune(text[from-1]))
	closes := to == len(text) || strings.ContainsRune("/&?,.", rune(text[to]))
	return opens && closes && !strings.ContainsAny(text, " \t")
}

// warnReferences warns about references that are written as in other tools.
func (c *compilation) warnReferences(n *spec.Node, text string) {
	for _, m := range placeholder().FindAllStringSubmatch(text, -1) {
		i := 1 + slices.IndexFunc(m[1:], func(group string) bool { return group != "" })
		written, reference := m[i], m[i+1]
		known := c.declared(reference)
		switch {
		case known == "", known != reference && (written[0] != '$' || written[1] == '('):
		default:
			c.warnPlaceholder(n, strings.TrimSuffix(written, strings.TrimPrefix(reference, known)), known)
		}
	}
}

// inPath matches a reference that is a whole segment of a path, or a whole value of a query.
var inPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[/=]((?:inputs|config)(?:\.[A-Za-z_]\w*)+)(?:$|[/&?])`)
})

// warnInPath warns about references in a path without ${ and }: /pets?name=inputs.name.
func (c *compilation) warnInPath(n *spec.Node, text string) {
	for _, m := range inPath().FindAllStringSubmatch(text, -1) {
		if c.declared(m[1]) == m[1] {
			c.warnPlaceholder(n, m[1], m[1])
		}
	}
}

// warnSegments warns about names in the places of segments: a/:name.
func (c *compilation) warnSegments(n *spec.Node, text string) {
	for _, m := range segment().FindAllStringSubmatch(text, -1) {
		if reference := "inputs." + m[2]; m[2] != "id" && c.declared(reference) == reference {
			c.warnPlaceholder(n, m[1], reference)
		}
	}
}

// warnPlaceholder warns about one reference that is not a template.
func (c *compilation) warnPlaceholder(n *spec.Node, written, reference string) {
	meant := "${" + reference + "}"
	d := c.report(CodeBareReference, n.Range, fmt.Sprintf("For the value, write %s.", meant), "this contains the text %q", written)
	d.Severity = diag.Warning
	d.Replace(written, meant)
}

// declared returns the beginning of a reference that names something in the scope, or "". A member is only
// known if its struct declares it.
func (c *compilation) declared(reference string) string {
	names := strings.Split(reference, ".")
	root := c.scope.Available(names[0])
	if root == nil || root.Type == nil {
		return ""
	}
	t := root.Type
	for at, name := range names[1:] {
		t = types.Present(types.Resolve(t, c.scope.Types), c.scope.Types)
		p := t.Field(name)
		if t.Kind != spec.Object || p == nil {
			if at == 0 {
				return ""
			}
			return strings.Join(names[:at+1], ".")
		}
		t = p.Type
	}
	return reference
}

// warnFieldPath warns about a struct that is a reference of Crossplane, {fromFieldPath: spec.title}, if it
// names something that is declared here.
func (c *compilation) warnFieldPath(n *spec.Node) {
	if len(n.Fields) != 1 || n.Fields[0].Name != "fromFieldPath" || n.Fields[0].Value.Kind != spec.StringNode {
		return
	}
	reference, ok := foreign.FieldPath(n.Fields[0].Value.Text)
	if !ok || c.declared(reference) != reference {
		return
	}
	meant := fmt.Sprintf("\"${%s}\"", reference)
	d := c.report(CodeBareReference, n.Range, fmt.Sprintf("For the value, write %s.", meant), "this is a struct with the text %q", n.Fields[0].Value.Text)
	d.Severity = diag.Warning
	if n.Range.Start.Line == n.Range.End.Line {
		d.Suggest(diag.Edit{At: n.Range, Text: meant})
	}
}
