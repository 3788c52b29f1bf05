// Package unlikely reports legal specs that are almost certainly not what their authors mean. It
// runs in vet only: it changes nothing in the plan.
package unlikely

import (
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/stable"
	"github.com/declprov/declprov/spec/types"
)

// CheckResource reports what is unlikely in a resource. configured says that the provider checks its
// credentials before anything else.
func CheckResource(found *finding.Collector, r *plan.Resource, configured bool) {
	found.In(fmt.Sprintf("resource %q", r.Spec.Name), "resources."+r.Spec.Name, func() {
		c := checker{Collector: found, r: r}
		c.checkEffects()
		c.checkRead()
		c.checkGone()
		c.checkDenied(configured)
		c.checkUpdate()
		c.checkSent()
		c.checkDelete()
		c.checkNamed()
		c.checkPartlyNamed()
		for verb, op := range stable.All(map[string]*plan.Operation{"create": r.Create, "read": r.Read, "update": r.Update, "delete": r.Delete}) {
			checkConditions(found, op, verb)
			checkLocks(found, op, verb)
			checkRetries(found, op, verb)
		}
		for name, m := range stable.All(r.Methods) {
			checkLocks(found, m.Operation, "methods."+name)
		}
	})
}

type checker struct {
	*finding.Collector
	r *plan.Resource
}

// checkEffects reports a create, update or delete that only reads.
func (c *checker) checkEffects() {
	c.checkEffect(c.r.Create, finding.CodeNoEffect, plan.Create, "creates", "POST")
	c.checkEffect(c.r.Update, finding.CodeNothingDone, plan.Update, "updates", "PATCH")
	c.checkEffect(c.r.Delete, finding.CodeNothingDone, plan.Delete, "deletes", "DELETE")
}

// checkEffect reports an operation that only reads. usual is its usual method of http.
func (c *checker) checkEffect(op *plan.Operation, code string, verb plan.Verb, does, usual string) {
	if op == nil || op.Broken || len(op.Steps) == 0 || slices.ContainsFunc(op.Steps, func(s *plan.Step) bool { return !s.Known || s.Effect == actions.Write }) {
		return
	}
	last := plan.Last(op.Steps)
	remedy, method := "Use an action that has an effect, or `effect: \"write\"` if it has one.", last.Kind.Arg("method")
	if method != nil {
		remedy = fmt.Sprintf("Without a body, the method is GET. Add `method: %q`.", usual)
	}
	d := c.Warn(code, last.At, string(verb), fmt.Sprintf("%s of %s %s nothing", verb, c.r.Spec.Name, does), remedy)
	if method != nil && last.Args["method"].Node == nil && len(last.Model.Actions) == 1 {
		d.Suggest(last.Model.Actions[0].Value.WithMember("method", usual)...)
	}
}

// checkRead reports a read that changes something. A command counts as a change unless it says
// otherwise, and it is only reported if it says nothing.
func (c *checker) checkRead() {
	if c.r.Read == nil || c.HasFailed("read") { // what says that it has no effect may be misspelt
		return
	}
	for _, s := range c.r.Read.Steps {
		if !s.Known || s.Effect != actions.Write {
			continue
		}
		declares := s.Kind.Arg("effect") != nil
		silent := declares && s.Args["effect"].Node == nil
		if s.Place == "" && !silent {
			continue
		}
		remedy := "Read with an action that has no effect."
		switch {
		case s.Place == "":
			remedy = "A command counts as a change. If it only asks for data, add `effect: \"none\"`; a refresh, and the check after each update, would repeat anything else."
		case declares:
			remedy = "A refresh, and the check after each update, would repeat it. If the request only asks for data, add `effect: \"none\"`; else use GET."
		}
		d := c.Warn(finding.CodeReadEffect, s.At, "read", fmt.Sprintf("read of %s has an effect", c.r.Spec.Name), remedy)
		if silent && len(s.Model.Actions) == 1 {
			d.Suggest(s.Model.Actions[0].Value.WithMember("effect", "none")...)
		}
	}
}

// checkGone reports a read that cannot find that the object is gone: neither its action nor the
// spec says so. Then a refresh fails, or keeps the object in the state.
func (c *checker) checkGone() {
	op := c.r.Read
	if op == nil || op.Broken || len(op.Steps) == 0 || c.HasFailed("read") {
		return
	}
	first := op.Steps[0]
	if !first.Known || first.GoneRemedy == "" || first.Model.Gone != nil || first.Effect == actions.Write {
		return
	}
	if v := op.Return; v != nil && (types.IsAny(v.Type()) || types.MayBeNull(v.Type(), c.r.Types)) {
		return // null means that it is gone
	}
	c.Warn(finding.CodeNeverGone, first.At, "read", fmt.Sprintf("read of %s never finds that it is gone", c.r.Spec.Name),
		first.GoneRemedy+" If it always exists, say that you know: `gone: false`.")
}

