package source

import (
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// LabelOf returns the name of a field, also of one with an alias. It returns "" for a
// pattern or an expression.
func LabelOf(f *ast.Field) string {
	label := f.Label
	if alias, ok := label.(*ast.Alias); ok {
		inner, ok := alias.Expr.(ast.Label)
		if !ok {
			return ""
		}
		label = inner
	}
	name, _, err := ast.LabelName(label)
	if err != nil {
		return ""
	}
	return name
}

// fieldsOf returns the fields of a struct.
func fieldsOf(s *ast.StructLit) []*ast.Field {
	var fields []*ast.Field
	for _, e := range s.Elts {
		if f, ok := e.(*ast.Field); ok {
			fields = append(fields, f)
		}
	}
	return fields
}

// PathOf splits `a.b["c"]` into its names, and returns the identifier at its
// beginning.
func PathOf(e ast.Expr) ([]string, *ast.Ident) {
	switch e := e.(type) {
	case *ast.Ident:
		return []string{e.Name}, e
	case *ast.SelectorExpr:
		names, id := PathOf(e.X)
		name, _, err := ast.LabelName(e.Sel)
		if id == nil || err != nil {
			return nil, nil
		}
		return append(names, name), id
	case *ast.IndexExpr:
		names, id := PathOf(e.X)
		lit, ok := e.Index.(*ast.BasicLit)
		if id == nil || !ok || lit.Kind != token.STRING {
			return nil, nil
		}
		return append(names, strings.Trim(lit.Value, `"`)), id
	default:
		return nil, nil
	}
}

// MemberOf returns a field of the struct literal that an expression denotes, or nil.
func MemberOf(e ast.Expr, name string) *ast.Field {
	switch e := e.(type) {
	case *ast.StructLit:
		for _, d := range e.Elts {
			if f, ok := d.(*ast.Field); ok && LabelOf(f) == name {
				return f
			}
		}
	case *ast.ParenExpr:
		return MemberOf(e.X, name)
	case *ast.BinaryExpr:
		if f := MemberOf(e.X, name); f != nil {
			return f
		}
		return MemberOf(e.Y, name)
	}
	return nil
}

// FieldOf returns the field that an identifier resolves to, or nil. CUE resolves it
// to the field or to the value of the field.
func FieldOf(id *ast.Ident) *ast.Field {
	switch n := id.Node.(type) {
	case *ast.Field:
		return n
	case ast.Expr:
		if s, ok := id.Scope.(*ast.StructLit); ok {
			return fieldHolding(s.Elts, n)
		}
		if f, ok := id.Scope.(*ast.File); ok {
			return fieldHolding(f.Decls, n)
		}
	}
	return nil
}

func fieldHolding(decls []ast.Decl, value ast.Expr) *ast.Field {
	for _, d := range decls {
		if f, ok := d.(*ast.Field); ok && f.Value == value {
			return f
		}
	}
	return nil
}

// PackageName returns the name of an import in its file.
func PackageName(spec *ast.ImportSpec) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	text, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return ""
	}
	text, name, named := strings.Cut(text, ":")
	if named {
		return name
	}
	text, _, _ = strings.Cut(text, "@")
	return path.Base(text)
}

// isShadowedImport reports whether an import that CUE considers unused is only unused
// because a field with the same name hides it. Package lint reports such imports.
func (s *Syntax) isShadowedImport(pos token.Pos) bool {
	for _, f := range s.files {
		for spec := range f.ImportSpecs() {
			if spec.Pos().WithRel(0) == pos.WithRel(0) || spec.Path.Pos().WithRel(0) == pos.WithRel(0) {
				return selects(f, PackageName(spec))
			}
		}
	}
	return false
}

// selects reports whether a file contains a selector such as list.MaxItems.
func selects(f *ast.File, name string) (found bool) {
	ast.Walk(f, func(n ast.Node) bool {
		if e, ok := n.(*ast.SelectorExpr); ok {
			names, id := PathOf(e)
			found = found || id != nil && id.Name == name && OfPackage(names) && FieldOf(id) != nil
		}
		return !found
	}, nil)
	return found
}

// OfPackage reports whether a path of names may refer to a member of a package, which
// begins with a capital.
func OfPackage(names []string) bool {
	if len(names) < 2 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(names[1])
	return unicode.IsUpper(first)
}
