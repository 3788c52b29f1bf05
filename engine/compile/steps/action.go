package steps

import (
	"fmt"
	"maps"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/arguments"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/lists"
	"github.com/declprov/declprov/spec/stable"
	"github.com/declprov/declprov/spec/types"
)

// action finds the action that a step names, and compiles it.
func (c *Compiler) action(s *plan.Step, scope *expr.Scope) {
	s.Result, s.Effect = &spec.Type{}, actions.Write
	var found []spec.Field
	for _, f := range s.Model.Actions {
		if c.families.Named(f.Name) != nil {
			found = append(found, f)
			continue
		}
		if f.Value.Kind == 0 {
			continue // the loader has reported it
		}
		if family := c.familyWith(s.Model.Actions, f.Name); family != "" {
			c.Fail(finding.CodeUnknownKey, f.NameRange, f.Name, fmt.Sprintf("unknown key %q in a step", f.Name),
				fmt.Sprintf("It is an argument of %s. Write it there: `%s: {…, %s: …}`.", family, family, f.Name))
			continue
		}
		c.Fail(finding.CodeUnknownKey, f.NameRange, f.Name, fmt.Sprintf("unknown key %q in a step", f.Name),
			"It is neither a key of a step nor a family of actions.").Meant(f.Name, slices.Concat(c.families.Names(), arguments.StepKeys, []string{"steps"}))
	}
	switch {
	case len(s.Model.Actions) == 0:
		c.Fail(finding.CodeNoAction, s.Model.Range, "", "a step without an action",
			fmt.Sprintf("A step requires exactly one. %s", diag.Remedy("", c.families.Names())))
	case len(found) > 1:
		c.failSecondAction(found[1], found[0].Name)
	}
	if len(found) > 0 {
		c.In(found[0].Name, found[0].Name, func() { c.call(s, found[0], scope) })
	}
}

// familyWith returns the family among the keys of a step whose action has an argument with a name, or
// "".
func (c *Compiler) familyWith(keys []spec.Field, argument string) string {
	for _, f := range keys {
		family := c.families.Named(f.Name)
		if family == nil {
			continue
		}
		kind := family.Kind("")
		if kind == nil && len(f.Value.Fields) == 1 {
			kind = family.Kind(f.Value.Fields[0].Name)
		}
		if kind != nil && slices.ContainsFunc(kind.Args, func(a actions.Arg) bool { return a.Name == argument }) {
			return f.Name
		}
	}
	return ""
}

// failSecondAction reports a second action in a step.
func (c *Compiler) failSecondAction(f spec.Field, first string) {
	c.Fail(finding.CodeTwoActions, f.NameRange, f.Name, fmt.Sprintf("a second action in a step: %q beside %q", f.Name, first),
		"A step has exactly one action. Make two steps: `steps: [{…}, {…}]`.")
}

// call compiles the block below the name of a family: the arguments of the action, and what is
// known of the call before it runs.
func (c *Compiler) call(s *plan.Step, f spec.Field, scope *expr.Scope) {
	s.Family, s.Action = c.families.Named(f.Name), f.Name
	block := f
	if s.Kind = s.Family.Kind(""); s.Kind == nil {
		block = c.findKind(s, f)
		if s.Kind == nil {
			return
		}
		s.Action += "." + s.Kind.Name
		defer c.Enter(s.Kind.Name)()
	}
	s.At = block.NameRange
	known := len(c.Diags)
	named, defaults := c.names.Spec.Types, c.families.Defaults[f.Name]
	args := &arguments.Block{Collector: c.Collector, Types: named, Scope: scope, Owner: s.Action, Field: block, Decls: s.Kind.Args, Step: s.Model}
	s.Args = args.Compile(defaults, true)
	if block.Value.Kind != spec.MapNode {
		return
	}
	c.checkWaiting(s, block)
	s.SetDefaults(defaults)
	c.checkGroups(s, args)
	static := c.static(s)
	args.CompileLate(s.Args, s.Kind, static)
	for name, a := range stable.All(s.Args) {
		// By the type of the argument alone: what else the resource declares does not matter.
		if a.Decl.Wire && a.Value != nil && value.WireRule(c.wire).Renames(named, a.Value.Type()) {
			a.Renamed = true
			s.Args[name] = a
		}
		if a.Decl.Wire && a.Value != nil && value.WireRule(c.wire).Loses(named, a.Value.Type()) {
			c.reportLost(a, name)
		}
		if a.Decl.Wire && a.Value != nil && types.HoldsFile(a.Value.Type(), named) {
			c.Fail(finding.CodeFileInBody, a.Node.Range, name, fmt.Sprintf("%s contains an asset or archive, which cannot be sent in it", name),
				"Leave it out, `${omit(inputs, \"content\")}`, and send it by `bytes` or `multipart`.")
		}
	}
	static = c.static(s)
	facts := s.Kind.Analyze(static)
	c.reportFaults(s, facts.Faults, block)
	s.Result, s.Effect, s.Yield, s.Streams, s.Known = facts.Result, facts.Effect, facts.Yields, facts.Streams, true
	s.NullIsNothing = facts.NullIsNothing
	s.Telling = secretEchoes(s.Kind, s.Result)
	if s.Telling != nil && slices.ContainsFunc(slices.Collect(maps.Keys(s.Args)), func(name string) bool { return static.Secret[name] }) {
		s.Result = s.Telling
	}
	s.Hides = types.HoldsSecret(s.Result, named)
	if body := s.Result.Field(s.Yield); body != nil {
		s.ResultNaming = value.NewNaming(c.wire, named, body.Type)
		s.Returns = s.Typed()
		s.SecretNames = s.ResultNaming.SecretNames()
	}
	// The argument that makes a broken call certain may be the one that is misspelt.
	if !c.Diags[known:].HasErrors() {
		s.SetCertainty(facts)
	}
	c.grants.Check(s, facts, block, scope)
}

