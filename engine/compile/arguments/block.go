// Package arguments compiles the arguments of actions, and the blocks of defaults that the
// families of actions have at the top of a spec.
package arguments

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/stable"
)

// Block is a block of arguments as written: those of an action, or a family's defaults.
type Block struct {
	*finding.Collector
	Types spec.Types
	// Scope is what templates in the block see.
	Scope *expr.Scope
	// Owner names the action, or the defaults, in messages.
	Owner string
	Field spec.Field
	Decls []actions.Arg
	// Also are other keys that the block may have.
	Also []string
	// Step is the step whose action has the arguments, or nil.
	Step *spec.Step
	// Family is the family whose defaults the block contains, or nil.
	Family *actions.Family
}

// requestWord is the value by which a step requests the family's default for an argument.
const requestWord = "default"

// Compile compiles the arguments of the block and adds the family's defaults. If complete is true,
// it reports required arguments that are missing. Late expressions are not compiled: see
// CompileLate.
func (b *Block) Compile(defaults map[string]plan.Argument, complete bool) map[string]plan.Argument {
	out := map[string]plan.Argument{}
	value := b.Field.Value
	if value.Kind == 0 {
		return out
	}
	if value.Kind != spec.MapNode {
		b.Fail(finding.CodeWrongShape, value.Range, "", fmt.Sprintf("%s requires named arguments, not %s", b.Owner, value.Kind),
			"Write them in braces. "+diag.Remedy("", argNames(b.Decls)))
		return out
	}
	removed := map[string]bool{}
	for _, f := range value.Fields {
		decl := actions.FindArg(b.Decls, f.Name)
		switch {
		case decl == nil:
			b.reportUnknown(f)
		case f.Value.Kind == spec.NullNode:
			// YAML and CUE leave out an argument by null. A step also leaves out the default.
			removed[f.Name] = true
		case decl.Requestable && f.Value.Kind == spec.StringNode && f.Value.Text == requestWord:
			d := defaults[f.Name]
			if d.Node == nil {
				b.Fail(finding.CodeBadCall, f.Value.Range, f.Name, fmt.Sprintf("%s of %s has no default", f.Name, b.Owner),
					fmt.Sprintf("The block of defaults at the top of the spec has no `%s`. Add it there, or write the argument here.", f.Name))
				continue
			}
			d.Decl, d.Inherited, d.Request = decl, true, f.Value
			out[f.Name] = d
		default:
			out[f.Name] = b.argument(f, decl)
		}
	}
	for i := range b.Decls {
		decl := &b.Decls[i]
		if d, ok := defaults[decl.Name]; ok {
			switch own := out[decl.Name]; {
			case removed[decl.Name]:
			case own.Node == nil:
				d.Decl, d.Inherited = decl, true
				out[decl.Name] = d
			case decl.Merged:
				own.Under = &d
				out[decl.Name] = own
			}
		}
		if complete && decl.Required && out[decl.Name].Node == nil && !b.Misspells(decl.Name) {
			b.Fail(finding.CodeMissingArgument, b.Field.NameRange, decl.Name, fmt.Sprintf("%s requires an argument %q", b.Owner, decl.Name),
				diag.FirstSentence(decl.Doc))
		}
	}
	return out
}

// reportUnknown reports an argument that the owner does not have.
func (b *Block) reportUnknown(f spec.Field) {
	d := b.Fail(finding.CodeUnknownArgument, f.NameRange, f.Name, fmt.Sprintf("unknown argument %q", f.Name),
		fmt.Sprintf("%s has no argument %q.", b.Owner, f.Name))
	if b.isKeyOfStep(f.Name) {
		b.suggestStep(d, f)
		return
	}
	if t, ok := foreign.Key(b.Owner, f.Name); ok && (t.Own == "" || actions.FindArg(b.Decls, t.Own) != nil) {
		own, value := foreign.Argument(b.Owner, f.Name, f.Value.Text)
		if b.Field.Value.Get(own) != nil {
			own, value = "", ""
		}
		t.Own = cmp.Or(own, t.Own)
		t.Suggest(d, f.Name)
		if value != "" {
			d.Suggest(diag.Edit{At: f.Value.Range, Text: value})
		}
		return
	}
	if b.Family != nil && kindWith(b.Family, f.Name) != nil {
		d.Detail += " " + inAction(b.Family, f.Name)
		return
	}
	d.Meant(f.Name, slices.Sorted(slices.Values(append(argNames(b.Decls), b.Also...))))
}

// Misspells reports whether the block has an unknown argument that probably means one of these.
// Then that is the mistake, and nothing is missing.
func (b *Block) Misspells(names ...string) bool {
	known := argNames(b.Decls)
	return slices.ContainsFunc(b.Field.Value.Fields, func(f spec.Field) bool {
		t, _ := foreign.Key(b.Owner, f.Name)
		return actions.FindArg(b.Decls, f.Name) == nil && (slices.Contains(names, t.Own) || slices.Contains(names, diag.DidYouMean(f.Name, known)))
	})
}

