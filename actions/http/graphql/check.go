package graphql

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// Request is what is known about a request before it runs.
type Request struct {
	Query, OperationName string
	// Variables are the types of the variables, by their names on the wire. Given says that no
	// others are sent; Written says that the author wrote their names.
	Variables      map[string]*spec.Type
	Given, Written bool
	// Returns is the type of the data, or nil.
	Returns *spec.Type
	// Types are the definitions of the spec, and Wire is the rule that names members.
	Types spec.Types
	Wire  string
}

// Mistake is a mistake in a request. Part is the part of `graphql` with the mistake, or "returns".
type Mistake struct{ Part, Summary, Remedy string }

// Check returns the mistakes in a request.
func (r Request) Check() []Mistake {
	d, err := Parse(r.Query)
	if err != nil {
		return []Mistake{{"query", "invalid GraphQL: " + err.Error(), "Correct the document."}}
	}
	op, err := d.operation(r.OperationName)
	if err != nil {
		return []Mistake{{"query", err.Error(), "Name the operation to run by `operationName`."}}
	}
	out := append(d.checkUses(op), r.checkVariables(op)...)
	if r.Returns != nil {
		seen := map[*spec.Type]bool{}
		out = append(out, r.checkSelection(d, op.SelectionSet, r.Returns, "", seen)...)
	}
	return out
}

// checkUses reports variables that the operation uses and does not declare, or the reverse. Servers
// refuse both.
func (d Document) checkUses(op *ast.OperationDefinition) (out []Mistake) {
	used := map[string]bool{}
	d.uses(op.SelectionSet, used, map[string]bool{})
	addUses(op.Directives, nil, used)
	declared := map[string]bool{}
	for _, v := range op.VariableDefinitions {
		declared[v.Variable] = true
	}
	names := slices.Sorted(maps.Keys(declared))
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if !declared[name] {
			out = append(out, Mistake{"query", fmt.Sprintf("the operation uses $%s, and does not declare it", name), diag.Remedy(name, names)})
		}
	}
	for _, name := range names {
		if !used[name] {
			out = append(out, Mistake{"query", fmt.Sprintf("the operation declares $%s, and does not use it", name), "Remove it: servers refuse the document."})
		}
	}
	return out
}

// uses adds the variables in a selection to used.
func (d Document) uses(set ast.SelectionSet, used, within map[string]bool) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			addUses(s.Directives, s.Arguments, used)
			d.uses(s.SelectionSet, used, within)
		case *ast.InlineFragment:
			addUses(s.Directives, nil, used)
			d.uses(s.SelectionSet, used, within)
		case *ast.FragmentSpread:
			addUses(s.Directives, nil, used)
			if f := d.parsed.Fragments.ForName(s.Name); f != nil && !within[s.Name] {
				within[s.Name] = true
				d.uses(f.SelectionSet, used, within)
			}
		}
	}
}

// addUses adds the variables in directives and arguments to used.
func addUses(directives ast.DirectiveList, arguments ast.ArgumentList, used map[string]bool) {
	for _, directive := range directives {
		addUses(nil, directive.Arguments, used)
	}
	for _, argument := range arguments {
		addUsesIn(argument.Value, used)
	}
}

func addUsesIn(v *ast.Value, used map[string]bool) {
	if v.Kind == ast.Variable {
		used[v.Raw] = true
	}
	for _, child := range v.Children {
		addUsesIn(child.Value, used)
	}
}

