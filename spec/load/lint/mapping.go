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
	lit, ok := f.Value.(*ast.StructLit)
	if !ok || len(lit.Elts) != 1 || x.blocks[f] {
		return false
	}
	member, ok := lit.Elts[0].(*ast.Field)
	if !ok || member.Constraint != token.ILLEGAL || !x.isKeyOfMap(member, s.types && x.props[f]) {
		return false
	}
	at := x.doc.Files.RangeOf(member.Label)
	text := "[string]"
	if written := x.doc.Files.TextAt(at); x.doc.Raw && (written == "" || written[0] != '[') {
		text = `"[string]"`
	}
	value := x.doc.Files.TextAt(x.doc.Files.RangeOf(member.Value))
	if value == "" {
		value = "…"
	}
	x.doc.Report(source.CodeBadType, at, source.PlaceOf(s.path), fmt.Sprintf("%s names a member, not the keys of a map", x.doc.Files.TextAt(at)),
		fmt.Sprintf("For a map, write {%s: %s}.", text, value)).Suggest(diag.Edit{At: at, Text: text})
	x.bad[f.Value] = true
	return true
}

// isKeyOfMap reports whether the only member of a struct stands for all members of a map. A member that is
// called string is one only if its type is string, too: CUE would take the type for the member. Outside of types, which
// definitions may be, the star may be a name.
func (x *linter) isKeyOfMap(member *ast.Field, inType bool) bool {
	if list, ok := member.Label.(*ast.ListLit); ok {
		if len(list.Elts) != 1 {
			return false
		}
		id, ok := list.Elts[0].(*ast.Ident)
		return ok && id.Node == nil && x.top[id.Name] == nil && slices.Contains(keyNames, id.Name)
	}
	name := source.LabelOf(member)
	id, isIdent := member.Value.(*ast.Ident)
	return inType && name == "*" || (inType || !x.doc.Raw) && name == "string" && isIdent && id.Name == "string" && x.doc.Files.TextAt(x.doc.Files.RangeOf(member.Label)) == "string"
}
