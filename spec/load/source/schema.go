package source

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
)

// schemaWords are the keywords of JSON Schema and of the schemas of other tools. Their values are
// literals, except for the schemas below items, properties and additionalProperties.
var schemaWords = []string{
	"type", "description", "title", "default", "enum", "const", "format", "items", "properties", "required", "additionalProperties",
	"minLength", "maxLength", "pattern", "minimum", "maximum", "minItems", "maxItems", "nullable", "readOnly", "writeOnly", "example", "examples",
	"forceNew", "sensitive", "secret", "optional", "computed", "immutable", "deprecated", "willReplaceOnChanges",
}

// Schema is a JSON Schema in the place of a type.
type Schema struct {
	// CUE is the same type in CUE, with its attributes.
	CUE string
	// Optional means that the property is optional.
	Optional bool
}

// SchemaOf returns the type that an expression describes in the notation of JSON Schema.
func SchemaOf(e ast.Expr) (Schema, bool) {
	s, ok := e.(*ast.StructLit)
	if !ok || len(s.Elts) == 0 {
		return Schema{}, false
	}
	r := schemaReader{members: map[string]ast.Expr{}}
	for _, d := range s.Elts {
		f, ok := d.(*ast.Field)
		if !ok || f.Constraint != token.ILLEGAL || !slices.Contains(schemaWords, LabelOf(f)) || !isSchemaValue(LabelOf(f), f.Value) {
			return Schema{}, false
		}
		r.members[LabelOf(f)] = f.Value
	}
	base, ok := r.base()
	if !ok {
		return Schema{}, false
	}
	_, isObject := r.members["properties"]
	optional := r.isTrue("optional") || r.isTrue("nullable") || r.isFalse("required")
	out := r.restricted(base)
	if def := r.members["default"]; def != nil && !isObject {
		out = "*" + literalText(def) + " | " + out
		optional = false
	}
	return Schema{CUE: out + r.attributes(), Optional: optional}, true
}

// isSchemaValue reports whether a keyword can have the value.
func isSchemaValue(word string, v ast.Expr) bool {
	switch v := v.(type) {
	case *ast.BasicLit:
		return true
	case *ast.ListLit:
		return slices.Contains([]string{"enum", "required", "examples", "type", "default"}, word)
	case *ast.StructLit:
		return slices.Contains([]string{"items", "properties", "additionalProperties", "default", "example"}, word)
	case *ast.Ident:
		return word == "type" && slices.Contains(PredeclaredTypes, v.Name) || v.Name == "true" || v.Name == "false"
	case *ast.UnaryExpr:
		return v.Op == token.SUB
	default:
		return false
	}
}

// schemaReader converts the members of one schema.
type schemaReader struct{ members map[string]ast.Expr }

func (r *schemaReader) isTrue(word string) bool  { return literalText(r.members[word]) == "true" }
func (r *schemaReader) isFalse(word string) bool { return literalText(r.members[word]) == "false" }

// base returns the type without restrictions. ok is false if there is no schema: a type that is
// written in CUE requires another keyword beside it.
func (r *schemaReader) base() (cue string, ok bool) {
	if list, isList := r.members["enum"].(*ast.ListLit); isList {
		var values []string
		for _, e := range list.Elts {
			values = append(values, literalText(e))
		}
		return strings.Join(values, " | "), len(values) > 0
	}
	switch t := r.members["type"].(type) {
	case *ast.Ident:
		return t.Name, len(r.members) > 1
	case *ast.BasicLit:
		return r.named(textOf(t))
	}
	return "", false
}

// named returns the type with a name.
func (r *schemaReader) named(name string) (string, bool) {
	switch name {
	case "array", "list", "set":
		elem := "_"
		if s, ok := SchemaOf(r.members["items"]); ok {
			elem = s.CUE
		}
		return "[..." + elem + "]", true
	case "object", "map":
		return r.object(), true
	}
	if t, ok := foreign.ParseType(name); ok && t.Len == len(name) {
		return t.CUE, true
	}
	return name, slices.Contains(PredeclaredTypes, name)
}

