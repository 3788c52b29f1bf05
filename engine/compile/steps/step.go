package steps

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Step compiles one step. It sees the names of the trail.
func (c *Compiler) Step(m *spec.Step, index int, t *scopes.Trail) *plan.Step {
	s := &plan.Step{Index: index, Model: m, Name: fmt.Sprintf("step %d", index+1)}
	s.Used, s.Restart = map[string]bool{}, index
	if i := slices.IndexFunc(t.Steps, func(earlier *plan.Step) bool { return m.Restart != "" && earlier.Model.As == m.Restart }); i >= 0 {
		s.Restart = i
	}
	if m.As != "" {
		s.Name += fmt.Sprintf(" (%q)", m.As)
	}
	before, deciding := t.Scope, t.Deciding(m)
	if m.ForEach != nil {
		s.ForEach = c.Template(m.ForEach, deciding, nil, "forEach")
		s.ForEachKind = scopes.LoopKind(c.names.Spec.Types, s.ForEach)
		each := scopes.EachOver(c.Collector, c.names.Spec.Types, m.ForEach, s.ForEach, "It runs the step once per element.")
		before, deciding = scopes.Extend(before, each), scopes.Extend(deciding, each)
	}
	s.When = c.Template(m.If, deciding, scopes.BoolType, "if")
	before = scopes.AssumeTrue(before, m.If, s.When)
	s.Lock = c.Template(m.Lock, before, scopes.StringType, "lock")
	s.Every = c.Template(m.Every, before, scopes.StringType, "every")
	s.Timeout = c.Template(m.Timeout, before, scopes.StringType, "timeout")
	if m.If != nil && c.allowsNull(s, deciding) {
		before = deciding
	}
	c.action(s, before)
	s.GoneFirst = s.Effect != actions.Write || t.Removes
	c.verdicts(s, t, scopes.Extend(before, append([]expr.Name{{Name: "result", Type: s.Result}}, plan.Shorthands(s.Once())...)...))

	if s.Progress != nil && s.Progress.Secret() {
		c.Fail(finding.CodeSecretExposed, m.Progress.Range, "progress", "progress contains a secret", "Everybody can see progress. Remove the secret.")
	}
	if m.Preview && s.Known && s.Effect == actions.Write {
		c.Fail(finding.CodePreviewEffect, m.PreviewRange, "preview", "a step with an effect cannot run in a preview",
			fmt.Sprintf("%s has an effect. Remove `preview: true`.", s.Action))
	}
	if len(m.OnFailure) > 0 && s.Effect == actions.None {
		c.Warn(finding.CodeUndoNothing, m.OnFailure[0].Range, "onFailure", "onFailure on a step without an effect",
			fmt.Sprintf("%s has no effect, so its undo steps never run. Remove `onFailure`.", s.Action))
	}
	return s
}

// allowsNull reports whether the action of a step also compiles in the scope of its `if`, where
// more may be null: the `if` may exclude these nulls.
func (c *Compiler) allowsNull(s *plan.Step, scope *expr.Scope) bool {
	probe, copied := c.probe(), *s
	probe.action(&copied, scope)
	return !probe.Diags.HasErrors()
}

// verdicts compiles what a step says about its own response, in the order of evaluation. Each
// template sees what those before it have excluded.
func (c *Compiler) verdicts(s *plan.Step, t *scopes.Trail, own *expr.Scope) {
	m, defaults := s.Model, c.families.Verdicts(s.Family)
	if s.Retry = c.retry(m.Retry, own); m.Retry == nil && defaults.Retry != nil {
		c.byDefault(func() { s.Retry = c.retry(defaults.Retry, asReceived(s, own)) })
		if s.Retry != nil {
			s.Retry.OnlyRefused = s.Certainty == actions.Uncertain
		}
	}
	gone := func() {
		in := own
		if t.Proves {
			in = scopes.Deciding(own, t.Steps, true, expr.ByTrue)
		}
		s.Gone = c.Template(m.Gone, in, scopes.BoolType, "gone")
		own = scopes.AssumePassed(own, s.Gone)
	}
	if s.GoneFirst {
		gone()
	}
	s.Inherits.Refused = m.Refused == nil && defaults.Refused != nil
	s.Refused = c.verdict(m.Refused, defaults.Refused, s, own, "refused")
	own = scopes.AssumePassed(own, s.Refused)
	s.Inherits.Fail = m.Fail == nil && defaults.Fail != nil
	s.Fail = c.verdict(m.Fail, defaults.Fail, s, own, "fail")
	own = scopes.AssumePassed(own, s.Fail)
	if !s.GoneFirst {
		gone()
	}
	s.Progress = c.Template(m.Progress, own, scopes.OptionalString, "progress")
	s.Until = c.Template(m.Until, own, scopes.BoolType, "until")
}

// verdict compiles the verdict of the step, which is nil if it is null, or else the default one of
// its family. The default sees the response as it was received, whatever type the step gives it.
func (c *Compiler) verdict(own, byDefault *spec.Node, s *plan.Step, scope *expr.Scope, path string) (v *expr.Value) {
	if own != nil && own.Kind == spec.NullNode {
		return nil
	}
	if own != nil || byDefault == nil {
		return c.Template(own, scope, scopes.OptionalString, path)
	}
	c.byDefault(func() { v = c.Template(byDefault, asReceived(s, scope), scopes.OptionalString, path) })
	return v
}

// asReceived returns the scope of a step's verdicts in which its response has no type.
func asReceived(s *plan.Step, own *expr.Scope) *expr.Scope {
	if !s.Returns {
		return own
	}
	received := *s.Once()
	received.Result = s.Received()
	return scopes.Extend(own, append([]expr.Name{{Name: "result", Type: received.Result}}, plan.Shorthands(&received)...)...)
}

// byDefault compiles a default of a family for a step. An access to an untyped response is not
// noted in it: it is meant for steps with and without a type.
func (c *Compiler) byDefault(compile func()) {
	noted := len(c.Unchecked)
	compile()
	c.Unchecked = c.Unchecked[:noted]
}

// retry compiles a `retry` block.
func (c *Compiler) retry(n *spec.Node, s *expr.Scope) *plan.Retry {
	if n == nil || n.Kind == spec.NullNode {
		return nil
	}
	r := &plan.Retry{
		Backoff:    c.Template(n.Get("backoff"), s, scopes.StringType, "retry.backoff"),
		MaxBackoff: c.Template(n.Get("maxBackoff"), s, scopes.StringType, "retry.maxBackoff"),
		Attempts:   c.Template(n.Get("attempts"), s, &spec.Type{Kind: spec.Int}, "retry.attempts"),
		Jitter:     c.Template(n.Get("jitter"), s, scopes.BoolType, "retry.jitter"),
		When:       c.Template(n.Get("if"), scopes.Extend(s, expr.Name{Name: "error", Type: scopes.StringType}), scopes.BoolType, "retry.if"),
	}
	if on := n.Get("on"); on != nil {
		for _, item := range on.Items {
			r.On = append(r.On, item.Text)
		}
	}
	return r
}
