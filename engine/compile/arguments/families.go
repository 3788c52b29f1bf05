package arguments

import (
	"fmt"
	"maps"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/lists"
)

// Families are the families of actions, with the defaults that a spec gives them.
type Families struct {
	All []*actions.Family
	// Defaults are the compiled blocks of defaults, by family and argument.
	Defaults map[string]map[string]plan.Argument
	verdicts map[string]Verdicts
	// broken are the families whose block of defaults has a mistake.
	broken map[string]bool
	// waiting are the defaults of each family that refer to the session, until that is
	// compiled.
	waiting map[string][]Waiting
}

// Waiting is a default that refers to the session, or a member of one that steps merge.
type Waiting struct{ Argument, Member string }

// Verdicts are the `refused`, `fail` and `retry` of a family's block of defaults. What they see
// depends on the step, so each step compiles them.
type Verdicts struct{ Refused, Fail, Retry *spec.Node }

// providerKeys are the keys at the top of a spec that do not belong to a family.
var providerKeys = []string{
	"name", "version", "displayName", "description", "keywords", "homepage", "repository", "license", "publisher",
	"logo", "language", "config", "permissions", "types", "resources", "functions", "components", "ephemerals",
	"actions", "configure", "tests", "wire", "maxValues",
}

// CompileFamilies compiles the blocks of defaults at the top of a spec, except for what refers to
// the session: `configure` yields that, and may itself use the defaults.
func CompileFamilies(c *finding.Collector, names *scopes.Names) *Families {
	f := &Families{
		All: names.Families, Defaults: map[string]map[string]plan.Argument{}, verdicts: map[string]Verdicts{}, broken: map[string]bool{},
		waiting: map[string][]Waiting{},
	}
	scope := names.ConfigScope()
	for _, block := range names.Spec.Families {
		family := f.Named(block.Name)
		if family == nil {
			c.Fail(finding.CodeUnknownKey, block.NameRange, block.Name, fmt.Sprintf("unknown key %q", block.Name),
				"A provider has no such key, and there is no family of actions with this name.").
				Meant(block.Name, slices.Concat(providerKeys, f.Names()))
			continue
		}
		known := len(c.Diags)
		if names.Spec.Configure != nil {
			block, f.waiting[family.Name] = withoutSession(block, family)
		}
		f.compileBlock(c, names, scope, family, block)
		f.broken[family.Name] = len(c.Diags) > known
	}
	return f
}

// CompileWaiting compiles the defaults that refer to the session.
func (f *Families) CompileWaiting(c *finding.Collector, names *scopes.Names) {
	for _, block := range names.Spec.Families {
		if len(f.waiting[block.Name]) == 0 {
			continue
		}
		delete(f.waiting, block.Name)
		known := len(c.Diags)
		f.compileBlock(c, names, names.CommonScope(), f.Named(block.Name), block)
		f.broken[block.Name] = f.broken[block.Name] || len(c.Diags) > known
	}
}

// Waiting returns the defaults of a family that are not compiled yet, because they refer to the session.
func (f *Families) Waiting(family string) []Waiting { return f.waiting[family] }

func (f *Families) compileBlock(c *finding.Collector, names *scopes.Names, scope *expr.Scope, family *actions.Family, block spec.Field) {
	c.In(fmt.Sprintf("defaults of %s", family.Name), block.Name, func() { f.compileDefaults(c, names.Spec.Types, scope, family, block) })
}

// withoutSession splits a block of defaults: rest does not refer to the session, and waiting lists the arguments, or
// members of them, that do.
func withoutSession(block spec.Field, family *actions.Family) (rest spec.Field, waiting []Waiting) {
	without := func(n *spec.Node, found func(name string), except ...string) *spec.Node {
		out := *n
		out.Fields = slices.DeleteFunc(slices.Clone(n.Fields), func(f spec.Field) bool {
			refers := !slices.Contains(except, f.Name) && refersToSession(f.Value)
			if refers {
				found(f.Name)
			}
			return refers
		})
		return &out
	}
	value := *block.Value
	value.Fields = slices.Clone(value.Fields)
	for i, f := range value.Fields {
		if decl := actions.FindArg(family.Defaults(), f.Name); decl != nil && decl.Merged && f.Value.Kind == spec.MapNode {
			value.Fields[i].Value = without(f.Value, func(member string) { waiting = append(waiting, Waiting{f.Name, member}) })
		}
	}
	// The verdicts are compiled with each step, in its scope.
	block.Value = without(&value, func(argument string) { waiting = append(waiting, Waiting{Argument: argument}) }, "refused", "fail", "retry")
	return block, waiting
}

