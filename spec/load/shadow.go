package load

import (
	"fmt"
	"path"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/token"
)

// importedNames are the names of packages that each file imports, by the file's
// name.
func importedNames(inst *build.Instance) map[string]map[string]bool {
	all := map[string]map[string]bool{}
	for _, f := range inst.Files {
		names := map[string]bool{}
		for spec := range f.ImportSpecs() {
			names[packageName(spec)] = true
		}
		all[f.Filename] = names
	}
	return all
}

// packageName is the name by which a file knows what it imports.
func packageName(spec *ast.ImportSpec) string {
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

// shadowed reports a package that cannot be seen where it is used, because a
// field around it has its name: a resource's `list`, above all. What packages
// have begins with a capital.
func (x *linter) shadowed(id *ast.Ident, field *ast.Field, names []string, whole ast.Node, s lintSite) bool {
	if !ofPackage(names) || !x.imports[id.Pos().Filename()][id.Name] || memberOf(field.Value, names[1]) != nil {
		return false
	}
	at := x.l.files.label(field.Label)
	if !x.l.seen[at.String()] {
		x.l.seen[at.String()] = true
		x.l.report(shadowedPackage, at, s.place(), fmt.Sprintf("the key %s hides the package %s", id.Name, id.Name),
			fmt.Sprintf("CUE takes the %s at %s for this key. Quote the key: %q: …, or give the package another name: import %ss %q.",
				id.Name, x.l.files.of(id), id.Name, id.Name, id.Name))
	}
	x.bad[whole] = true
	return true
}

// hidden reports whether an import that CUE finds unused is meant by a name that
// a field hides: see shadowed, which says so.
func (l *loader) hidden(pos token.Pos) bool {
	for _, f := range l.syntax.files {
		for spec := range f.ImportSpecs() {
			if spec.Pos().WithRel(0) == pos.WithRel(0) || spec.Path.Pos().WithRel(0) == pos.WithRel(0) {
				return selects(f, packageName(spec))
			}
		}
	}
	return false
}

// selects reports whether a file has a selector such as list.MaxItems.
func selects(f *ast.File, name string) (found bool) {
	ast.Walk(f, func(n ast.Node) bool {
		if e, ok := n.(*ast.SelectorExpr); ok {
			names, id := pathOf(e)
			found = found || id != nil && id.Name == name && ofPackage(names) && fieldOf(id) != nil
		}
		return !found
	}, nil)
	return found
}

// ofPackage reports whether a path of names may be something of a package's,
// which begins with a capital.
func ofPackage(names []string) bool {
	if len(names) < 2 {
		return false
	}
	first, _ := utf8.DecodeRuneInString(names[1])
	return unicode.IsUpper(first)
}
