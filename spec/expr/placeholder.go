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
		for _, reference := range []string{m[2], "inputs." + m[2]} {
			if (reference != m[2] || m[2] == "id") && c.declared(reference) == reference {
				c.warnPlaceholder(n, m[1], reference)
				break
			}
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
	i := slices.IndexFunc(c.scope.Names, func(n check.Name) bool { return n.Name == names[0] && n.Absent == "" })
	if i < 0 || c.scope.Names[i].Type == nil {
		return ""
	}
	t := c.scope.Names[i].Type
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
