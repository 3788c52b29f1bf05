package compile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/types"
)

// stepKeys are the keys of a step that are not a family's.
var stepKeys = []string{
	"as", "if", "forEach", "until", "every", "timeout", "retry", "refused", "fail", "progress", "gone", "preview", "onFailure",
	"lock", "restart", "return", "steps",
}

// step compiles one step in the scope that the steps before it left.
func (c *compiler) step(m *spec.Step, index int, t *trail) *plan.Step {
	s := &plan.Step{Index: index, Restart: index, Model: m, Name: fmt.Sprintf("step %d", index+1), Wants: map[string]bool{}}
	if i := slices.IndexFunc(t.steps, func(earlier *plan.Step) bool { return m.Restart != "" && earlier.Model.As == m.Restart }); i >= 0 {
		s.Restart = i
	}
	if m.As != "" {
		s.Name += fmt.Sprintf(" (%q)", m.As)
	}
	before := t.scope
	deciding := t.deciding(m)
	if m.ForEach != nil {
		s.ForEach = c.template(m.ForEach, deciding, nil, "forEach")
		s.Over = over(c.spec.Types, s.ForEach)
		each := c.each(m.ForEach, s.ForEach, "It runs the step once per element.")
		before, deciding = with(before, each), with(deciding, each)
	}
	s.When = c.template(m.If, deciding, truthType, "if")
	before = where(before, m.If, s.When)
	s.Lock = c.template(m.Lock, before, textType, "lock")
	s.Every = c.duration(m.Every, before, "every")
	s.Timeout = c.duration(m.Timeout, before, "timeout")
	if m.If != nil && c.allowsNull(s, deciding) {
		before = deciding
	}
	c.action(s, before)

	c.verdicts(s, with(before, append([]expr.Name{{Name: "result", Type: s.Result}}, plan.Shorthands(s)...)...))
	if s.Progress != nil && s.Progress.Secret() {
		c.fail(codeSecretExposed, m.Progress.Range, "progress", "a secret goes into progress", "Everybody sees progress. Leave the secret out.")
	}
	c.stepRules(s)
	return s
}

// verdicts compiles what a step says of its own response. Each sees what those
// before it have established, in the order in which they are asked.
func (c *compiler) verdicts(s *plan.Step, own *expr.Scope) {
	m, defaults := s.Model, verdictDefaults{}
	if s.Family != nil {
		defaults = c.verdictDefaults[s.Family.Name]
	}
	s.Retry = c.retry(m.Retry, own)
	s.Refused = c.verdict(m.Refused, defaults.refused, own, "refused")
	own = established(own, s.Refused)
	s.Fail = c.verdict(m.Fail, defaults.fail, own, "fail")
	own = established(own, s.Fail)
	s.Gone = c.template(m.Gone, own, truthType, "gone")
	own = established(own, s.Gone)
	s.Progress = c.template(m.Progress, own, optionalText, "progress")
	s.Until = c.template(m.Until, own, truthType, "until")
}

// verdict compiles the step's own text, or else the family's default. What the
// default says of a body that a step types is not counted among what the author
// could have typed.
func (c *compiler) verdict(own, byDefault *spec.Node, scope *expr.Scope, path string) *expr.Value {
	if own != nil || byDefault == nil {
		return c.template(own, scope, optionalText, path)
	}
	counted := len(c.unchecked)
	defer func() { c.unchecked = c.unchecked[:counted] }()
	return c.template(byDefault, scope, optionalText, path)
}

// established is the scope after a condition was false, or a text null.
func established(s *expr.Scope, v *expr.Value) *expr.Scope {
	if v == nil {
		return s
	}
	return knowing(s, v.Passed())
}

// verdictDefaults are the `refused` and `fail` of a family's block of defaults.
type verdictDefaults struct{ refused, fail *spec.Node }

// allowsNull reports whether the step's action is right in a scope with more nulls,
// too: its `if` may have excluded them already.
func (c *compiler) allowsNull(s *plan.Step, scope *expr.Scope) bool {
	quiet, probe := c.fork(), *s
	quiet.action(&probe, scope)
	return !quiet.diags.HasErrors()
}

