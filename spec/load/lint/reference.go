package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/token"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/source"
)

// checkReference checks an identifier or a selector path. It returns true if the
// expression needs no further check.
func (x *linter) checkReference(e ast.Expr, whole ast.Node, s lintSite) bool {
	names, id := source.PathOf(e)
	if id == nil {
		return false
	}
	field := source.FieldOf(id)
	if field == nil && id.Node == nil {
		field = x.top[id.Name]
	}
	if field == nil {
		return x.checkSibling(id, whole, s) || runtimeNamer{x}.reportUnresolved(e, id, names, whole, s)
	}
	if x.reportShadowed(id, field, names, whole, s) {
		return true
	}
	if x.reportCycle(e, id, field, names, whole, s) || (runtimeNamer{x}).reportID(e, field, whole, s) {
		return true
	}
	if s.types {
		return x.checkInType(id, field, whole, s)
	}
	return x.checkMembers(e, field, names, whole, s)
}

// checkMembers checks a path of selectors that begins with a field.
func (x *linter) checkMembers(e ast.Expr, field *ast.Field, names []string, whole ast.Node, s lintSite) bool {
	candidates := []*ast.Field{field}
	if d := x.doc.Syntax.Root.Child(source.LabelOf(field)); d != nil && slices.Contains(d.Fields, field) {
		candidates = d.Fields // a package may declare a field several times
	}
	for i := 0; ; i++ {
		for _, c := range candidates {
			if x.blocks[c] || x.props[c] {
				x.reportFrozen(e, c, append([]string{source.LabelOf(c)}, names[i+1:]...), whole, s)
				return true
			}
		}
		if i+1 >= len(names) || len(candidates) == 0 {
			return false
		}
		candidates = membersOf(candidates, names[i+1])
	}
}

// reportCycle reports a definition that requires itself, and a field whose value is
// its own name. It returns true if it reported one.
func (x *linter) reportCycle(e ast.Expr, id *ast.Ident, field *ast.Field, names []string, whole ast.Node, s lintSite) bool {
	if len(names) == 1 && strings.HasPrefix(id.Name, "#") && slices.Contains(s.within, field) {
		at := s.within[len(s.within)-1]
		x.doc.Report(source.CodeRecursiveType, x.doc.Files.LabelRange(at.Label), source.PlaceOf(s.path), fmt.Sprintf("%s requires itself, so no value is finite", id.Name),
			fmt.Sprintf("Make the field optional (%[1]s?: %[2]s), or a list (%[1]s: [...%[2]s]).", source.LabelOf(at), id.Name))
		x.bad[whole] = true
		return true
	}
	if n := len(s.within); !s.types && n > 0 && s.within[n-1] == field && whole == e {
		x.reportSelf(e, whole, s)
		return true
	}
	return false
}

// checkSibling reports, in the types of YAML and JSON, a reference to another
// property. The keys there are strings, which CUE does not resolve.
func (x *linter) checkSibling(id *ast.Ident, whole ast.Node, s lintSite) bool {
	if !x.doc.Raw || !s.types || id.Node != nil || slices.Contains(source.PredeclaredTypes, id.Name) {
		return false
	}
	for prop := range x.props {
		if source.LabelOf(prop) == id.Name {
			return x.checkInType(id, prop, whole, s)
		}
	}
	return false
}

// membersOf returns the declarations of a member in the values of several fields.
func membersOf(fields []*ast.Field, name string) []*ast.Field {
	var list []*ast.Field
	for _, f := range fields {
		if m := source.MemberOf(f.Value, name); m != nil {
			list = append(list, m)
		}
	}
	return list
}

// checkInType checks an identifier inside a type. It may refer to a definition or a
// constant, but not to another property.
func (x *linter) checkInType(id *ast.Ident, field *ast.Field, whole ast.Node, s lintSite) bool {
	if !x.props[field] {
		return false
	}
	at := x.doc.Files.RangeOf(id)
	if slices.Contains(source.PredeclaredTypes, id.Name) {
		x.doc.Report(source.CodeShadowedType, x.doc.Files.LabelRange(field.Label), source.PlaceOf(s.path), fmt.Sprintf("the property %s hides the type %s", id.Name, id.Name),
			fmt.Sprintf("CUE resolves the %s at %s to this property. Quote the name of the property: %q: …", id.Name, at, id.Name))
	} else {
		x.doc.Report(source.CodeCrossField, at, source.PlaceOf(s.path), fmt.Sprintf("a type cannot refer to the property %s", id.Name),
			fmt.Sprintf("To share a type, define it: #T: …. Write a rule over several inputs as a check: checks: [{assert: \"${inputs.%s …}\", message: …}].", id.Name))
	}
	x.bad[whole] = true
	return true
}

