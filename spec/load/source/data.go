package source

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/jsonschema"
	"github.com/declprov/declprov/spec/names"
)

// In a YAML or JSON document, types are CUE expressions in strings. The functions
// below convert such a document to the syntax tree that the same spec has in CUE.

// predeclared are the packages of CUE's library that types may use without an import.
var predeclared = []string{"strings", "list", "struct", "math", "net", "time", "regexp"}

// dataInstance returns an instance of a document, converted to CUE.
func (r *reader) dataInstance(f *ast.File, root *ast.StructLit) *build.Instance {
	r.Raw = true
	d := &dataTypes{doc: r.Document, imports: map[string]bool{}, parsed: map[*ast.StructLit]bool{}}
	f.Decls = d.convertTop(root)
	f.Decls = append(d.prelude(), f.Decls...)
	astutil.Resolve(f, func(token.Pos, string, ...any) {})
	inst := build.NewContext().NewInstance("", nil)
	if err := inst.AddSyntax(f); err != nil {
		r.reportInstanceErrors(inst)
		return nil
	}
	if err := inst.Complete(); err != nil {
		r.reportInstanceErrors(inst)
		return nil
	}
	return inst
}

// dataTypes converts the strings that are types to CUE expressions.
type dataTypes struct {
	doc     *Document
	imports map[string]bool
	parsed  map[*ast.StructLit]bool // structs that are already CUE
	n       int
}

// prelude returns the declarations that must precede the document.
func (d *dataTypes) prelude() []ast.Decl {
	var decls []ast.Decl
	var specs []*ast.ImportSpec
	for _, name := range predeclared {
		if d.imports[name] {
			specs = append(specs, ast.NewImport(nil, name))
		}
	}
	if len(specs) > 0 {
		decls = append(decls, &ast.ImportDecl{Specs: specs})
	}
	for _, name := range []string{"#Asset", "#Archive"} {
		decls = append(decls, &ast.Field{Label: ast.NewIdent(name), Value: ast.NewStruct(&ast.Ellipsis{})})
	}
	return decls
}

// typeName matches the allowed names of `types`.
var typeName = regexp.MustCompile(`^#?[A-Za-z][A-Za-z0-9]*$`)

// convertTop converts the members of the document.
func (d *dataTypes) convertTop(root *ast.StructLit) []ast.Decl {
	var decls []ast.Decl
	for _, f := range fieldsOf(root) {
		name := LabelOf(f)
		switch {
		case name == "types":
			decls = append(decls, d.convertDefinitions(f)...)
			continue
		case name == "$schema":
			continue
		}
		d.walk(f, []string{name})
		d.convertReturns(f.Value, declaredTypes(root))
		decls = append(decls, f)
	}
	return decls
}

// convertDefinitions converts the block `types` to definitions.
func (d *dataTypes) convertDefinitions(f *ast.Field) []ast.Decl {
	block, ok := f.Value.(*ast.StructLit)
	if !ok {
		d.doc.Report(CodeWrongShape, d.doc.Files.RangeOf(f.Value), Place{"types", "types"}, "types must be a struct of named types", "Write types: {Rule: {port: int}}, and refer to the type as #Rule.")
		return nil
	}
	var decls []ast.Decl
	for _, t := range fieldsOf(block) {
		name := LabelOf(t)
		p := Place{"types", "types." + name}
		bare := strings.TrimPrefix(name, "#")
		switch {
		case !typeName.MatchString(name):
			d.doc.Report(names.CodeName, d.doc.Files.RangeOf(t.Label), p, fmt.Sprintf("%q is not a valid name for a type", name),
				fmt.Sprintf("Use a capital letter, then letters and digits: %q.", names.Suggest(name, true)))
			continue
		case bare == "Asset" || bare == "Archive":
			d.doc.Report(CodeDuplicateName, d.doc.Files.RangeOf(t.Label), p, fmt.Sprintf("#%s is already defined", bare), "It is the type of files that users pass. Choose another name.")
			continue
		}
		label := ast.NewIdent("#" + bare)
		label.NamePos = t.Label.Pos()
		d.doc.Files.exact[label] = d.doc.Files.RangeOf(t.Label)
		t.Label = label
		d.convertType(t, p)
		decls = append(decls, t)
	}
	return decls
}