// reportLost reports an argument whose names and types on the wire are not known.
func (c *Compiler) reportLost(a plan.Argument, name string) {
	c.Fail(finding.CodeFormLost, a.Node.Range, name, "a part of this may be a typed or an untyped value, so its names and types on the wire are not known",
		"Declare the type of the untyped part (`returns: #Type`, or a typed input), or write the alternatives as separate steps with `if`. A `merge` of both keeps the names and types of the typed part.")
}

// static returns what is known about the call of a step before it runs.
func (c *Compiler) static(s *plan.Step) actions.Static {
	static := s.Static()
	static.Named, static.Wire = c.names.Spec.Types, c.wire
	return static
}

// checkWaiting reports a default that the step would inherit, and that refers to the session, which
// the step helps to make.
func (c *Compiler) checkWaiting(s *plan.Step, block spec.Field) {
	for _, w := range c.families.Waiting(s.Family.Name) {
		name, own := w.Argument, block.Value.Get(w.Argument)
		if w.Member != "" {
			name = w.Argument + "." + w.Member
			if own = own.Get(w.Member); own != nil {
				continue // also null, which removes the member
			}
		}
		declared := slices.ContainsFunc(s.Kind.Args, func(a actions.Arg) bool { return a.Name == w.Argument })
		if declared && (own == nil || own.Kind == spec.NullNode) {
			c.Fail(finding.CodeSessionCycle, block.NameRange, w.Argument, fmt.Sprintf("configure uses %s of the defaults of %s, which refers to session", name, s.Family.Name),
				"What configure yields is the session, so it cannot use it. Give the step its own "+w.Argument+".")
		}
	}
}

// findKind finds the one kind of action that the block of a family names, and returns its block.
func (c *Compiler) findKind(s *plan.Step, f spec.Field) (block spec.Field) {
	names := lists.Map(s.Family.Kinds(), func(k *actions.Kind) string { return k.Name })
	if f.Value.Kind == 0 {
		return f // the loader has reported it
	}
	if f.Value.Kind != spec.MapNode || len(f.Value.Fields) == 0 {
		c.Fail(finding.CodeNoAction, f.NameRange, "", fmt.Sprintf("%s without an action", f.Name),
			fmt.Sprintf("Write `%s: %s: {…}`. %s", f.Name, names[0], diag.Remedy("", names)))
		return f
	}
	for _, kind := range f.Value.Fields {
		switch k := s.Family.Kind(kind.Name); {
		case k == nil:
			c.Fail(finding.CodeUnknownAction, kind.NameRange, kind.Name, fmt.Sprintf("unknown action %q", f.Name+"."+kind.Name),
				fmt.Sprintf("%s has no action %q.", f.Name, kind.Name)).Meant(kind.Name, names)
		case s.Kind != nil:
			c.failSecondAction(kind, s.Kind.Name)
		default:
			s.Kind, block = k, kind
		}
	}
	return block
}

