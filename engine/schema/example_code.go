package schema

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/names"
)

// typeScript returns a program with one resource.
func (g generator) typeScript(r *spec.Resource, e *spec.Example, inputs map[string]property) string {
	sdk := names.Suggest(g.name, false)
	if slices.Contains(javaScriptKeywords, sdk) {
		sdk += "_"
	}
	w := &exampleWriter{generator: g, notation: typeScript}
	w.structure(e.Inputs, inputs, nil, "")
	var imports string
	if w.files {
		imports = "import * as pulumi from \"@pulumi/pulumi\";\n"
	}
	return fmt.Sprintf("%simport * as %s from %s;\n\nconst %s = new %s.%s(\"example\", %s);\n",
		imports, sdk, quote(g.modules.node), variable(sdk), sdk, r.Name, &w.text)
}

// python returns a program with one resource.
func (g generator) python(r *spec.Resource, e *spec.Example, inputs map[string]property) string {
	sdk := names.Python(strings.ReplaceAll(g.name, "-", "_"))
	w := &exampleWriter{generator: g, notation: python, sdk: sdk}
	for f := range present(e.Inputs) {
		name := names.Python(f.Name)
		if name == "opts" || name == "resource_name" { // parameters of each constructor
			name += "_"
		}
		w.text.WriteString(",\n    " + name + "=")
		w.value(f.Value, inputs[f.Name].typeSpec, "    ")
	}
	var imports string
	if w.files {
		imports = "import pulumi\n"
	}
	return fmt.Sprintf("%simport %s as %s\n\n%s = %s.%s(\"example\"%s)\n", imports, g.modules.python, sdk, variable(sdk), sdk, r.Name, &w.text)
}

// variable returns the name of the variable for a resource of an SDK with a name.
func variable(sdk string) string {
	if sdk == "example" {
		return "resource"
	}
	return "example"
}

// javaScriptKeywords are the words that the name of a provider could be, and that cannot name
// what a module imports (ECMA-262, section 12.7.2).
var javaScriptKeywords = []string{
	"arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else", "enum", "eval", "export",
	"extends", "false", "finally", "for", "function", "if", "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "package",
	"private", "protected", "public", "return", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with", "yield",
}

// notation is how a language writes values.
type notation struct {
	yes, no, null string
	// file is the prefix of the classes of assets.
	file string
	// member returns the key of a declared property, or of an entry of a map.
	member func(name string, declared bool) string
	// enums reports that a value of an enum has the type of the enum.
	enums bool
}

var (
	typeScript = notation{
		yes: "true", no: "false", null: "null", file: "new pulumi.asset.",
		member: func(name string, _ bool) string {
			if names.IsIdentifier(name) {
				return name
			}
			return quote(name)
		},
	}
	python = notation{
		yes: "True", no: "False", null: "None", file: "pulumi.", enums: true,
		member: func(name string, declared bool) string {
			if declared {
				name = names.Python(name)
			}
			return quote(name)
		},
	}
)

// quote returns a string literal of both languages.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ' || r == 0x7f || r == 0x2028 || r == 0x2029: // the last two end a line in older JavaScript
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// exampleWriter writes values in a notation, by the types of the schema.
type exampleWriter struct {
	generator
	notation
	// sdk is the name of the imported SDK.
	sdk  string
	text strings.Builder
	// files reports whether a value is an asset or archive.
	files bool
}

func (w *exampleWriter) value(n *spec.Node, t typeSpec, indent string) {
	t = w.narrow(t, n)
	switch n.Kind {
	case spec.ListNode:
		w.list(n, t, indent)
	case spec.MapNode:
		w.structure(n, w.types[refToken(t.Ref)].Properties, t.AdditionalProperties, indent)
	default:
		w.scalar(n, t)
	}
}

func (w *exampleWriter) scalar(n *spec.Node, t typeSpec) {
	text := n.Text
	switch n.Kind {
	case spec.NullNode:
		text = w.null
	case spec.BoolNode:
		text = map[bool]string{true: w.yes, false: w.no}[text == "true"]
	case spec.StringNode:
		text = quote(text)
	}
	class := map[string]string{assetRef: "FileAsset", archiveRef: "FileArchive"}[t.Ref]
	w.files = w.files || class != ""
	switch enum := refToken(t.Ref); {
	case class != "":
		text = w.file + class + "(" + text + ")"
	case w.enums && len(w.types[enum].Enum) > 0:
		text = w.sdk + "." + strings.TrimPrefix(enum, w.token("")) + "(" + text + ")"
	}
	w.text.WriteString(text)
}

func (w *exampleWriter) list(n *spec.Node, t typeSpec, indent string) {
	var elem typeSpec
	if t.Items != nil {
		elem = *t.Items
	}
	w.text.WriteByte('[')
	for i, item := range n.Items {
		if i > 0 {
			w.text.WriteString(", ")
		}
		w.value(item, elem, indent)
	}
	w.text.WriteByte(']')
}

// structure writes the members that are not null, each on a line of its own.
func (w *exampleWriter) structure(n *spec.Node, declared map[string]property, others *typeSpec, indent string) {
	inner, empty := indent+"    ", true
	w.text.WriteByte('{')
	for f := range present(n) {
		p, ok := declared[f.Name]
		if !ok && others != nil {
			p.typeSpec = *others
		}
		if empty {
			w.text.WriteByte('\n')
		}
		empty = false
		w.text.WriteString(inner + w.member(f.Name, ok) + ": ")
		w.value(f.Value, p.typeSpec, inner)
		w.text.WriteString(",\n")
	}
	if !empty {
		w.text.WriteString(indent)
	}
	w.text.WriteByte('}')
}

// present returns the members of a struct that are not null.
func present(n *spec.Node) iter.Seq[spec.Field] {
	return func(yield func(spec.Field) bool) {
		for _, f := range n.Fields {
			if f.Value.Kind != spec.NullNode && !yield(f) {
				return
			}
		}
	}
}

// narrow returns the variant of a union that a value is of. Other types are returned as they are.
func (w *exampleWriter) narrow(t typeSpec, n *spec.Node) typeSpec {
	for _, variant := range t.OneOf {
		if w.takes(variant, n, t.Discriminator) {
			return variant
		}
	}
	return t
}

// takes reports whether a value can be of a variant of a union.
func (w *exampleWriter) takes(t typeSpec, n *spec.Node, tag *discriminator) bool {
	def := w.types[refToken(t.Ref)]
	switch n.Kind {
	case spec.StringNode:
		return t.Type == "string" || t.Ref == assetRef || t.Ref == archiveRef || def.Type == "string"
	case spec.BoolNode:
		return t.Type == "boolean" || def.Type == "boolean"
	case spec.NumberNode:
		return t.Type == "number" || t.Type == "integer" || def.Type == "number" || def.Type == "integer"
	case spec.ListNode:
		return t.Type == "array"
	default:
		if tag != nil {
			value := n.Get(tag.PropertyName)
			return value != nil && tag.Mapping[value.Text] == t.Ref
		}
		return t.Type == "object" || def.Type == "object" && !slices.ContainsFunc(n.Fields, func(f spec.Field) bool {
			_, declared := def.Properties[f.Name]
			return !declared
		})
	}
}
