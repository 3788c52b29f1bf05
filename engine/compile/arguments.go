package compile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// argumentOf compiles an argument as far as it can be without the others; late
// expressions wait for what is known of the call: see lateParts.
func (c *compiler) argumentOf(f spec.Field, decl *actions.Arg, s *expr.Scope, what string) (a plan.Argument) {
	a = plan.Argument{Decl: decl, Node: f.Value}
	defer func(whole *spec.Node) { c.exposedParts(&a, whole, s, f.Name, what) }(f.Value)
	switch decl.Mode {
	case actions.Late:
	case actions.Typed:
		a.Type = c.typed(f, what)
	case actions.Words:
		c.words(&a, f, s, what)
	default:
		if c.rawParts(f, decl, what) {
			return a // what else is wrong with it comes of the template
		}
		var inner map[string]*spec.Node
		a.Rest, inner = decl.Split(f.Value)
		f.Value = a.Rest
		a.Value = c.argument(f, decl, s, what)
		for path, n := range inner {
			if decl.InnerMode(path) == actions.Path {
				a.Parts = a.Parts.With(path, plan.Part{Mode: actions.Path, Node: n, Value: c.template(n, s, textType, path)})
			}
		}
	}
	return a
}

// rawParts reports templates inside an argument where none are taken, and one that
// makes the whole argument, which would bring them in.
func (c *compiler) rawParts(f spec.Field, decl *actions.Arg, what string) (reported bool) {
	for path, mode := range decl.Inner {
		n := at(f.Value, path)
		if n == nil && f.Value.Kind == spec.StringNode {
			n = f.Value
		}
		if mode == actions.Raw && n != nil && expr.HasTemplate(n) {
			c.fail(codeNoTemplates, n.Range, f.Name+"."+path, fmt.Sprintf("%s.%s of %s takes no templates", f.Name, path, what),
				"Its text goes out as it stands. Write `$${` for a literal `${`, and pass values another way.")
			reported = true
		}
	}
	return reported
}

// at is the node at a dotted path below another, or nil. An item of a list has
// its index for a name.
func at(n *spec.Node, path string) *spec.Node {
	for _, name := range strings.Split(path, ".") {
		if i, err := strconv.Atoi(name); err == nil && n != nil && i < len(n.Items) {
			n = n.Items[i]
		} else {
			n = n.Get(name)
		}
	}
	return n
}

// typed is the type that an argument names: a definition of the spec.
func (c *compiler) typed(f spec.Field, what string) *spec.Type {
	if f.Value.Type != nil {
		return f.Value.Type
	}
	name := strings.TrimPrefix(f.Value.Text, "#")
	if f.Value.Kind == spec.StringNode && name != f.Value.Text && c.spec.Types[name] != nil {
		return &spec.Type{Ref: name}
	}
	known := make([]string, 0, len(c.spec.Types))
	for name := range c.spec.Types {
		known = append(known, "#"+name)
	}
	if f.Value.Kind != 0 {
		c.fail(codeWrongType, f.Value.Range, f.Name, fmt.Sprintf("argument %q of %s takes a definition", f.Name, what),
			strings.TrimSpace(fmt.Sprintf("Write one of the spec's, such as `%s: #Pet`; a list has one too: #Pets: [...#Pet]. %s", f.Name, diag.Remedy(f.Value.Text, known))))
	}
	return nil
}

// renamedArguments finds out which arguments have other names on the wire: by their own
// types alone, so that what else the resource declares does not matter.
func (c *compiler) renamedArguments(args map[string]plan.Argument) {
	for name, a := range args {
		if a.Decl.Wire && a.Value != nil && value.WireRule(c.wireRule()).Renames(c.spec.Types, a.Value.Type()) {
			a.Renamed = true
			args[name] = a
		}
	}
}

// lateArguments compiles the late expressions of a step's call, which see the
// response.
func (c *compiler) lateArguments(args map[string]plan.Argument, kind *actions.Kind, static actions.Static, s *expr.Scope) {
	for _, name := range slices.Sorted(maps.Keys(args)) {
		a := args[name]
		if a.Decl.Mode == actions.Late {
			// A default, too, may speak of whatever the step knows.
			a.Parts = a.Parts.With(name, c.late(a.Node, kind, static, name, s, optional(a.Decl)))
		}
		if !a.Inherited {
			a.Parts = c.innerLate(a, kind, static, s)
		}
		args[name] = a
	}
}

// innerLate compiles the late expressions inside an argument, and returns its
// parts with them.
func (c *compiler) innerLate(a plan.Argument, kind *actions.Kind, static actions.Static, s *expr.Scope) plan.Parts {
	out := a.Parts
	if len(a.Decl.Inner) == 0 {
		return out
	}
	_, inner := a.Decl.Split(a.Node)
	for _, path := range slices.Sorted(maps.Keys(inner)) {
		if a.Decl.InnerMode(path) == actions.Late {
			out = out.With(path, c.late(inner[path], kind, static, path, s, nil))
		}
	}
	return out
}

