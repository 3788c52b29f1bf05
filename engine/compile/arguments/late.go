package arguments

import (
	"maps"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// CompileLate compiles the late expressions of an action's arguments. They see the response, whose
// type depends on the other arguments: static is what is known of these.
func (b *Block) CompileLate(args map[string]plan.Argument, kind *actions.Kind, static actions.Static) {
	for _, name := range slices.Sorted(maps.Keys(args)) {
		a := args[name]
		if a.Decl.Mode == actions.Late {
			// A default is compiled again, because it sees what the step sees.
			a.Parts = a.Parts.With(name, b.late(a.Node, kind, static, name, a.Decl))
		}
		if !a.Inherited {
			a.Parts = b.lateParts(a, kind, static)
		}
		args[name] = a
	}
}

// lateParts compiles the late expressions inside an argument, and returns all its parts.
func (b *Block) lateParts(a plan.Argument, kind *actions.Kind, static actions.Static) plan.Parts {
	out := a.Parts
	if len(a.Decl.Inner) == 0 {
		return out
	}
	_, inner := a.Decl.Split(a.Node)
	for _, path := range slices.Sorted(maps.Keys(inner)) {
		if a.Decl.InnerMode(path) == actions.Late {
			out = out.With(path, b.late(inner[path], kind, static, path, nil))
		}
	}
	return out
}

// late compiles a late expression. An access to an untyped value is noted only if the author could
// type it with `returns`; the body of an error response, for example, has no type.
func (b *Block) late(n *spec.Node, kind *actions.Kind, static actions.Static, path string, decl *actions.Arg) plan.Part {
	noted := len(b.Unchecked)
	own := lateNames(kind, static, path)
	scope, expected := scopes.Extend(b.Scope, own...), (*spec.Type)(nil)
	if decl != nil {
		expected = optionalType(decl)
	}
	if decl != nil && decl.Decides {
		scope = scopes.Deciding(scope, nil, true, expr.ByNull)
	}
	out := plan.Part{Mode: actions.Late, Node: n, Value: b.Template(n, scope, expected, path)}
	for _, name := range own {
		out.Own = append(out.Own, name.Name)
	}
	if kind != nil && kind.LateScope != nil {
		typed := actions.Static{Types: map[string]*spec.Type{"returns": scopes.StringType}}
		if !slices.ContainsFunc(kind.LateScope(typed, path), func(p *spec.Property) bool { return p.Type == scopes.StringType }) {
			b.Unchecked = b.Unchecked[:noted]
		}
	}
	return out
}

// lateNames returns the names that a late expression sees in addition to those of its step.
func lateNames(kind *actions.Kind, static actions.Static, path string) (names []expr.Name) {
	if kind == nil || kind.LateScope == nil {
		return nil
	}
	for _, p := range kind.LateScope(static, path) {
		names = append(names, expr.Name{Name: p.Name, Type: p.Type})
	}
	return names
}