// argument compiles one argument except for its late expressions.
func (b *Block) argument(f spec.Field, decl *actions.Arg) plan.Argument {
	a := plan.Argument{Decl: decl, Node: f.Value}
	switch decl.Mode {
	case actions.Late:
	case actions.Typed:
		a.Type = b.namedType(f)
	case actions.Words:
		b.compileWords(&a, f)
	default:
		if b.hasRawTemplates(f, decl) {
			break // the templates cause what else is wrong
		}
		var inner map[string]*spec.Node
		a.Rest, inner = decl.Split(f.Value)
		f.Value = a.Rest
		known := len(b.Diags)
		a.Value = b.value(f, decl)
		suggestChoice(f.Value, b.Diags[known:])
		if escapesValues(decl) {
			b.checkEncoded(f, b.Diags[known:])
		}
		for path, n := range stable.All(inner) {
			if decl.InnerMode(path) == actions.Path {
				a.Parts = a.Parts.With(path, plan.Part{Mode: actions.Path, Node: n, Value: b.Template(n, b.Scope, scopes.StringType, path)})
			}
		}
	}
	b.compileExposed(&a, f.Name)
	return a
}

// value compiles the value of an argument. The value of an optional argument may be null at run
// time: the argument is left out then.
func (b *Block) value(f spec.Field, decl *actions.Arg) *expr.Value {
	if decl.Mode == actions.Raw && expr.HasTemplate(f.Value) {
		d := b.Fail(finding.CodeNoTemplates, f.Value.Range, f.Name, fmt.Sprintf("argument %q of %s cannot contain templates", f.Name, b.Owner),
			cmp.Or(decl.Instead, rawRemedy))
		b.suggestPlaceholders(d, f.Value)
		return nil
	}
	if f.Value.Type != nil {
		b.Fail(finding.CodeTypeAsValue, f.Value.Range, f.Name, fmt.Sprintf("argument %q of %s requires a value, not a type", f.Name, b.Owner),
			"Types belong in config, inputs and outputs. Write a value that is known at run time as a string: \"${inputs.name}\".")
		return nil
	}
	scope := b.Scope
	if decl.Mode == actions.Raw {
		scope = &expr.Scope{Types: b.Types} // its text means something elsewhere
	}
	v := b.Template(f.Value, scope, optionalType(decl), f.Name)
	if v != nil && decl.Exposed && v.Secret() {
		b.failExposed(f.Value, f.Name, decl)
	}
	return v
}

const rawRemedy = "It is sent as written. Write `$${` for a literal `${`, and pass values another way."

// hasRawTemplates reports templates in the parts of an argument that cannot contain any, and a
// template that makes the whole argument, and so these parts. It returns whether there are any.
func (b *Block) hasRawTemplates(f spec.Field, decl *actions.Arg) (reported bool) {
	for path, mode := range stable.All(decl.Inner) {
		n := NodeAt(f.Value, path)
		if n == nil && mode == actions.Raw && f.Value.Kind == spec.StringNode && expr.HasTemplate(f.Value) {
			b.Fail(finding.CodeNoTemplates, f.Value.Range, f.Name, fmt.Sprintf("argument %q of %s cannot be a template as a whole", f.Name, b.Owner), "Write the struct: most of its members may be templates.")
			return true
		}
		if mode == actions.Raw && n != nil && expr.HasTemplate(n) {
			b.Fail(finding.CodeNoTemplates, n.Range, f.Name+"."+path, fmt.Sprintf("%s.%s of %s cannot contain templates", f.Name, path, b.Owner), rawRemedy)
			reported = true
		}
	}
	return reported
}

// namedType returns the type that an argument names: a definition of the spec.
func (b *Block) namedType(f spec.Field) *spec.Type {
	if f.Value.Type != nil {
		return f.Value.Type
	}
	name := strings.TrimPrefix(f.Value.Text, "#")
	if f.Value.Kind == spec.StringNode && name != f.Value.Text && b.Types[name] != nil {
		return &spec.Type{Ref: name}
	}
	known := make([]string, 0, len(b.Types))
	for name := range b.Types {
		known = append(known, "#"+name)
	}
	if f.Value.Kind != 0 {
		b.Fail(finding.CodeWrongType, f.Value.Range, f.Name, fmt.Sprintf("argument %q of %s must name a definition", f.Name, b.Owner),
			fmt.Sprintf("Write one of the spec, such as `%s: #Pet`. A list requires a definition too: #Pets: [...#Pet].", f.Name)).
			MeantOf(f.Value.Text[strings.LastIndexByte(f.Value.Text, '/')+1:], known, func(name string) diag.Edit {
				return diag.Edit{At: f.Value.Range, Text: fmt.Sprintf("%q", name)} // YAML requires quotes
			})
	}
	return nil
}

// optionalType returns the type of an argument, which is nullable unless the argument is required.
func optionalType(decl *actions.Arg) *spec.Type {
	if decl.Required {
		return decl.Type
	}
	return plan.OrNull(decl.Type)
}

// NodeAt returns the node at a dotted path below another node, or nil. An item of a list has its
// index for a name.
func NodeAt(n *spec.Node, path string) *spec.Node {
	for _, name := range strings.Split(path, ".") {
		if i, err := strconv.Atoi(name); err == nil && n != nil && i < len(n.Items) {
			n = n.Items[i]
		} else {
			n = n.Get(name)
		}
	}
	return n
}

// argNames returns the names of all declared arguments.
func argNames(decls []actions.Arg) []string {
	return lists.Map(decls, func(a actions.Arg) string { return a.Name })
}
