// Package jsonschema translates types in the notation of JSON Schema to CUE.
package jsonschema

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/lists"
)

// schemaWords are the keywords of JSON Schema and of the schemas of other tools. Their values are
// literals, except for the schemas below items, properties and additionalProperties.
var schemaWords = []string{
	"type", "$ref", "uniqueItems", "multipleOf", "minProperties", "maxProperties", "description", "title", "default", "enum", "const", "format", "items", "properties", "required", "additionalProperties",
	"minLength", "maxLength", "pattern", "minimum", "maximum", "minItems", "maxItems", "nullable", "readOnly", "writeOnly", "example", "examples",
	"forceNew", "sensitive", "secret", "optional", "computed", "immutable", "deprecated", "willReplaceOnChanges",
}

// Type is the type that a JSON Schema describes.
type Type struct {
	// CUE is the same type in CUE, with its attributes.
	CUE string
	// Optional means that the property is optional.
	Optional bool
	// Lost is a keyword that has no counterpart, or "".
	Lost string
}

// Remedy returns what to write instead.
func (t Type) Remedy() string {
	if t.Lost != "" {
		return fmt.Sprintf("Write %s. Nothing stands for %s: add a pattern, =~\"^…$\", or a check.", t.CUE, t.Lost)
	}
	return "Write " + t.CUE + "."
}

// Of returns the type that an expression describes in the notation of JSON Schema.
func Of(e ast.Expr) (Type, bool) {
	s, ok := e.(*ast.StructLit)
	if !ok || len(s.Elts) == 0 {
		return Type{}, false
	}
	r := schemaReader{members: map[string]ast.Expr{}}
	for _, d := range s.Elts {
		f, ok := d.(*ast.Field)
		if !ok || f.Constraint != token.ILLEGAL || wordOf(f) == "" || !isSchemaValue(wordOf(f), f.Value) {
			return Type{}, false
		}
		r.members[wordOf(f)] = f.Value
	}
	base, ok := r.base()
	if !ok {
		return Type{}, false
	}
	_, isObject := r.members["properties"]
	optional := r.isTrue("optional") || r.isTrue("nullable") || r.isFalse("required")
	out := r.restricted(base)
	switch def := r.members["default"]; {
	case def == nil || isObject:
	case literalText(def) == "null": // it is what an absent value means
		optional = true
		if !strings.HasPrefix(out, "null | ") {
			out = "null | " + out
		}
	default:
		out = "*" + literalText(def) + " | " + out
		optional = false
	}
	lost := ""
	if lit, ok := r.members["format"].(*ast.BasicLit); ok {
		lost = "format: " + textOf(lit)
	}
	return Type{CUE: out + r.attributes(), Optional: optional, Lost: lost}, true
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
		return word == "type" && slices.Contains(ownTypes, v.Name) || v.Name == "true" || v.Name == "false"
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
	if ref, ok := r.members["$ref"].(*ast.BasicLit); ok {
		name := definition.FindStringSubmatch(textOf(ref))
		return "#" + lastOf(name), name != nil
	}
	if list, isList := r.members["enum"].(*ast.ListLit); isList {
		values := lists.Map(list.Elts, literalText)
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

// definition matches a reference of JSON Schema or OpenAPI to a type of the same document.
var definition = regexp.MustCompile(`^(?:#|#?/?(?:[\w$]+/)+)?([A-Za-z_]\w*)$`)

func lastOf(m []string) string {
	if m == nil {
		return ""
	}
	return m[len(m)-1]
}

// named returns the type with a name.
func (r *schemaReader) named(name string) (string, bool) {
	if of, is := strings.CutPrefix(name, "Type"); is { // TypeString, of Terraform's plugins
		name = strings.ToLower(of)
	}
	switch name {
	case "array", "list", "set":
		elem := "_"
		if s, ok := Of(r.members["items"]); ok {
			elem = s.CUE
		}
		return "[..." + elem + "]", true
	case "object", "map":
		return r.object(), true
	}
	if t, ok := foreign.ParseType(name); ok && t.Len == len(name) {
		return t.CUE, true
	}
	return name, slices.Contains(ownTypes, name)
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
		if s, ok := Of(r.members["additionalProperties"]); ok {
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
		s, ok := Of(f.Value)
		name := labelOf(f)
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
	for _, rule := range []struct{ word, call string }{
		{"minLength", "strings.MinRunes"},
		{"maxLength", "strings.MaxRunes"},
		{"minItems", "list.MinItems"},
		{"maxItems", "list.MaxItems"},
		{"minProperties", "struct.MinFields"},
		{"maxProperties", "struct.MaxFields"},
		{"multipleOf", "math.MultipleOf"},
	} {
		switch v := literalText(r.members[rule.word]); {
		case v == "" || v == "0":
		case rule.word == "minLength" && v == "1":
			base += ` & !=""`
		default:
			base += " & " + rule.call + "(" + v + ")"
		}
	}
	if r.isTrue("uniqueItems") {
		base += " & list.UniqueItems()"
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
		items := lists.Map(e.Elts, literalText)
		return "[" + strings.Join(items, ", ") + "]"
	default:
		return ""
	}
}

// HasProperties reports whether a struct has a member `properties`, which distinguishes the schema of
// a whole block from a block with a property that is called type.
func HasProperties(e ast.Expr) bool {
	s, ok := e.(*ast.StructLit)
	return ok && slices.ContainsFunc(s.Elts, func(d ast.Decl) bool {
		f, ok := d.(*ast.Field)
		return ok && labelOf(f) == "properties"
	})
}

// ownTypes are the types that have the same name in CUE.
var ownTypes = []string{"string", "int", "number", "bool", "float", "bytes", "null"}

// wordOf returns the keyword that is the label of a field, "" if it is none. Terraform's plugins write ForceNew, and its
// users force_new.
func wordOf(f *ast.Field) string {
	label := strings.ReplaceAll(labelOf(f), "_", "")
	at := slices.IndexFunc(schemaWords, func(word string) bool { return strings.EqualFold(word, label) })
	if at < 0 {
		return ""
	}
	return schemaWords[at]
}

func labelOf(f *ast.Field) string {
	name, _, err := ast.LabelName(f.Label)
	if err != nil {
		return ""
	}
	return name
}
