package compile

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// compiler makes a Program of a model, and says what is wrong with it. What is
// the same for all resources is compiled once, by provider; a fork shares it.
type compiler struct {
	spec     *spec.Provider
	families []*actions.Family
	// defaults are the compiled blocks of the families, by family and argument.
	defaults map[string]map[string]plan.Argument
	// verdictDefaults are the families' default verdicts.
	verdictDefaults map[string]verdictDefaults
	grants          []plan.Permission
	// unsure are the accesses of grants with a mistake in them.
	unsure []grant.Access
	// doubtful are the families whose block of defaults has a mistake: what their
	// actions lack may be what was meant there.
	doubtful map[string]bool
	// types are those of values, ready to check them.
	types *value.Builder
	// model is the resource of that name, or nil; compiled are those that are
	// compiled already, which a container's are not.
	model    func(name string) *spec.Resource
	compiled map[string]*plan.Resource
	// configure makes the session, of the type session; both nil where the spec
	// has none.
	configure *plan.Operation
	session   *spec.Type
	// sessionHidden says that the session is secret as a whole.
	sessionHidden bool
	diags         diag.List
	// named are the programs that the spec's own steps name.
	named *plan.NamedPrograms
	// unchecked are the accesses to untyped answers, as notes.
	unchecked diag.List
	// confined are how those that its steps run are.
	confined *plan.Confinements
	// unnamed says that a spec without a permissions block was told to name
	// what it may touch: one mistake, however many actions suffer from it.
	unnamed bool

	// wire is the rule for names on the wire of the resource that is compiled.
	wire string
	// context and path are where the compiler is: see in.
	context, path string
}

// fork compiles on, with findings of its own. Named types are made ready
// anew, because forks run side by side.
func (c *compiler) fork() *compiler {
	out := &compiler{
		spec: c.spec, families: c.families, defaults: c.defaults, verdictDefaults: c.verdictDefaults, grants: c.grants, unsure: c.unsure, doubtful: c.doubtful,
		configure: c.configure, session: c.session, sessionHidden: c.sessionHidden, named: c.named, confined: c.confined,
		model: c.model,
		wire:  c.wire,
	}
	out.types = value.NewBuilder(c.spec.Types, out.equalRule)
	return out
}

// equalRule compiles the @equal template of a property.
func (c *compiler) equalRule(p *spec.Property) *expr.Value {
	scope := c.scope(c.configName(), expr.Name{Name: "old", Type: p.Type}, expr.Name{Name: "new", Type: p.Type})
	return c.template(p.EqualExpr, scope, truthType, p.Name)
}

// wireRule is the rule for names on the wire where the compiler is: the resource's,
// else the spec's.
func (c *compiler) wireRule() string { return cmp.Or(c.wire, c.spec.Wire) }

// provider compiles what belongs to no resource.
func (c *compiler) provider() {
	c.familyDefaults()
	c.permissions()
	c.configuring()
}

// unserved warns of what the language has and this version does not serve: it
// is better said at vet than found out by a user.
func (c *compiler) unserved() {
	say := func(what, name string, at diag.Range) {
		c.warn(codeNotServed, at, fmt.Sprintf("%s %q", what, name),
			fmt.Sprintf("%ss are not served by this version", what),
			"It is parsed and kept, and no schema shows it; hosts cannot use it yet.")
	}
	for _, f := range c.spec.Actions {
		say("action", f.Name, f.Range)
	}
}

// in runs f with findings placed deeper: their context says where in words,
// their path where in the document.
func (c *compiler) in(context, path string, f func()) {
	outer, outerPath := c.context, c.path
	if outer != "" {
		context = outer + ", " + context
	}
	if outerPath != "" && path[0] != '[' {
		path = "." + path
	}
	c.context, c.path = context, outerPath+path
	f()
	c.context, c.path = outer, outerPath
}

// report adds findings, with the place where the compiler is.
func (c *compiler) report(list diag.List, path string) {
	for _, d := range list {
		if d.Context == "" {
			d.Context = c.context
		}
		if d.Path == "" {
			d.Path = c.joined(path)
		}
		if !c.reported(d) {
			c.diags = append(c.diags, d)
		}
	}
}

// reported reports whether a finding was made before: what several operations
// share, such as a resource's `return`, is compiled for each.
func (c *compiler) reported(d diag.Diagnostic) bool {
	return slices.ContainsFunc(c.diags, func(o diag.Diagnostic) bool {
		return o.Code == d.Code && o.Subject == d.Subject && o.Summary == d.Summary
	})
}

func (c *compiler) joined(path string) string {
	switch {
	case path == "":
		return c.path
	case c.path == "" || path[0] == '[':
		return c.path + path
	default:
		return c.path + "." + path
	}
}

func (c *compiler) fail(code string, at diag.Range, path, summary, detail string) {
	c.report(diag.List{{Severity: diag.Error, Code: code, Summary: summary, Detail: detail, Subject: at}}, path)
}