// checkVariables compares the variables that are sent with those that the operation declares.
func (r Request) checkVariables(op *ast.OperationDefinition) (out []Mistake) {
	declared := make([]string, len(op.VariableDefinitions))
	for i, v := range op.VariableDefinitions {
		declared[i] = v.Variable
		given, known := r.Variables[v.Variable]
		needed := v.Type.NonNull && v.DefaultValue == nil
		at := "variables." + v.Variable
		switch {
		case !known && needed && r.Given:
			out = append(out, Mistake{"variables", fmt.Sprintf("the variable $%s (%s) is required, and is not given", v.Variable, v.Type), "Add it to `variables`."})
		case !known:
		case needed && r.nullable(given):
			out = append(out, Mistake{
				at, fmt.Sprintf("the variable $%s (%s) must not be null, and the value may be", v.Variable, v.Type),
				"Give a default (`?? …`), or declare the variable without `!`.",
			})
		default:
			if got := r.mismatch(given, v.Type); got != "" {
				out = append(out, Mistake{
					at, fmt.Sprintf("the variable $%s has the type %s in the document, got %s", v.Variable, v.Type, got),
					"Correct the type in the document, or convert the value.",
				})
			}
		}
	}
	if !r.Written {
		return out
	}
	for _, name := range slices.Sorted(maps.Keys(r.Variables)) {
		if !slices.Contains(declared, name) {
			out = append(out, Mistake{"variables." + name, fmt.Sprintf("the operation declares no variable $%s", name), diag.Remedy(name, declared)})
		}
	}
	return out
}

func (r Request) nullable(t *spec.Type) bool {
	return t != nil && (t.Nullable || r.Types.Resolve(t).Nullable)
}

// mismatch returns the kind of a value that certainly does not have a type of the document, "" if
// it may have it. Enums, input objects and scalars of the server's own may be anything.
func (r Request) mismatch(t *spec.Type, want *ast.Type) string {
	t = r.Types.Resolve(t)
	if t.Kind == spec.Any || t.Kind == spec.Union {
		return ""
	}
	if want.Elem != nil {
		if t.Kind != spec.List {
			return "" // a value stands for the list of it
		}
		if got := r.mismatch(t.Elem, want.Elem); got != "" {
			return "a list of " + got
		}
		return ""
	}
	accepted, builtin := map[string][]spec.Kind{
		"String": {spec.String}, "ID": {spec.String, spec.Int}, "Int": {spec.Int}, "Float": {spec.Int, spec.Number}, "Boolean": {spec.Bool},
	}[want.NamedType]
	if kind := cmp.Or(t.OnWire, t.Kind); builtin && !slices.Contains(accepted, kind) || kind == spec.List {
		return kind.String()
	}
	return ""
}

// checkSelection reports members of the declared type that the document does not select. path is
// where the selection is in the data.
func (r Request) checkSelection(d Document, set ast.SelectionSet, t *spec.Type, path string, seen map[*spec.Type]bool) (out []Mistake) {
	t = r.Types.Resolve(t)
	for t.Kind == spec.List && t.Elem != nil {
		t = r.Types.Resolve(t.Elem)
	}
	if t.Kind != spec.Object || len(set) == 0 || seen[t] {
		return nil
	}
	seen[t] = true
	defer delete(seen, t)
	selected := map[string]ast.SelectionSet{}
	d.collect(set, selected, map[string]bool{})
	for _, p := range t.Fields {
		wire := p.WirePath(r.Wire)
		inner, ok := selected[wire[0]]
		at := strings.TrimPrefix(path+"."+wire[0], ".")
		switch {
		case !ok && p.Required && !r.nullable(p.Type):
			out = append(out, Mistake{
				"returns", fmt.Sprintf("the document does not select %s, which the type of the data requires", at),
				fmt.Sprintf("Add it to the selection, or make it optional in the type. %s", diag.Remedy(wire[0], slices.Sorted(maps.Keys(selected)))),
			})
		case ok && len(wire) == 1:
			out = append(out, r.checkSelection(d, inner, p.Type, at, seen)...)
		}
	}
	return out
}

// collect adds what a selection selects, by the names in the data, to into.
func (d Document) collect(set ast.SelectionSet, into map[string]ast.SelectionSet, within map[string]bool) {
	for _, selection := range set {
		switch s := selection.(type) {
		case *ast.Field:
			into[s.Alias] = append(into[s.Alias], s.SelectionSet...)
		case *ast.InlineFragment:
			d.collect(s.SelectionSet, into, within)
		case *ast.FragmentSpread:
			if f := d.parsed.Fragments.ForName(s.Name); f != nil && !within[s.Name] {
				within[s.Name] = true
				d.collect(f.SelectionSet, into, within)
				delete(within, s.Name)
			}
		}
	}
}
