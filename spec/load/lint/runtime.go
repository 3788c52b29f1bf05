package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"

	"github.com/declprov/declprov/spec/load/source"
)

// runtimeNames are names of expressions that CUE does not resolve in a spec.
var runtimeNames = []string{"config", "inputs", "state", "session", "steps", "result", "body", "headers", "status", "each", "id", "changes", "made", "resource"}

// ofCreate matches a template with a value that only the create has: a response.
var ofCreate = regexp.MustCompile(`\$\{[^}]*\b(?:body|result|headers|status|steps)\b`)

// runtimeNamer reports names of expressions that are written in CUE.
type runtimeNamer struct{ *linter }

// idOfCreate returns the id in the declarations of a resource, if its template refers to responses of
// create, or nil.
func idOfCreate(decls []ast.Decl) (id *ast.Field) {
	isResource := false
	for _, d := range decls {
		if f, ok := d.(*ast.Field); ok {
			lit, isLiteral := f.Value.(*ast.BasicLit)
			if source.LabelOf(f) == "id" && isLiteral && ofCreate.MatchString(lit.Value) {
				id = f
			}
			isResource = isResource || slices.Contains([]string{"create", "read", "delete"}, source.LabelOf(f))
		}
	}
	if !isResource {
		return nil
	}
	return id
}

// reportID reports a reference of CUE to the key `id` of a resource, where its value was meant: CUE
// inserts the template, whose names only the create has.
func (x runtimeNamer) reportID(e ast.Expr, field *ast.Field, whole ast.Node, s lintSite) bool {
	if !x.ids[field] || s.types {
		return false
	}
	x.doc.Report(source.CodeFrozenReference, x.doc.Files.RangeOf(e), source.PlaceOf(s.path), "id is here the key of that name, and not the id of the object",
		fmt.Sprintf("CUE inserts the text of the key when the spec is loaded: %s. Write the id within a string: \"${id}\".", field.Value.(*ast.BasicLit).Value)).
		Suggest(x.templateEdits(e, whole, "id")...)
	x.bad[whole] = true
	return true
}

// reportUnresolved reports a name of expressions in an expression of CUE, where CUE does not have it.
func (x runtimeNamer) reportUnresolved(e ast.Expr, id *ast.Ident, names []string, whole ast.Node, s lintSite) bool {
	if id.Node != nil || s.types || x.doc.Raw || !slices.Contains(runtimeNames, id.Name) || x.imports[id.Pos().Filename()][id.Name] {
		return false
	}
	path := strings.Join(names, ".")
	edits := x.templateEdits(e, whole, path)
	if e == whole || edits == nil {
		return false // CUE reports it
	}
	x.doc.Report(source.CodeUnknownReference, x.doc.Files.RangeOf(e), source.PlaceOf(s.path), fmt.Sprintf("%s only exists at run time, and CUE does not know it", path),
		fmt.Sprintf("Write it within the string: \"${%s}\".", path)).Suggest(edits...)
	x.bad[whole] = true
	return true
}