// checkDenied reports a read that takes a response to credentials that are wrong, or lack a right, for one
// about an object that is gone. Unless a find tells, a refresh would remove all of them from the state.
// configured says that the provider checks its credentials first, which says nothing about their rights.
func (c *checker) checkDenied(configured bool) {
	if c.r.Read == nil || c.r.Find != nil {
		return
	}
	for _, s := range c.r.Read.Steps {
		denials := s.DenialsTakenForGone()
		rights := slices.ContainsFunc(denials, func(d actions.Denial) bool { return d.Rights })
		if len(denials) == 0 || configured && !rights {
			continue
		}
		problem, remedy := "with wrong credentials", ""
		if rights {
			problem = "if the credentials may not read it"
		} else {
			remedy = " Or let the provider check its credentials first, by a request that always succeeds: `configure: http: path: \"/me\"`."
		}
		c.Warn(finding.CodeDeniedIsGone, s.Model.Gone.Range, "read", fmt.Sprintf("%s, read of %s finds that it is gone", problem, c.r.Spec.Name),
			"With a token that has expired or lacks a right, a refresh removes every such resource from the state. Give the resource a `find` (in `rest`, `unique`), which then tells whether it is there; or read it from the list of all (in `rest`, `read: \"list\"`); or let `gone` look at the body as well."+remedy)
		return
	}
}

// checkUpdate reports inputs that create sends and no update does.
func (c *checker) checkUpdate() {
	r := c.r
	if r.Create == nil || r.Update == nil || r.Create.Broken || r.Update.Broken || len(r.Update.Steps) == 0 || c.HasFailed("create") || c.HasFailed("update") || isReported(r.Update) {
		return
	}
	sent, updated := r.Create.Refs(), r.Update.Refs()
	for _, p := range r.Spec.Inputs.Fields {
		option := p.NoRead && r.Types.Resolve(p.Type).Kind == spec.Bool
		if p.Replace || p.Ephemeral || option || c.replacedByRule(p.Name) || !names(sent, p.Name, "inputs") || names(updated, p.Name, "inputs", "changes", "state") {
			continue
		}
		d := c.Warn(finding.CodeNotUpdated, p.Range, "inputs."+p.Name, fmt.Sprintf("no update sends the input %s", p.Name),
			fmt.Sprintf("A change of it would be recorded, and never reach the object. Send ${inputs.%s} in update, or declare that a change replaces the resource: add @replace().", p.Name))
		sendsOthers := slices.ContainsFunc(r.Spec.Inputs.Fields, func(other *spec.Property) bool { return names(updated, other.Name, "inputs", "changes") })
		if !sendsOthers { // an update of other inputs probably forgets this one
			d.Suggest(p.WithAttribute("replace()"))
		}
	}
}

// isReported reports whether the loader has reported a part of a step: what it refers to is not known.
func isReported(op *plan.Operation) bool {
	return slices.ContainsFunc(op.Steps, func(s *plan.Step) bool {
		return slices.ContainsFunc(s.Model.Actions, func(f spec.Field) bool { return finding.IsReported(f.Value) })
	})
}

// replacedByRule reports whether a rule of `diff` replaces the resource if the input changes.
func (c *checker) replacedByRule(input string) bool {
	return slices.ContainsFunc(c.r.Rules, func(rule *plan.DiffRule) bool {
		return slices.ContainsFunc(rule.Replace, func(path string) bool {
			return path == input || strings.HasPrefix(path, input+".") || strings.HasPrefix(path, input+"[")
		})
	})
}

// names reports whether references name an input under one of the roots, or the root as a whole.
func names(refs []expr.Ref, input string, roots ...string) bool {
	return slices.ContainsFunc(refs, func(ref expr.Ref) bool {
		return slices.Contains(roots, ref.Path[0]) && (len(ref.Path) < 2 || ref.Path[1] == input || ref.Path[1] == "*")
	})
}

// checkConditions reports conditions of steps that do not depend on anything.
func checkConditions(found *finding.Collector, op *plan.Operation, verb string) {
	if op == nil {
		return
	}
	for _, s := range op.Steps {
		for _, c := range []struct {
			key, remedy string
			node        *spec.Node
			value       *expr.Value
		}{
			{"until", "Write a condition over the response, such as \"${body.status == 'ready'}\".", s.Model.Until, s.Until},
			{"fail", "It is a message if the step failed, or else null: \"${body.error}\".", s.Model.Fail, s.Fail},
			{"refused", "It is a message if the step had no effect, or else null: \"${body.error}\".", s.Model.Refused, s.Refused},
		} {
			if c.node == nil || c.value == nil || len(c.value.Refs()) > 0 {
				continue
			}
			if v, known := c.value.Const(); known && v != nil && !(c.key == "until" && v == false && verb == "delete") { // until it is gone
				found.Warn(finding.CodeConstantCondition, c.node.Range, verb+"."+c.key, fmt.Sprintf("%s is always %s", c.key, shown(v)), c.remedy)
			}
		}
	}
}

func shown(v any) string {
	if s, ok := v.(string); ok {
		return fmt.Sprintf("%q", s)
	}
	return fmt.Sprint(v)
}
