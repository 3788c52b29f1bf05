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
	"github.com/declprov/declprov/spec/names"
)

// The types of a YAML or JSON document are CUE text in its strings. What
// follows makes the tree that the same spec has in CUE.

// predeclared are the packages of CUE's library that types may call without an
// import.
var predeclared = []string{"strings", "list", "struct", "math", "net", "time", "regexp"}

// dataInstance returns an instance of a document without CUE around its types.
func (r *reader) dataInstance(f *ast.File, root *ast.StructLit) *build.Instance {
	r.Raw = true
	d := &dataTypes{doc: r.Document, imports: map[string]bool{}, parsed: map[*ast.StructLit]bool{}}
	f.Decls = d.top(root)
	f.Decls = append(d.prelude(), f.Decls...)
	astutil.Resolve(f, func(token.Pos, string, ...any) {})
	inst := build.NewContext().NewInstance("", nil)
	if err := inst.AddSyntax(f); err != nil {
		r.instanceErrors(inst)
		return nil
	}
	if err := inst.Complete(); err != nil {
		r.instanceErrors(inst)
		return nil
	}
	return inst
}

// dataTypes turns the strings of types into CUE.
type dataTypes struct {
	doc     *Document
	imports map[string]bool
	parsed  map[*ast.StructLit]bool // structs that are CUE already
	n       int
}

// prelude returns the declarations that CUE needs in front.
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

// typeName is what `types` may be called.
var typeName = regexp.MustCompile(`^#?[A-Za-z][A-Za-z0-9]*$`)

// top turns the members of the document.
func (d *dataTypes) top(root *ast.StructLit) []ast.Decl {
	var decls []ast.Decl
	for _, f := range fieldsOf(root) {
		name := LabelOf(f)
		switch {
		case name == "types":
			decls = append(decls, d.named(f)...)
			continue
		case name == "$schema":
			continue
		}
		d.walk(f, []string{name})
		d.returned(f.Value, declaredTypes(root))
		decls = append(decls, f)
	}
	return decls
}

// named makes definitions of the block `types`.
func (d *dataTypes) named(f *ast.Field) []ast.Decl {
	block, ok := f.Value.(*ast.StructLit)
	if !ok {
		d.doc.Report(CodeWrongShape, d.doc.Files.RangeOf(f.Value), Place{"types", "types"}, "types must be a struct of types by name", "Write types: {Rule: {port: int}}, and refer to it as #Rule.")
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
				fmt.Sprintf("A capital letter, then letters and digits: %q.", names.Suggest(name, true)))
			continue
		case bare == "Asset" || bare == "Archive":
			d.doc.Report(CodeDuplicateName, d.doc.Files.RangeOf(t.Label), p, fmt.Sprintf("#%s is declared already", bare), "It types files that the user hands over. Choose another name.")
			continue
		}
		label := ast.NewIdent("#" + bare)
		label.NamePos = t.Label.Pos()
		d.doc.Files.exact[label] = d.doc.Files.RangeOf(t.Label)
		t.Label = label
		d.typed(t, p)
		decls = append(decls, t)
	}
	return decls
}

// walk looks for types below a field of data.
func (d *dataTypes) walk(f *ast.Field, path []string) {
	if lit, ok := f.Value.(*ast.BasicLit); ok && block.HoldsTypes(path) {
		if parsed := d.text(lit, Place{"", strings.Join(path, ".")}); parsed != nil {
			f.Value = parsed.Value // inputs: '#D'
		}
	}
	s, ok := f.Value.(*ast.StructLit)
	if !ok {
		return
	}
	if block.HoldsTypes(path) && !d.parsed[s] {
		d.members(s, Place{"", strings.Join(path, ".")})
		return
	}
	for _, inner := range fieldsOf(s) {
		if len(path) < 6 {
			d.walk(inner, append(slices.Clone(path), LabelOf(inner)))
		}
	}
}

// members turns the properties of a struct of types.
func (d *dataTypes) members(s *ast.StructLit, p Place) {
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
			d.constraint(f, name)
		}
		d.typed(f, p.Member(strings.TrimRight(name, "?!")))
		elts = append(elts, f)
	}
	s.Elts = elts
}

