package grants

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/engine/compile/finding"
	"github.com/declprov/declprov/engine/compile/scopes"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Checker checks what steps need against the grants of the spec.
type Checker struct {
	*finding.Collector
	*Granted
	Names *scopes.Names
	// Programs are the programs that steps name, Confined is how steps confine theirs, and Trusts
	// is what steps trust that their grants do not show.
	Programs *plan.Collected[plan.Permission]
	Confined *plan.Collected[plan.Confinement]
	Trusts   *plan.Collected[string]
	// reported are the needs that were reported. What several steps need is one mistake, and so is
	// the lack of any grant in a spec without a permissions block.
	reported map[string]bool
}

// Check reports what a step needs and is never granted. It notes in the step what the step
// requests, in terms of the inputs.
func (c *Checker) Check(s *plan.Step, facts actions.Facts, block spec.Field, scope *expr.Scope) {
	switch {
	case facts.Sandbox == "":
	case facts.Sandbox == "required":
		c.Confined.Add(plan.Enforced)
	case facts.Sandbox == "auto" && c.Declared:
		c.Confined.Add(plan.Attempted)
	default:
		c.Confined.Add(plan.Unconfined)
	}
	c.Trusts.Add(facts.Trusts...)
	for _, need := range facts.Grants {
		addRequest(s, need, scope)
		if c.isNamed(s, need) || c.MayCover(need) || c.isReported(need) {
			continue
		}
		if need.Access == grant.Agent {
			c.Fail(finding.CodeNotPermitted, cmp.Or(need.Pattern.Range, block.NameRange), "ssh.agent", "the user's ssh-agent is not permitted",
				"The agent can log in with all of the user's keys. Add `permissions: agent: true`.")
			continue
		}
		if n := c.above(need); n != nil {
			tree := strings.TrimSuffix(n.Text, "/") + "/**"
			c.Fail(finding.CodeNotPermitted, n.Range, "", fmt.Sprintf("%q permits nothing below the folder", n.Text),
				fmt.Sprintf("%s requires %q. Write %q for the folder and all that is below it.", s.Action, need.Pattern.Text, tree)).Replace(n.Text, tree)
			continue
		}
		c.Fail(finding.CodeNotPermitted, block.NameRange, "", fmt.Sprintf("%s is not permitted", s.Action),
			fmt.Sprintf("It requires a grant under `permissions: %s` that covers %q. %s", plan.AccessName(need.Access), need.Pattern.Text, c.Describe(need.Access)))
	}
}

// isReported reports whether a need was reported before, and notes that it is now.
func (c *Checker) isReported(need actions.Grant) bool {
	key := ""
	if c.Declared {
		key = plan.AccessName(need.Access) + " " + need.Pattern.Text
	}
	known := c.reported[key]
	if c.reported == nil {
		c.reported = map[string]bool{}
	}
	c.reported[key] = true
	return known
}

// addRequest compiles a need as a request of the step. One that does not compile was reported
// where it is an argument.
func addRequest(s *plan.Step, g actions.Grant, scope *expr.Scope) {
	if g.Access == grant.Agent || g.Perhaps {
		return // an agent is granted or not: Check has reported that
	}
	n := plan.Request{Access: g.Access, Name: s.ValueOf(cmp.Or(g.Name, g.Pattern), scope), Root: s.ValueOf(g.Root, scope)}
	if n.Name == nil || g.Root != nil && n.Root == nil {
		return
	}
	outsideConfig := func(ref expr.Ref) bool { return ref.Path[0] != "config" }
	n.Fixed = !slices.ContainsFunc(n.Refs(), outsideConfig)
	pieces := n.Name.Segments()
	if below := n.Root == nil || !slices.ContainsFunc(n.Root.Refs(), outsideConfig); below && len(pieces) == 1 && len(pieces[0].Ref) == 2 && pieces[0].Ref[0] == "inputs" {
		n.Input = pieces[0].Ref[1]
	}
	s.Requests = append(s.Requests, n)
}

// isNamed reports whether the spec itself names the program that a step needs to run, in the step
// or in the configuration. A spec without a permissions block is granted these programs.
func (c *Checker) isNamed(s *plan.Step, need actions.Grant) bool {
	if need.Access != grant.Run && need.Access != grant.Agent || c.Declared || need.Pattern.Kind != spec.StringNode {
		return false
	}
	v, diags := expr.Compile(need.Pattern, scopes.Untyped(), nil)
	if diags.HasErrors() || slices.ContainsFunc(v.Refs(), func(ref expr.Ref) bool { return ref.Path[0] != "config" }) {
		return false
	}
	if v = c.Template(need.Pattern, c.Names.ConfigScope(), scopes.NonEmptyString, ""); v != nil {
		g := plan.Permission{Access: need.Access, Node: need.Pattern, Value: v, Implied: true}
		s.Named = append(s.Named, g)
		c.Programs.Add(g)
	}
	return true
}

// Probe returns a checker of the same grants whose findings do not count.
func (c *Checker) Probe() *Checker {
	return &Checker{Collector: &finding.Collector{}, Granted: c.Granted, Names: c.Names, Programs: c.Programs, Confined: c.Confined, Trusts: c.Trusts}
}