// late compiles a late expression. What it sees untyped, and would see untyped
// whatever the step `returns`, such as the body of a refusal, is not counted among
// what the author could have typed.
func (c *compiler) late(n *spec.Node, kind *actions.Kind, static actions.Static, path string, s *expr.Scope, want *spec.Type) plan.Part {
	counted := len(c.unchecked)
	own := given(kind, static, path)
	out := plan.Part{Mode: actions.Late, Node: n, Value: c.template(n, with(s, own...), want, path)}
	for _, name := range own {
		out.Own = append(out.Own, name.Name)
	}
	if kind != nil && kind.LateScope != nil {
		typed := actions.Static{Types: map[string]*spec.Type{"returns": textType}}
		if !slices.ContainsFunc(kind.LateScope(typed, path), func(p *spec.Property) bool { return p.Type == textType }) {
			c.unchecked = c.unchecked[:counted]
		}
	}
	return out
}

// given are the names that a call gives a late expression, beside what its step
// sees: what the kind says that it knows by then.
func given(kind *actions.Kind, static actions.Static, path string) (names []expr.Name) {
	if kind == nil || kind.LateScope == nil {
		return nil
	}
	for _, p := range kind.LateScope(static, path) {
		names = append(names, expr.Name{Name: p.Name, Type: p.Type})
	}
	return names
}

// optional is the type of an argument that may also be null, unless it is
// required.
func optional(decl *actions.Arg) *spec.Type {
	if decl.Required || decl.Type.Nullable {
		return decl.Type
	}
	nullable := *decl.Type
	nullable.Nullable = true
	return &nullable
}

// faults reports what is wrong with a call as a whole, by its kind too.
func (c *compiler) faults(s *plan.Step, found []actions.Fault, block spec.Field) {
	for _, group := range s.Kind.AtMostOne {
		c.atMostOne(s, group)
	}
	if c.doubtful[s.Family.Name] {
		return
	}
	for _, f := range found {
		place := block.NameRange
		path := f.Argument
		if n := s.Args[f.Argument].Node; n != nil {
			place = n.Range
			if f.Path != "" {
				path += "." + f.Path
				if inner := at(n, f.Path); inner != nil {
					place = inner.Range
				}
			}
		}
		code := codeBadCall
		if f.Exposes {
			code = codeSecretExposed
		}
		if f.Warning {
			c.warn(code, place, path, f.Summary, f.Remedy)
		} else {
			c.fail(code, place, path, f.Summary, f.Remedy)
		}
	}
}

// atMostOne reports a group of arguments of which more than one is given.
func (c *compiler) atMostOne(s *plan.Step, group []string) {
	var given []string
	for _, name := range group {
		if s.Args[name].Node != nil {
			given = append(given, name)
		}
	}
	if len(given) > 1 {
		c.fail(codeConflictingArguments, s.Args[given[1]].Node.Range, given[1], fmt.Sprintf("%s has %s", s.Action, diag.And(given)),
			fmt.Sprintf("Give one of %s.", diag.Or(group)))
	}
}

// defaultFaults reports what a family finds wrong with its block of defaults as a whole.
func (c *compiler) defaultFaults(f *actions.Family, block spec.Field, defaults map[string]plan.Argument, doubtful bool) {
	if f.Check == nil || doubtful {
		return
	}
	s := plan.Step{Args: defaults}
	for _, fault := range f.Check(s.Static()) {
		place := block.NameRange
		if n := defaults[fault.Argument].Node; n != nil {
			place = n.Range
		}
		c.fail(codeBadCall, place, fault.Argument, fault.Summary, fault.Remedy)
	}
}

// wordType is what a word may be: text, what is written as text, or a list of
// both, which stands for its items; null is left out.
var wordType = func() *spec.Type {
	scalars := []*spec.Type{{Kind: spec.String}, {Kind: spec.Int}, {Kind: spec.Number}, {Kind: spec.Bool}}
	item := &spec.Type{Kind: spec.Union, Variants: scalars, Nullable: true}
	return &spec.Type{Kind: spec.Union, Nullable: true, Variants: append([]*spec.Type{{Kind: spec.List, Elem: item}}, scalars...)}
}()

// words compiles a list of words, one by one. The value of the whole is for what
// is asked of all arguments: what it refers to, whether it is known.
func (c *compiler) words(a *plan.Argument, f spec.Field, s *expr.Scope, what string) {
	known := len(c.diags)
	if f.Value.Kind != spec.ListNode {
		// A template that yields the list: all of it are values.
		if a.Value = c.argument(f, a.Decl, s, what); a.Value != nil {
			a.Words = []plan.Word{{Value: a.Value, Name: f.Name}}
		}
		return
	}
	for i, item := range f.Value.Items {
		name := fmt.Sprintf("%s[%d]", f.Name, i)
		v := c.template(item, s, wordType, name)
		if v == nil {
			continue
		}
		if v.Secret() {
			c.exposedSecret(item, name, a.Decl, what)
		}
		a.Words = append(a.Words, plan.Word{Value: v, Author: authored(v), Name: name})
	}
	if len(c.diags) == known {
		a.Value = c.template(f.Value, s, nil, f.Name)
	}
}

// authored reports whether a text begins with what the author wrote.
func authored(v *expr.Value) bool {
	if _, fixed := v.Const(); fixed {
		return true
	}
	segments := v.Segments()
	return len(segments) > 0 && segments[0].Literal && segments[0].Text != ""
}

// exposedSecret reports a secret in an argument that others can read.
func (c *compiler) exposedSecret(n *spec.Node, path string, decl *actions.Arg, what string) {
	c.fail(codeSecretExposed, n.Range, path, fmt.Sprintf("a secret goes into argument %q of %s", decl.Name, what),
		cmp.Or(decl.Instead, "Others can read it there. Pass the secret where it stays hidden, or take @secret() off what is none."))
}