// walk converts the types below a field of data.
func (d *dataTypes) walk(f *ast.Field, path []string) {
	if lit, ok := f.Value.(*ast.BasicLit); ok && block.HoldsTypes(path) {
		if parsed := d.parseString(lit, Place{"", strings.Join(path, ".")}); parsed != nil {
			f.Value = parsed.Value // inputs: '#D'
		}
	}
	s, ok := f.Value.(*ast.StructLit)
	if !ok {
		return
	}
	if block.HoldsTypes(path) && !d.parsed[s] {
		if p := (Place{"", strings.Join(path, ".")}); jsonschema.HasProperties(s) && d.doc.ReportSchema(d.doc.Files.LabelRange(f.Label), s, p) {
			f.Value = d.hole("schema " + p.Path)
			return
		}
		d.convertMembers(s, Place{"", strings.Join(path, ".")})
		return
	}
	for _, inner := range fieldsOf(s) {
		if len(path) < 6 {
			d.walk(inner, append(slices.Clone(path), LabelOf(inner)))
		}
	}
}

// convertMembers converts the properties of a struct of types.
func (d *dataTypes) convertMembers(s *ast.StructLit, p Place) {
	var elts []ast.Decl
	for _, f := range fieldsOf(s) {
		name := LabelOf(f)
		switch {
		case name == "...":
			elts = append(elts, &ast.Ellipsis{Ellipsis: f.Pos()})
			continue
		case strings.HasPrefix(name, "[") && strings.HasSuffix(name, "]"):
			if label, ok := d.patternLabel(f, p); ok {
				f.Label = label
				f.Constraint = token.ILLEGAL
			}
		default:
			d.takeConstraint(f, name)
		}
		d.convertType(f, p.Member(strings.TrimRight(name, "?!")))
		elts = append(elts, f)
	}
	s.Elts = elts
}

// takeConstraint removes the `?` or `!` of `name?` and `name!` from a key and sets it on
// the field.
func (d *dataTypes) takeConstraint(f *ast.Field, name string) {
	bare := strings.TrimRight(name, "?!")
	if len(bare) == len(name) {
		return
	}
	f.Constraint = token.OPTION
	if name[len(bare)] == '!' {
		f.Constraint = token.NOT
	}
	at := d.doc.Files.RangeOf(f.Label)
	if at.End.Column > at.Start.Column+1 && at.End.Line == at.Start.Line {
		at.End.Column -= len(name) - len(bare)
	}
	label := ast.NewString(bare)
	ast.SetPos(label, f.Label.Pos())
	d.doc.Files.exact[label] = at
	f.Label = label
}

// patternLabel returns the label for the key `[string]` or `[=~"^a"]`.
func (d *dataTypes) patternLabel(f *ast.Field, p Place) (ast.Label, bool) {
	name := LabelOf(f)
	node := &spec.Node{Kind: spec.StringNode, Text: name, Range: d.doc.Files.RangeOf(f.Label)}
	parsed := d.parse(node, p)
	if parsed == nil {
		return nil, false
	}
	list, ok := parsed.Value.(*ast.ListLit)
	return list, ok
}

// convertType converts the value of a property to a type.
func (d *dataTypes) convertType(f *ast.Field, p Place) {
	if d.doc.ReportSchema(d.doc.Files.LabelRange(f.Label), f.Value, p) {
		f.Value = d.hole("schema " + p.Path)
		return
	}
	switch v := f.Value.(type) {
	case *ast.StructLit:
		d.convertMembers(v, p)
	case *ast.ListLit:
		f.Value = d.convertList(v, p)
	case *ast.BasicLit:
		if d.reportForeignType(f, v, p) {
			f.Value = d.hole("foreign type " + p.Path)
		} else if parsed := d.parseString(v, p); parsed != nil {
			f.Value, f.Attrs = parsed.Value, parsed.Attrs
		}
	}
}

// convertList converts a list. A list whose last string begins with three dots is the
// type of a list.
func (d *dataTypes) convertList(list *ast.ListLit, p Place) ast.Expr {
	if d.reportWords(list, p) {
		return d.hole("values " + p.Path)
	}
	for i, e := range list.Elts {
		lit, ok := e.(*ast.BasicLit)
		if !ok {
			continue
		}
		node, ok := d.doc.Files.StringNode(lit)
		if ok && i == len(list.Elts)-1 && strings.HasPrefix(node.Text, "...") {
			return d.convertOpenList(list, node, p)
		}
		if parsed := d.parseString(lit, p); parsed != nil {
			list.Elts[i] = parsed.Value
		}
	}
	return list
}

// convertOpenList converts a list whose last string is the type of all further items.
func (d *dataTypes) convertOpenList(list *ast.ListLit, last *spec.Node, p Place) ast.Expr {
	parsed := d.parseAs(last, "x: [", "]", p)
	if parsed == nil {
		return list
	}
	if len(list.Elts) == 1 {
		d.doc.Files.exact[parsed.Value] = d.doc.Files.RangeOf(list)
		return parsed.Value
	}
	if rest, ok := parsed.Value.(*ast.ListLit); ok && len(rest.Elts) == 1 {
		list.Elts[len(list.Elts)-1] = rest.Elts[0]
	}
	return list
}