// stepRules reports combinations that mean nothing.
func (c *compiler) stepRules(s *plan.Step) {
	m := s.Model
	if m.Preview && s.Known && s.Effect == actions.Write {
		c.fail(codePreviewEffect, m.PreviewRange, "preview", "a step that changes something cannot run in a preview",
			fmt.Sprintf("%s has an effect. Take `preview: true` away.", s.Action))
	}
	if len(m.OnFailure) > 0 && s.Effect == actions.None {
		c.warn(codeUndoNothing, m.OnFailure[0].Range, "onFailure", "onFailure on a step without an effect",
			fmt.Sprintf("%s changes nothing, so its undo steps never run.", s.Action))
	}
}

// each types `each` from what forEach goes over; does says what forEach does.
func (c *compiler) each(n *spec.Node, over *expr.Value, does string) expr.Name {
	key, elem := &spec.Type{Kind: spec.Int}, (*spec.Type)(nil)
	if over != nil {
		switch t := c.spec.Types.Resolve(over.Type()); t.Kind {
		case spec.List:
			elem = t.Elem
		case spec.Map:
			key, elem = textType, t.Elem
		case spec.Object:
			key = textType
		case spec.Any:
			key = &spec.Type{}
		default:
			key = &spec.Type{}
			c.fail(codeWrongType, n.Range, "forEach", fmt.Sprintf("forEach needs a list or a map, not %s", types.Describe(t)), does)
		}
	}
	if elem == nil {
		elem = &spec.Type{}
	}
	return eachOf(key, elem, over != nil && over.Hidden())
}

// eachOf is the name `each`. Of what is secret as a whole each element is, and each
// key that is no index.
func eachOf(key, value *spec.Type, secret bool) expr.Name {
	return expr.Name{Name: "each", Type: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{
		{Name: "key", Type: key, Required: true, Secret: secret && key.Kind != spec.Int},
		{Name: "value", Type: value, Required: true, Secret: secret},
	}}}
}

// duration compiles a Go duration. One that is written out was checked by the
// loader.
func (c *compiler) duration(n *spec.Node, s *expr.Scope, path string) *expr.Value {
	return c.template(n, s, textType, path)
}

// action finds the family and kind that a step names, and compiles its
// arguments.
func (c *compiler) action(s *plan.Step, scope *expr.Scope) {
	s.Result, s.Effect = &spec.Type{}, actions.Write
	var found []spec.Field
	for _, f := range s.Model.Actions {
		if c.family(f.Name) != nil {
			found = append(found, f)
			continue
		}
		if f.Value.Kind == 0 {
			continue // the loader has said why
		}
		c.fail(codeUnknownKey, f.NameRange, f.Name, fmt.Sprintf("unknown key %q in a step", f.Name),
			fmt.Sprintf("It is neither a key of a step nor a family of actions. %s",
				diag.Remedy(f.Name, slices.Concat(c.familyNames(), stepKeys))))
	}
	switch {
	case len(s.Model.Actions) == 0:
		c.fail(codeNoAction, s.Model.Range, "", "a step without an action",
			fmt.Sprintf("A step has exactly one. %s", diag.Remedy("", c.familyNames())))
	case len(found) > 1:
		c.fail(codeTwoActions, found[1].NameRange, found[1].Name, fmt.Sprintf("a second action in a step: %q beside %q", found[1].Name, found[0].Name),
			"A step has exactly one action. Make two steps: `steps: [{…}, {…}]`.")
	}
	if len(found) > 0 {
		c.in(found[0].Name, found[0].Name, func() { c.kind(s, found[0], scope) })
	}
}

