package load

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"
)

// reference checks a name, or a path of them; it reports whether it is done
// with the expression.
func (x *linter) reference(e ast.Expr, whole ast.Node, s lintSite) bool {
	names, id := pathOf(e)
	if id == nil {
		return false
	}
	field := fieldOf(id)
	if field == nil && id.Node == nil {
		field = x.top[id.Name]
	}
	if field == nil {
		return x.siblingOfData(id, whole, s)
	}
	if x.shadowed(id, field, names, whole, s) {
		return true
	}
	if len(names) == 1 && strings.HasPrefix(id.Name, "#") && slices.Contains(s.within, field) {
		at := s.within[len(s.within)-1]
		x.l.report(recursiveType, x.l.files.label(at.Label), s.place(), fmt.Sprintf("%s contains itself, without end", id.Name),
			fmt.Sprintf("Make the field optional, or a list: %s?: %s.", labelOf(at), id.Name))
		x.bad[whole] = true
		return true
	}
	if s.types {
		return x.inType(id, field, whole, s)
	}
	candidates := []*ast.Field{field}
	if d := x.l.syntax.root.child(labelOf(field)); d != nil && slices.Contains(d.fields, field) {
		candidates = d.fields // the package may declare it several times
	}
	for i := 0; ; i++ {
		for _, c := range candidates {
			if x.blocks[c] || x.props[c] {
				x.frozen(e, c, append([]string{labelOf(c)}, names[i+1:]...), whole, s)
				return true
			}
		}
		if i+1 >= len(names) || len(candidates) == 0 {
			return false
		}
		candidates = membersOf(candidates, names[i+1])
	}
}

// siblingOfData reports, in the types of YAML and JSON, a name that is another
// property's: its keys are text, which CUE does not look up.
func (x *linter) siblingOfData(id *ast.Ident, whole ast.Node, s lintSite) bool {
	if !x.l.raw || !s.types || id.Node != nil || slices.Contains(predeclaredTypes, id.Name) {
		return false
	}
	for prop := range x.props {
		if labelOf(prop) == id.Name {
			return x.inType(id, prop, whole, s)
		}
	}
	return false
}

// membersOf are the declarations of a name in what several fields hold.
func membersOf(fields []*ast.Field, name string) []*ast.Field {
	var list []*ast.Field
	for _, f := range fields {
		if m := memberOf(f.Value, name); m != nil {
			list = append(list, m)
		}
	}
	return list
}

// inType checks a name inside a type: it may be a definition's, a constant's,
// not another property's.
func (x *linter) inType(id *ast.Ident, field *ast.Field, whole ast.Node, s lintSite) bool {
	if !x.props[field] {
		return false
	}
	at := x.l.files.of(id)
	if slices.Contains(predeclaredTypes, id.Name) {
		x.l.report(shadowedType, x.l.files.label(field.Label), s.place(), fmt.Sprintf("the property %s hides the type %s", id.Name, id.Name),
			fmt.Sprintf("CUE takes the %s at %s for this property. Quote the property's name: %q: …", id.Name, at, id.Name))
	} else {
		x.l.report(crossField, at, s.place(), fmt.Sprintf("a type cannot refer to the property %s", id.Name),
			fmt.Sprintf("To share a type, define it: #T: …. A rule over several inputs is a check: checks: [{assert: \"${inputs.%s …}\", message: …}].", id.Name))
	}
	x.bad[whole] = true
	return true
}

var predeclaredTypes = []string{
	"string", "bytes", "bool", "int", "float", "number", "uint", "rune", "null",
	"int8", "int16", "int32", "int64", "int128", "uint8", "uint16", "uint32", "uint64", "uint128", "float32", "float64",
}

// frozen reports a CUE reference to what exists at run time only.
func (x *linter) frozen(e ast.Expr, field *ast.Field, names []string, whole ast.Node, s lintSite) {
	if x.props[field] && !x.blocks[field] {
		names = append([]string{x.blockName(field)}, names...)
	}
	path := strings.Join(names, ".")
	x.l.report(frozenReference, x.l.files.of(e), s.place(), fmt.Sprintf("%s is a CUE reference to what has its value at run time", path),
		fmt.Sprintf("CUE would put the type, or its default, here when the spec is loaded. Write \"${%s}\".", path))
	x.bad[whole] = true
}

// blockName is the block that a property is in, for the remedy.
func (x *linter) blockName(prop *ast.Field) string {
	for block := range x.blocks {
		if memberOf(block.Value, labelOf(prop)) == prop {
			return labelOf(block)
		}
	}
	return "inputs"
}

// pathOf takes `a.b["c"]` apart: its names, and the identifier it begins with.
func pathOf(e ast.Expr) ([]string, *ast.Ident) {
	switch e := e.(type) {
	case *ast.Ident:
		return []string{e.Name}, e
	case *ast.SelectorExpr:
		names, id := pathOf(e.X)
		name, _, err := ast.LabelName(e.Sel)
		if id == nil || err != nil {
			return nil, nil
		}
		return append(names, name), id
	case *ast.IndexExpr:
		names, id := pathOf(e.X)
		lit, ok := e.Index.(*ast.BasicLit)
		if id == nil || !ok || lit.Kind != token.STRING {
			return nil, nil
		}
		return append(names, strings.Trim(lit.Value, `"`)), id
	default:
		return nil, nil
	}
}

// memberOf is a field of the struct that an expression writes down, or nil.
func memberOf(e ast.Expr, name string) *ast.Field {
	switch e := e.(type) {
	case *ast.StructLit:
		for _, d := range e.Elts {
			if f, ok := d.(*ast.Field); ok && labelOf(f) == name {
				return f
			}
		}
	case *ast.ParenExpr:
		return memberOf(e.X, name)
	case *ast.BinaryExpr:
		if f := memberOf(e.X, name); f != nil {
			return f
		}
		return memberOf(e.Y, name)
	}
	return nil
}

// fieldOf is the field that a name refers to by its scope, or nil. CUE resolves
// to the field or to what it holds.
func fieldOf(id *ast.Ident) *ast.Field {
	switch n := id.Node.(type) {
	case *ast.Field:
		return n
	case ast.Expr:
		if s, ok := id.Scope.(*ast.StructLit); ok {
			return holder(s.Elts, n)
		}
		if f, ok := id.Scope.(*ast.File); ok {
			return holder(f.Decls, n)
		}
	}
	return nil
}

func holder(decls []ast.Decl, value ast.Expr) *ast.Field {
	for _, d := range decls {
		if f, ok := d.(*ast.Field); ok && f.Value == value {
			return f
		}
	}
	return nil
}
