package lint

import (
	"fmt"
	"slices"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/source"
)

// keyNames are what authors call the keys of a map: the type, or a name, as in TypeScript.
var keyNames = []string{"key", "Key", "k", "name", "str", "String", "text", "id"}

// reportMap reports a struct that stands for a map: {string: string}, {"*": string} or {[key]: string}.
func (x *linter) reportMap(f *ast.Field, s lintSite) bool {
	if x.blocks[f] {
		return false
	}
	for _, part := range alternatives(f.Value) {
		lit, ok := part.(*ast.StructLit)
		if !ok || len(lit.Elts) != 1 {
			continue
		}
		member, ok := lit.Elts[0].(*ast.Field)
		if ok && member.Constraint == token.ILLEGAL && x.isKeyOfMap(member, s.types && x.props[f]) {
			reportKeyOfMap(x.doc, member, s)
			x.bad[f.Value] = true
			return true
		}
	}
	return false
}

// alternatives returns the parts of a type: what `|` separates, and the type of the items instead of a list.
func alternatives(e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.OR {
			return append(alternatives(e.X), alternatives(e.Y)...)
		}
	case *ast.ParenExpr:
		return alternatives(e.X)
	case *ast.ListLit:
		if len(e.Elts) == 1 {
			if rest, ok := e.Elts[0].(*ast.Ellipsis); ok && rest.Type != nil {
				return alternatives(rest.Type)
			}
		}
	}
	return []ast.Expr{e}
}

// reportKeyOfMap reports the member that stands for all members of a map.
func reportKeyOfMap(doc *source.Document, member *ast.Field, s lintSite) {
	at := doc.Files.RangeOf(member.Label)
	text := "[string]"
	if written := doc.Files.TextAt(at); doc.Raw && (written == "" || written[0] != '[') {
		text = `"[string]"`
	}
	value := doc.Files.TextAt(doc.Files.RangeOf(member.Value))
	if value == "" {
		value = "…"
	}
	named := ""
	if source.LabelOf(member) == "string" && value != "string" {
		named = fmt.Sprintf(" If the member is called string, write {\"string\": %s}.", value)
	}
	doc.Report(source.CodeBadType, at, source.PlaceOf(s.path), fmt.Sprintf("%s names a member, not the keys of a map", doc.Files.TextAt(at)),
		fmt.Sprintf("For a map, write {%s: %s}.%s", text, value, named)).Suggest(diag.Edit{At: at, Text: text})
}

// isKeyOfMap reports whether the only member of a struct stands for all members of a map. Outside of types, which
// definitions may be, the star may be a name, and so may string, unless its value can only be a type. One whose name has quotes
// is called string.
func (x *linter) isKeyOfMap(member *ast.Field, inType bool) bool {
	if list, ok := member.Label.(*ast.ListLit); ok {
		if len(list.Elts) != 1 {
			return false
		}
		id, ok := list.Elts[0].(*ast.Ident)
		return ok && id.Node == nil && x.top[id.Name] == nil && slices.Contains(keyNames, id.Name)
	}
	switch source.LabelOf(member) {
	case "*":
		return inType
	case "string":
		id, isIdent := member.Value.(*ast.Ident)
		isType := isIdent && slices.Contains(source.PredeclaredTypes, id.Name)
		return (inType || isType && !x.doc.Raw) && x.doc.Files.TextAt(x.doc.Files.RangeOf(member.Label)) == "string"
	}
	return false
}