// object returns the struct or map of an object schema.
func (r *schemaReader) object() string {
	var required []string
	if list, ok := r.members["required"].(*ast.ListLit); ok {
		for _, e := range list.Elts {
			if lit, ok := e.(*ast.BasicLit); ok {
				required = append(required, textOf(lit))
			}
		}
	}
	properties, ok := r.members["properties"].(*ast.StructLit)
	if !ok {
		if s, ok := SchemaOf(r.members["additionalProperties"]); ok {
			return "{[string]: " + s.CUE + "}"
		}
		return "{...}"
	}
	var fields []string
	for _, d := range properties.Elts {
		f, ok := d.(*ast.Field)
		if !ok {
			continue
		}
		s, ok := SchemaOf(f.Value)
		name := LabelOf(f)
		if !ok {
			s.CUE = "_"
		}
		if !slices.Contains(required, name) && !strings.HasPrefix(s.CUE, "*") {
			name += "?"
		}
		fields = append(fields, name+": "+s.CUE)
	}
	return "{" + strings.Join(fields, ", ") + "}"
}

// restricted returns a type with the restrictions of the schema.
func (r *schemaReader) restricted(base string) string {
	for _, bound := range []struct{ word, op string }{{"minimum", ">="}, {"maximum", "<="}, {"pattern", "=~"}} {
		if v := r.members[bound.word]; v != nil {
			base += " & " + bound.op + literalText(v)
		}
	}
	return base
}

// attributes returns the attributes for keywords that are attributes here.
func (r *schemaReader) attributes() string {
	var out strings.Builder
	for _, a := range []struct{ word, attribute string }{
		{"forceNew", "replace"}, {"immutable", "replace"}, {"willReplaceOnChanges", "replace"}, {"sensitive", "secret"}, {"secret", "secret"}, {"writeOnly", "noRead"},
	} {
		if r.isTrue(a.word) {
			fmt.Fprintf(&out, " @%s()", a.attribute)
		}
	}
	if lit, ok := r.members["description"].(*ast.BasicLit); ok {
		fmt.Fprintf(&out, " @doc(%s)", literal.String.Quote(textOf(lit)))
	}
	return out.String()
}

// textOf returns the text of a string.
func textOf(lit *ast.BasicLit) string {
	text, err := literal.Unquote(lit.Value)
	if err != nil {
		return ""
	}
	return text
}

// literalText returns a literal in the notation of CUE.
func literalText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return literal.String.Quote(textOf(e))
		}
		return e.Value
	case *ast.Ident:
		return e.Name
	case *ast.UnaryExpr:
		return e.Op.String() + literalText(e.X)
	case *ast.ListLit:
		var items []string
		for _, item := range e.Elts {
			items = append(items, literalText(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	default:
		return ""
	}
}

// ReportSchema reports a JSON Schema in the place of a type, as the value of a field whose name is
// at label. It returns false for other values.
func (d *Document) ReportSchema(label diag.Range, e ast.Expr, p Place) bool {
	s, ok := SchemaOf(e)
	if !ok {
		return false
	}
	at := d.Files.RangeOf(e)
	text := s.CUE
	shown := at
	if at.Start.Line != at.End.Line {
		shown = d.Files.LabelRange(e.(*ast.StructLit).Elts[0].(*ast.Field).Label)
	}
	if d.Raw {
		text = yamlString(text)
	}
	reported := d.Report(CodeJSONSchema, shown, p, "this is a schema, not a type of CUE", "Write "+s.CUE+".")
	reported.Suggest(diag.Edit{At: at, Text: text})
	if s.Optional {
		reported.Suggest(d.optionalEdit(label))
	}
	return true
}

// optionalEdit returns the edit that makes a field optional.
func (d *Document) optionalEdit(label diag.Range) diag.Edit {
	if name := d.Files.TextAt(label); strings.HasSuffix(name, `"`) && d.Raw || strings.HasSuffix(name, "'") {
		label.End.Column--
	}
	label.Start = label.End
	return diag.Edit{At: label, Text: "?"}
}

// HasProperties reports whether a struct has a member `properties`, which distinguishes the schema of
// a whole block from a block with a property that is called type.
func HasProperties(e ast.Expr) bool {
	s, ok := e.(*ast.StructLit)
	return ok && slices.ContainsFunc(fieldsOf(s), func(f *ast.Field) bool { return LabelOf(f) == "properties" })
}