// refersToSession reports whether a template refers to the session.
func refersToSession(n *spec.Node) bool {
	if n == nil || finding.IsReported(n) {
		return false
	}
	v, diags := expr.Compile(n, scopes.Untyped(), nil)
	return !diags.HasErrors() && v.RefersTo("session")
}

// compileDefaults compiles the block of defaults of one family.
func (f *Families) compileDefaults(c *finding.Collector, types spec.Types, scope *expr.Scope, family *actions.Family, block spec.Field) {
	known := len(c.Diags)
	block, f.verdicts[family.Name] = splitVerdicts(block)
	b := Block{Collector: c, Types: types, Scope: scope, Owner: family.Name + " defaults", Field: block, Decls: family.Defaults(), Also: []string{"fail", "refused", "retry"}, Family: family}
	defaults := b.Compile(nil, false)
	written := plan.Call{Args: defaults}
	static := written.Static()
	for _, name := range slices.Sorted(maps.Keys(defaults)) {
		a := defaults[name]
		a.Parts = b.lateParts(a, kindWith(family, name), static)
		defaults[name] = a
	}
	f.Defaults[family.Name] = defaults
	if family.Check == nil || len(c.Diags) > known || len(f.waiting[family.Name]) > 0 {
		return
	}
	for _, fault := range family.Check(f.Static(family)) {
		place := block.NameRange
		if n := defaults[fault.Argument].Node; n != nil {
			place = n.Range
		}
		c.Fail(finding.CodeBadCall, place, fault.Argument, fault.Summary, fault.Remedy)
	}
}

// splitVerdicts returns a block of defaults without its verdicts, and these.
func splitVerdicts(block spec.Field) (spec.Field, Verdicts) {
	verdicts := Verdicts{}
	if block.Value.Kind != spec.MapNode {
		return block, verdicts
	}
	rest := *block.Value
	rest.Fields = nil
	for _, f := range block.Value.Fields {
		switch f.Name {
		case "refused":
			verdicts.Refused = f.Value
		case "fail":
			verdicts.Fail = f.Value
		case "retry":
			verdicts.Retry = f.Value
		default:
			rest.Fields = append(rest.Fields, f)
		}
	}
	block.Value = &rest
	return block, verdicts
}

// kindWith returns a kind of the family that has the argument, or nil. All kinds that have it show
// the same names to its late expressions.
func kindWith(f *actions.Family, argument string) *actions.Kind {
	return lists.Find(f.Kinds(), func(k *actions.Kind) bool { return k.Arg(argument) != nil })
}

// Named returns the family with that name, or nil.
func (f *Families) Named(name string) *actions.Family {
	return lists.Find(f.All, func(family *actions.Family) bool { return family.Name == name })
}

// Names returns the names of all families.
func (f *Families) Names() []string {
	return lists.Map(f.All, func(family *actions.Family) string { return family.Name })
}

// Static returns what the block of defaults of a family says without being run.
func (f *Families) Static(family *actions.Family) actions.Static {
	s := plan.Call{Args: f.Defaults[family.Name]}
	return s.Static()
}

// Verdicts returns the default verdicts of a family.
func (f *Families) Verdicts(family *actions.Family) Verdicts {
	if family == nil {
		return Verdicts{}
	}
	return f.verdicts[family.Name]
}

// IsBroken reports whether the block of defaults of a family has a mistake. What its actions lack
// may have been meant there.
func (f *Families) IsBroken(family *actions.Family) bool { return f.broken[family.Name] }