// constraint takes the mark of `name?` and `name!` from a key.
func (d *dataTypes) constraint(f *ast.Field, name string) {
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

// patternLabel makes a label of the key `[string]` or `[=~"^a"]`.
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

// typed turns the value of a property into a type.
func (d *dataTypes) typed(f *ast.Field, p Place) {
	switch v := f.Value.(type) {
	case *ast.StructLit:
		d.members(v, p)
	case *ast.ListLit:
		f.Value = d.listType(v, p)
	case *ast.BasicLit:
		if parsed := d.text(v, p); parsed != nil {
			f.Value, f.Attrs = parsed.Value, parsed.Attrs
		}
	}
}

// listType turns a list: one item of text that begins with three dots is the
// type of a list.
func (d *dataTypes) listType(list *ast.ListLit, p Place) ast.Expr {
	for i, e := range list.Elts {
		lit, ok := e.(*ast.BasicLit)
		if !ok {
			continue
		}
		node, ok := d.doc.Files.StringNode(lit)
		if ok && len(list.Elts) == 1 && strings.HasPrefix(node.Text, "...") {
			if parsed := d.parseAs(node, "x: [", "]", p); parsed != nil {
				d.doc.Files.exact[parsed.Value] = d.doc.Files.RangeOf(list)
				return parsed.Value
			}
			continue
		}
		if parsed := d.text(lit, p); parsed != nil {
			list.Elts[i] = parsed.Value
		}
	}
	return list
}

// text parses a string as a type, nil for what is none.
func (d *dataTypes) text(lit *ast.BasicLit, p Place) *ast.Field {
	node, ok := d.doc.Files.StringNode(lit)
	if !ok {
		return nil
	}
	return d.parse(node, p)
}

func (d *dataTypes) parse(node *spec.Node, p Place) *ast.Field { return d.parseAs(node, "x: ", "", p) }

// parseAs parses text between a prefix and a suffix that make a field of it.
func (d *dataTypes) parseAs(node *spec.Node, prefix, suffix string, p Place) *ast.Field {
	d.n++
	name := fmt.Sprintf("type %d of %s", d.n, node.Range.File)
	content := []byte(prefix + node.Text + suffix)
	d.doc.Files.addInner(name, content, node, len(prefix))
	hole := &ast.Field{Label: ast.NewIdent("x"), Value: d.hole(name)}
	if at, what := d.doc.tooDeep(name, content); what != "" {
		d.doc.Report(CodeTooDeep, at, p, what, fmt.Sprintf("Expressions may nest %d deep.", MaxDepth))
		return hole
	}
	f, err := parser.ParseFile(name, content, parser.ParseComments)
	if err != nil {
		d.badType(node, err, p)
		return hole
	}
	if len(f.Decls) != 1 {
		d.doc.Report(CodeBadType, node.Range, p, "the text is no type", "Write one CUE expression, such as: string, int & >=1, [...string].")
		return hole
	}
	field, ok := f.Decls[0].(*ast.Field)
	if !ok || strings.TrimSpace(node.Text) == "" {
		d.doc.Report(CodeBadType, node.Range, p, "the text is no type", "Write one CUE expression, such as: string, int & >=1, [...string].")
		return hole
	}
	d.imported(field)
	if s, ok := field.Value.(*ast.StructLit); ok {
		d.parsed[s] = true
	}
	return field
}

func (d *dataTypes) hole(name string) ast.Expr {
	file := token.NewFile(name, -1, 1)
	return d.doc.newHole(file.Pos(0, token.NoRelPos))
}

// badType reports the first thing that CUE has against the text of a type.
func (d *dataTypes) badType(node *spec.Node, err error, p Place) {
	e := errors.Errors(errors.Promote(err, ""))[0]
	at := node.Range
	for _, pos := range errors.Positions(e) {
		at = d.doc.Files.Span(pos, token.NoPos)
		break
	}
	format, args := e.Msg()
	d.doc.Report(CodeBadType, at, p, fmt.Sprintf("%q is not a type: %s", node.Text, fmt.Sprintf(format, args...)),
		"A type is CUE: string, int & >=1, \"a\" | \"b\", [...string]. A text value needs quotes of its own: '\"a\"'.")
}

// imported notes the library packages that a type calls, and cuts the tie of
// its names to the little file that it was parsed in.
func (d *dataTypes) imported(f *ast.Field) {
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

// declaredTypes returns the names of the block `types`, as they are referred to.
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

// returned turns `returns: '#Pet'`, at any depth below an expression, into the
// reference that CUE has there.
func (d *dataTypes) returned(e ast.Expr, types map[string]bool) {
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
			if parsed := d.text(lit, Place{"", "returns"}); parsed != nil {
				f.Value = parsed.Value
			}
		}
		return true
	}, nil)
}