func (c *compiler) warn(code string, at diag.Range, path, summary, detail string) {
	c.report(diag.List{{Severity: diag.Warning, Code: code, Summary: summary, Detail: detail, Subject: at}}, path)
}

// template compiles a template at a place, or returns nil where there is none
// or it is wrong.
func (c *compiler) template(n *spec.Node, s *expr.Scope, want *spec.Type, path string) *expr.Value {
	if n == nil || refused(n) {
		return nil
	}
	v, diags := expr.Compile(n, s, want)
	c.report(diags, path)
	if diags.HasErrors() {
		return nil
	}
	c.trusts(v, path)
	return v
}

// trusts notes what of a template nothing can check. A template that is compiled
// more than once is noted each time; Unchecked has each place once.
func (c *compiler) trusts(v *expr.Value, path string) {
	for _, at := range v.Unchecked() {
		c.unchecked = append(c.unchecked, diag.Diagnostic{
			Severity: diag.Note, Code: codeUnchecked, Subject: at, Context: c.context, Path: c.joined(path),
			Summary: "nothing is known of what this is a member of", Detail: "Give the step that asked for it `returns: #Type`: then the access is checked.",
		})
	}
}

// refused reports whether the loader has said what is wrong with a value, or
// with a part of it: nothing is to be added then.
func refused(n *spec.Node) bool {
	return n.Kind == 0 || slices.ContainsFunc(n.Items, refused) ||
		slices.ContainsFunc(n.Fields, func(f spec.Field) bool { return refused(f.Value) })
}

// The types that templates at known places must have.
var (
	textType     = &spec.Type{Kind: spec.String}
	optionalText = &spec.Type{Kind: spec.String, Nullable: true}
	truthType    = &spec.Type{Kind: spec.Bool}
	someText     = &spec.Type{Kind: spec.String, MinLen: 1}
	idType       = &spec.Type{Kind: spec.Union, Variants: []*spec.Type{someText, {Kind: spec.Int}}}
)

// familyDefaults compiles the blocks at the top of the spec.
func (c *compiler) familyDefaults() {
	c.defaults, c.verdictDefaults = map[string]map[string]plan.Argument{}, map[string]verdictDefaults{}
	scope := c.configScope()
	c.doubtful = map[string]bool{}
	for _, block := range c.spec.Families {
		family := c.family(block.Name)
		if family == nil {
			c.fail(codeUnknownKey, block.NameRange, block.Name, fmt.Sprintf("unknown key %q", block.Name),
				"A provider has no such key, and no family of actions is called that. "+
					diag.Remedy(block.Name, slices.Concat(providerKeys, c.familyNames())))
			continue
		}
		known := len(c.diags)
		block = c.takeVerdicts(block)
		c.in(fmt.Sprintf("defaults of %s", family.Name), block.Name, func() {
			defaults := c.arguments(block, family.Defaults, nil, scope, family.Name+" defaults", false)
			for _, name := range slices.Sorted(maps.Keys(defaults)) {
				a := defaults[name]
				a.Parts = c.innerLate(a, taking(family, name), actions.Static{}, scope)
				defaults[name] = a
			}
			c.defaultFaults(family, block, defaults, len(c.diags) > known)
			c.defaults[family.Name] = defaults
		})
		c.doubtful[family.Name] = len(c.diags) > known
	}
}

// takeVerdicts keeps the `refused` and `fail` of a block of defaults, and returns
// the block without them: what they see depends on the step.
func (c *compiler) takeVerdicts(block spec.Field) spec.Field {
	if block.Value.Kind != spec.MapNode {
		return block
	}
	rest, defaults := *block.Value, verdictDefaults{}
	rest.Fields = nil
	for _, f := range block.Value.Fields {
		switch f.Name {
		case "refused":
			defaults.refused = f.Value
		case "fail":
			defaults.fail = f.Value
		default:
			rest.Fields = append(rest.Fields, f)
		}
	}
	c.verdictDefaults[block.Name] = defaults
	block.Value = &rest
	return block
}

// taking returns a kind of the family that takes the argument: what a late
// expression in the family's defaults sees, all of them show it.
func taking(f *actions.Family, argument string) *actions.Kind {
	i := slices.IndexFunc(f.Kinds, func(k *actions.Kind) bool { return argNamed(k.Args, argument) != nil })
	if i < 0 {
		return nil
	}
	return f.Kinds[i]
}

