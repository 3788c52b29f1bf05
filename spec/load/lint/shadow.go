package lint

import (
	"fmt"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"github.com/declprov/declprov/spec/load/source"
)

// importedNames are the names of packages that each file imports, by the file's
// name.
func importedNames(inst *build.Instance) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, f := range inst.Files {
		names := map[string]bool{}
		for spec := range f.ImportSpecs() {
			names[source.PackageName(spec)] = true
		}
		all[f.Filename] = names
	}
	return all
}

// shadowed reports a package that cannot be seen where it is used, because a
// field around it has its name: a resource's `list`, above all. What packages
// have begins with a capital.
func (x *linter) shadowed(id *ast.Ident, field *ast.Field, names []string, whole ast.Node, s lintSite) bool {
	if !source.OfPackage(names) || !x.imports[id.Pos().Filename()][id.Name] || source.MemberOf(field.Value, names[1]) != nil {
		return false
	}
	at := x.doc.Files.Label(field.Label)
	if x.doc.Once(at.String()) {
		x.doc.Report(source.CodeShadowedPackage, at, source.PlaceOf(s.path), fmt.Sprintf("the key %s hides the package %s", id.Name, id.Name),
			fmt.Sprintf("CUE takes the %s at %s for this key. Quote the key: %q: …, or give the package another name: import %ss %q.",
				id.Name, x.doc.Files.Of(id), id.Name, id.Name, id.Name))
	}
	x.bad[whole] = true
	return true
}