// checkGroups reports groups of arguments of which too many or too few are given.
func (c *Compiler) checkGroups(s *plan.Step, args *arguments.Block) {
	given := func(group []string) []string {
		return slices.DeleteFunc(slices.Clone(group), func(name string) bool { return s.Args[name].Node == nil })
	}
	conflict := func(have []string, summary, detail string) {
		c.Fail(finding.CodeConflictingArguments, s.Args[have[1]].Node.Range, have[1], summary, detail)
	}
	for _, group := range s.Kind.OneOf {
		switch have := given(group); {
		case len(have) == 0 && !args.Misspells(group...):
			c.Fail(finding.CodeMissingArgument, args.Field.NameRange, "", fmt.Sprintf("%s requires one of %s", s.Action, diag.Or(group)),
				"Give exactly one of them.")
		case len(have) > 1:
			conflict(have, fmt.Sprintf("%s has both %s", s.Action, diag.And(have)), fmt.Sprintf("Give exactly one of %s.", diag.Or(group)))
		case len(have) == 1:
			c.checkOnly(s, have[0], group)
		}
	}
	for _, group := range s.Kind.AtMostOne {
		if have := given(group); len(have) > 1 {
			conflict(have, fmt.Sprintf("%s has %s", s.Action, diag.And(have)), fmt.Sprintf("Give one of %s.", diag.Or(group)))
		}
	}
}

// checkOnly reports the only one of a group of arguments of which one is required, if its value may be
// null because of the program: then none would be given. What a response contains is not known.
func (c *Compiler) checkOnly(s *plan.Step, name string, group []string) {
	a := s.Args[name]
	if a.Value == nil || s.When != nil {
		return // an `if` may exclude null
	}
	t := types.Resolve(a.Value.Type(), c.names.Spec.Types)
	isOfProgram := !slices.ContainsFunc(a.Value.Refs(), func(ref expr.Ref) bool { return ref.Path[0] != "inputs" && ref.Path[0] != "config" })
	if t.Kind == spec.Any || !t.Nullable || !isOfProgram {
		return
	}
	c.Fail(types.CodeNullUnguarded, a.Node.Range, name, fmt.Sprintf("%s may be null, and %s requires one of %s", name, s.Action, diag.Or(group)),
		"If that stands for an empty text, write `?? \"\"`. If nothing is to be done then, add an `if` to the step, or make the input required.")
}

// reportFaults reports what the kind of action finds wrong with a call as a whole.
func (c *Compiler) reportFaults(s *plan.Step, found []actions.Fault, block spec.Field) {
	if c.families.IsBroken(s.Family) {
		return
	}
	for _, f := range found {
		place, path := block.NameRange, f.Argument
		if n := s.Args[f.Argument].Node; n != nil {
			place = n.Range
			if f.Path != "" {
				path += "." + f.Path
				if inner := arguments.NodeAt(n, f.Path); inner != nil {
					place = inner.Range
				}
			}
		}
		if c.isReference(place, f) {
			continue
		}
		code, severity := finding.CodeBadCall, diag.Error
		if f.Exposes {
			code = finding.CodeSecretExposed
		}
		if f.Warning {
			severity = diag.Warning
		}
		d := diag.Diagnostic{Severity: severity, Code: code, Summary: f.Summary, Detail: f.Remedy, Subject: place}
		if f.Old != "" {
			d.Replace(f.Old, f.New)
		}
		c.Add(diag.List{d}, path)
	}
}

// isReference reports whether the text within an argument that a fault is about was reported as a reference without
// ${ and }. It is an error if the fault is one.
func (c *Compiler) isReference(argument diag.Range, f actions.Fault) bool {
	i := slices.IndexFunc(c.Diags, func(d diag.Diagnostic) bool {
		return d.Code == expr.CodeBareReference && d.Subject == argument && len(d.Edits) == 1 && d.Edits[0].Old == f.Old
	})
	if i >= 0 && !f.Warning {
		c.Diags[i].Severity = diag.Error
	}
	return i >= 0
}

// secretEchoes returns the type of a result in which the members are secret that echo a secret
// argument (Kind.Echoes), or nil if there are none.
func secretEchoes(k *actions.Kind, result *spec.Type) *spec.Type {
	if len(k.Echoes) == 0 {
		return nil
	}
	t := *result
	t.Fields = slices.Clone(t.Fields)
	for i, f := range t.Fields {
		if slices.Contains(k.Echoes, f.Name) {
			secret := *f
			secret.Secret = true
			t.Fields[i] = &secret
		}
	}
	return &t
}