// parseString parses a string as a type. It returns nil if the string is not a type.
func (d *dataTypes) parseString(lit *ast.BasicLit, p Place) *ast.Field {
	node, ok := d.doc.Files.StringNode(lit)
	if !ok {
		return nil
	}
	return d.parse(node, p)
}

func (d *dataTypes) parse(node *spec.Node, p Place) *ast.Field { return d.parseAs(node, "x: ", "", p) }

// parseAs parses text with a prefix and a suffix that make it a field.
func (d *dataTypes) parseAs(node *spec.Node, prefix, suffix string, p Place) *ast.Field {
	d.n++
	name := fmt.Sprintf("type %d of %s", d.n, node.Range.File)
	content := []byte(prefix + node.Text + suffix)
	d.doc.Files.addInner(name, content, node, len(prefix))
	hole := &ast.Field{Label: ast.NewIdent("x"), Value: d.hole(name)}
	if at, what := findTooDeep(name, content); what != "" {
		d.doc.Report(CodeTooDeep, d.doc.Files.Span(at, token.NoPos), p, what, fmt.Sprintf("Expressions may nest %d deep.", MaxDepth))
		return hole
	}
	f, err := parser.ParseFile(name, content, parser.ParseComments)
	if err != nil {
		d.reportBadType(node, err, p)
		return hole
	}
	if len(f.Decls) != 1 {
		d.doc.Report(CodeBadType, node.Range, p, "the string is not a type", "Write one CUE expression, such as: string, int & >=1, [...string].")
		return hole
	}
	field, ok := f.Decls[0].(*ast.Field)
	if !ok || strings.TrimSpace(node.Text) == "" {
		d.doc.Report(CodeBadType, node.Range, p, "the string is not a type", "Write one CUE expression, such as: string, int & >=1, [...string].")
		return hole
	}
	d.recordImports(field)
	if s, ok := field.Value.(*ast.StructLit); ok {
		d.parsed[s] = true
	}
	return field
}

func (d *dataTypes) hole(name string) ast.Expr {
	file := token.NewFile(name, -1, 1)
	return d.doc.newHole(file.Pos(0, token.NoRelPos))
}

// reportBadType reports the first error in the text of a type.
func (d *dataTypes) reportBadType(node *spec.Node, err error, p Place) {
	e := errors.Errors(errors.Promote(err, ""))[0]
	at := node.Range
	for _, pos := range errors.Positions(e) {
		at = d.doc.Files.Span(pos, token.NoPos)
		break
	}
	format, args := e.Msg()
	d.doc.Report(CodeBadType, at, p, fmt.Sprintf("%q is not a type: %s", node.Text, fmt.Sprintf(format, args...)),
		"A type is a CUE expression: string, int & >=1, \"a\" | \"b\", [...string]. Quote a literal string again: '\"a\"'.")
}

// recordImports records the library packages that a type uses, and detaches its
// identifiers from the file in which it was parsed.
func (d *dataTypes) recordImports(f *ast.Field) {
	ast.Walk(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			n.Node, n.Scope = nil, nil
		case *ast.SelectorExpr:
			if id, ok := n.X.(*ast.Ident); ok && slices.Contains(predeclared, id.Name) {
				d.imports[id.Name] = true
			}
		}
		return true
	}, nil)
}

// declaredTypes returns the names in the block `types`, in the form of references.
func declaredTypes(root *ast.StructLit) map[string]bool {
	names := map[string]bool{}
	for _, f := range fieldsOf(root) {
		block, ok := f.Value.(*ast.StructLit)
		if !ok || LabelOf(f) != "types" {
			continue
		}
		for _, t := range fieldsOf(block) {
			names["#"+strings.TrimPrefix(LabelOf(t), "#")] = true
		}
	}
	return names
}

// convertReturns converts `returns: '#Pet'`, at any depth of an expression, to the
// reference that it is in CUE.
func (d *dataTypes) convertReturns(e ast.Expr, types map[string]bool) {
	ast.Walk(e, func(n ast.Node) bool {
		f, ok := n.(*ast.Field)
		if !ok || LabelOf(f) != "returns" {
			return true
		}
		lit, ok := f.Value.(*ast.BasicLit)
		if !ok {
			return true
		}
		if name, err := literal.Unquote(lit.Value); err == nil && types[name] {
			if parsed := d.parseString(lit, Place{"", "returns"}); parsed != nil {
				f.Value = parsed.Value
			}
		}
		return true
	}, nil)
}