// reportFrozen reports a CUE reference to a value that only exists at run time.
func (x *linter) reportFrozen(e ast.Expr, field *ast.Field, names []string, whole ast.Node, s lintSite) {
	if x.props[field] && !x.blocks[field] {
		names = append([]string{x.blockName(field)}, names...)
	}
	path := strings.Join(names, ".")
	if names[0] == "outputs" {
		path = strings.Join(append([]string{"state"}, names[1:]...), ".") // what expressions call them
	}
	x.doc.Report(source.CodeFrozenReference, x.doc.Files.RangeOf(e), source.PlaceOf(s.path), fmt.Sprintf("%s is a CUE reference to a value that only exists at run time", strings.Join(names, ".")),
		fmt.Sprintf("CUE would insert the type, or its default, when the spec is loaded. Write \"${%s}\".", path)).
		Suggest(x.templateEdits(e, whole, path)...)
	x.bad[whole] = true
}

// reportSelf reports a field whose value is its own name, which to CUE means any value.
func (x *linter) reportSelf(e ast.Expr, whole ast.Node, s lintSite) {
	name := source.LabelOf(s.within[len(s.within)-1])
	meant := x.meantBySelf(name, s)
	d := x.doc.Report(source.CodeFrozenReference, x.doc.Files.RangeOf(e), source.PlaceOf(s.path), fmt.Sprintf("%s refers to itself", name),
		fmt.Sprintf("CUE resolves a name to the innermost field that has it, which is this one. Write \"${%s}\", or another value of run time.", cmp.Or(meant, "inputs."+name)))
	if meant != "" {
		d.Suggest(x.templateEdits(e, whole, meant)...)
	}
	x.bad[whole] = true
}

// meantBySelf returns the local name or the input with a name, in the enclosing blocks, or "".
func (x *linter) meantBySelf(name string, s lintSite) string {
	for _, f := range slices.Backward(s.within) {
		for _, block := range []struct{ key, prefix string }{{"let", ""}, {"inputs", "inputs."}} {
			if within := source.MemberOf(f.Value, block.key); within != nil && source.MemberOf(within.Value, name) != nil {
				return block.prefix + name
			}
		}
	}
	return ""
}

// templateEdits returns the edits that write a reference as a template: alone, in an interpolation,
// or joined to a string.
func (x *linter) templateEdits(e ast.Expr, whole ast.Node, path string) []diag.Edit {
	at, template := x.doc.Files.RangeOf(e), "${"+path+"}"
	switch w := whole.(type) {
	case *ast.Interpolation:
		from, to := at, at
		from.Start.Column -= len(`\(`)
		from.End, to.Start = at.Start, at.End
		to.End.Column++
		if x.doc.Files.TextAt(from) != `\(` || x.doc.Files.TextAt(to) != ")" {
			return nil
		}
		return []diag.Edit{{At: from, Text: "${"}, {At: to, Text: "}"}}
	case *ast.BinaryExpr:
		lit, ok := w.X.(*ast.BasicLit)
		if before := x.doc.Files.TextAt(x.doc.Files.RangeOf(w.X)); ok && w.Y == e && w.Op == token.ADD && strings.HasSuffix(before, `"`) && lit.Kind == token.STRING {
			at.Start = x.doc.Files.RangeOf(w.X).End
			at.Start.Column--
			return []diag.Edit{{At: at, Text: template + `"`}}
		}
	case ast.Expr:
		if w == e {
			return []diag.Edit{{At: at, Text: `"` + template + `"`}}
		}
	}
	return nil
}

// blockName returns the block that contains a property, for the remedy.
func (x *linter) blockName(prop *ast.Field) string {
	for block := range x.blocks {
		if source.MemberOf(block.Value, source.LabelOf(prop)) == prop {
			return source.LabelOf(block)
		}
	}
	return "inputs"
}

// importedNames returns the package names that each file imports, by file name.
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

// reportShadowed reports a reference to a package whose name an enclosing field hides, such
// as `list` of a resource. Members of packages begin with a capital.
func (x *linter) reportShadowed(id *ast.Ident, field *ast.Field, names []string, whole ast.Node, s lintSite) bool {
	if !source.OfPackage(names) || !x.imports[id.Pos().Filename()][id.Name] || source.MemberOf(field.Value, names[1]) != nil {
		return false
	}
	at := x.doc.Files.LabelRange(field.Label)
	if x.doc.FirstTime(at.String()) {
		x.doc.Report(source.CodeShadowedPackage, at, source.PlaceOf(s.path), fmt.Sprintf("the key %s hides the package %s", id.Name, id.Name),
			fmt.Sprintf("CUE resolves the %s at %s to this key. Quote the key: %q: …, or import the package under another name: import %ss %q.",
				id.Name, x.doc.Files.RangeOf(id), id.Name, id.Name, id.Name)).Replace(id.Name, fmt.Sprintf("%q", id.Name))
	}
	x.bad[whole] = true
	return true
}