// kind compiles the block below a family's name.
func (c *compiler) kind(s *plan.Step, f spec.Field, scope *expr.Scope) {
	s.Family, s.Action = c.family(f.Name), f.Name
	block := f
	if s.Kind = s.Family.Kind(""); s.Kind == nil {
		var ok bool
		if block, ok = c.kindBlock(s, f); !ok {
			return
		}
		s.Action += "." + s.Kind.Name
	}
	s.At = block.NameRange
	if s.Kind.Name != "" {
		outer := c.path
		c.path += "." + s.Kind.Name
		defer func() { c.path = outer }()
	}
	before := len(c.diags)
	s.Args = c.arguments(block, s.Kind.Args, c.defaults[f.Name], scope, s.Action, true)
	if block.Value.Kind != spec.MapNode {
		return
	}
	s.Overridden(c.defaults[f.Name])
	for _, group := range s.Kind.OneOf {
		c.oneOf(s, block, group)
	}
	static := s.Static()
	c.lateArguments(s.Args, s.Kind, static, scope)
	c.renamedArguments(s.Args)
	static = s.Static()
	facts := s.Kind.Analyze(static)
	c.faults(s, facts.Faults, block)
	s.Result, s.Effect, s.Yield, s.Known = facts.Result, facts.Effect, facts.Yields, true
	s.Telling = telling(s.Kind, s.Result)
	if s.Telling != nil && slices.ContainsFunc(slices.Collect(maps.Keys(s.Args)), func(name string) bool { return static.Secret[name] }) {
		s.Result = s.Telling
	}
	s.Hides = types.HoldsSecret(s.Result, c.spec.Types)
	if body := s.Result.Field(s.Yield); body != nil {
		s.Arrives = value.NewNaming(c.wireRule(), c.spec.Types, body.Type)
		s.Returns = s.Typed()
		s.SecretNames = s.Arrives.Secrets()
	}
	// The argument that makes a broken call certain may be the one that is misspelt.
	if !c.diags[before:].HasErrors() {
		s.Certain(facts)
	}
	c.permitted(s, facts, block, scope)
}

// kindBlock is the one kind that a family's block names.
func (c *compiler) kindBlock(s *plan.Step, f spec.Field) (spec.Field, bool) {
	names := make([]string, len(s.Family.Kinds))
	for i, k := range s.Family.Kinds {
		names[i] = k.Name
	}
	if f.Value.Kind == 0 {
		return f, false // the loader has said why
	}
	if f.Value.Kind != spec.MapNode || len(f.Value.Fields) == 0 {
		c.fail(codeNoAction, f.NameRange, "", fmt.Sprintf("%s without an action", f.Name),
			fmt.Sprintf("Write `%s: %s: {…}`. %s", f.Name, names[0], diag.Remedy("", names)))
		return f, false
	}
	for _, kind := range f.Value.Fields {
		switch k := s.Family.Kind(kind.Name); {
		case k == nil:
			c.fail(codeUnknownAction, kind.NameRange, kind.Name, fmt.Sprintf("unknown action %q", f.Name+"."+kind.Name),
				fmt.Sprintf("%s has no action %q. %s", f.Name, kind.Name, diag.Remedy(kind.Name, names)))
		case s.Kind != nil:
			c.fail(codeTwoActions, kind.NameRange, kind.Name, fmt.Sprintf("a second action in a step: %q beside %q", kind.Name, s.Kind.Name),
				"A step has exactly one action. Make two steps: `steps: [{…}, {…}]`.")
		default:
			s.Kind, f = k, kind
		}
	}
	return f, s.Kind != nil
}

// oneOf reports a group of arguments of which not exactly one is given.
func (c *compiler) oneOf(s *plan.Step, block spec.Field, group []string) {
	var given []string
	for _, name := range group {
		if s.Args[name].Node != nil {
			given = append(given, name)
		}
	}
	switch {
	case len(given) == 0 && misspelt(block, s.Kind.Args, group...):
	case len(given) == 0:
		c.fail(codeMissingArgument, block.NameRange, "", fmt.Sprintf("%s needs one of %s", s.Action, diag.Or(group)),
			"Exactly one says what to do.")
	case len(given) > 1:
		c.fail(codeConflictingArguments, s.Args[given[1]].Node.Range, given[1], fmt.Sprintf("%s has both %s", s.Action, diag.And(given)),
			fmt.Sprintf("Give exactly one of %s.", diag.Or(group)))
	}
}

// retry compiles a `retry` block.
func (c *compiler) retry(n *spec.Node, s *expr.Scope) *plan.Retry {
	if n == nil {
		return nil
	}
	r := &plan.Retry{
		Backoff: c.duration(n.Get("backoff"), s, "retry.backoff"), MaxBackoff: c.duration(n.Get("maxBackoff"), s, "retry.maxBackoff"),
		Attempts: c.template(n.Get("attempts"), s, &spec.Type{Kind: spec.Int}, "retry.attempts"),
		Jitter:   c.template(n.Get("jitter"), s, truthType, "retry.jitter"),
		When:     c.template(n.Get("if"), with(s, expr.Name{Name: "error", Type: textType}), truthType, "retry.if"),
	}
	if on := n.Get("on"); on != nil {
		for _, item := range on.Items {
			r.On = append(r.On, item.Text)
		}
	}
	return r
}