func (c *compiler) family(name string) *actions.Family {
	i := slices.IndexFunc(c.families, func(f *actions.Family) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return c.families[i]
}

func (c *compiler) familyNames() []string {
	names := make([]string, len(c.families))
	for i, f := range c.families {
		names[i] = f.Name
	}
	return names
}

// providerKeys are the keys at the top of a spec that are no family's.
var providerKeys = []string{
	"name", "version", "displayName", "description", "keywords", "homepage", "repository", "license", "publisher",
	"logo", "language", "config", "permissions", "types", "resources", "functions", "components", "ephemerals",
	"actions", "configure", "tests", "wire", "maxValues",
}

// arguments compiles the fields of an action's block, or of a family's
// defaults, against their declaration.
func (c *compiler) arguments(
	block spec.Field, decls []actions.Arg, defaults map[string]plan.Argument, s *expr.Scope, what string, complete bool,
) map[string]plan.Argument {
	out := map[string]plan.Argument{}
	if block.Value.Kind == 0 {
		return out
	}
	if block.Value.Kind != spec.MapNode {
		c.fail(codeWrongShape, block.Value.Range, "", fmt.Sprintf("%s takes named arguments, not %s", what, block.Value.Kind),
			"Write them in braces. "+diag.Remedy("", argNames(decls)))
		return out
	}
	for _, f := range block.Value.Fields {
		decl := argNamed(decls, f.Name)
		if decl == nil {
			c.fail(codeUnknownArgument, f.NameRange, f.Name, fmt.Sprintf("unknown argument %q", f.Name),
				fmt.Sprintf("%s has no argument %q. %s", what, f.Name, diag.Remedy(f.Name, argNames(decls))))
			continue
		}
		if f.Value.Kind == spec.NullNode {
			continue // as if it were not there: how YAML and CUE leave something out
		}
		if decl.Requestable && f.Value.Kind == spec.StringNode && f.Value.Text == requestWord {
			c.requested(out, f, decl, defaults[f.Name], what)
			continue
		}
		out[f.Name] = c.argumentOf(f, decl, s, what)
	}
	for i := range decls {
		decl := &decls[i]
		if d, ok := defaults[decl.Name]; ok {
			switch own := out[decl.Name]; {
			case own.Node == nil:
				d.Decl, d.Inherited = decl, true
				out[decl.Name] = d
			case decl.Merged:
				own.Under = &d
				out[decl.Name] = own
			}
		}
		if complete && decl.Required && out[decl.Name].Node == nil && !misspelt(block, decls, decl.Name) {
			c.fail(codeMissingArgument, block.NameRange, decl.Name, fmt.Sprintf("%s needs an argument %q", what, decl.Name),
				diag.FirstSentence(decl.Doc))
		}
	}
	return out
}

// requestWord is what a step writes for an argument to ask for the family's default.
const requestWord = "default"

// requested is an argument that is the family's default because the step asks for it.
func (c *compiler) requested(out map[string]plan.Argument, f spec.Field, decl *actions.Arg, d plan.Argument, what string) {
	if d.Node == nil {
		c.fail(codeBadCall, f.Value.Range, f.Name, fmt.Sprintf("%s of %s asks for a default that there is not", f.Name, what),
			fmt.Sprintf("The block of defaults at the top of the spec has no `%s`. Write it there, or write it out here.", f.Name))
		return
	}
	d.Decl, d.Inherited, d.Request = decl, true, f.Value
	out[f.Name] = d
}

// misspelt reports whether a block has an unknown argument that one of these
// was probably meant by: then that is the mistake, and nothing is missing.
func misspelt(block spec.Field, decls []actions.Arg, names ...string) bool {
	known := argNames(decls)
	return slices.ContainsFunc(block.Value.Fields, func(f spec.Field) bool {
		return argNamed(decls, f.Name) == nil && slices.Contains(names, diag.DidYouMean(f.Name, known))
	})
}

// argument compiles one argument. An optional one may be null at run time: it
// is then left out.
func (c *compiler) argument(f spec.Field, decl *actions.Arg, s *expr.Scope, what string) *expr.Value {
	if decl.Mode == actions.Raw && expr.HasTemplate(f.Value) {
		c.fail(codeNoTemplates, f.Value.Range, f.Name, fmt.Sprintf("argument %q of %s takes no templates", f.Name, what),
			cmp.Or(decl.Instead, "Its text goes out as it stands. Write `$${` for a literal `${`, and pass values another way."))
		return nil
	}
	if f.Value.Type != nil {
		c.fail(codeTypeAsValue, f.Value.Range, f.Name, fmt.Sprintf("argument %q of %s takes a value, not a type", f.Name, what),
			"Types stand in config, inputs and outputs. A value of run time is written as text: \"${inputs.name}\".")
		return nil
	}
	v := c.template(f.Value, s, optional(decl), f.Name)
	if v != nil && decl.Exposed && v.Secret() {
		c.exposedSecret(f.Value, f.Name, decl, what)
	}
	return v
}

func argNamed(decls []actions.Arg, name string) *actions.Arg {
	i := slices.IndexFunc(decls, func(a actions.Arg) bool { return a.Name == name })
	if i < 0 {
		return nil
	}
	return &decls[i]
}

func argNames(decls []actions.Arg) []string {
	names := make([]string, len(decls))
	for i, a := range decls {
		names[i] = a.Name
	}
	return names
}
