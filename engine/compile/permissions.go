package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// confinement is how a step's programs are bound, by the mode that its kind tells.
func (c *compiler) confinement(mode string) plan.Confinement {
	switch {
	case mode == "required":
		return plan.Enforced
	case mode == "auto" && c.spec.Permissions != nil:
		return plan.Attempted
	default:
		return plan.Unconfined
	}
}

// addRequest compiles a request of the step. One that does not compile was reported where it
// is an argument.
func (c *compiler) addRequest(s *plan.Step, g actions.Grant, scope *expr.Scope) {
	if g.Access == grant.Agent || g.Perhaps {
		return // the spec grants an agent or does not, which vet has told
	}
	n := plan.Request{Access: g.Access, Name: s.ValueOf(cmp.Or(g.Name, g.Pattern), scope), Root: s.ValueOf(g.Root, scope)}
	if n.Name == nil || g.Root != nil && n.Root == nil {
		return
	}
	n.Fixed = !slices.ContainsFunc(n.Refs(), isNoConfigRef)
	pieces := n.Name.Segments()
	if below := n.Root == nil || !slices.ContainsFunc(n.Root.Refs(), isNoConfigRef); below && len(pieces) == 1 && len(pieces[0].Ref) == 2 && pieces[0].Ref[0] == "inputs" {
		n.Input = pieces[0].Ref[1]
	}
	s.Asks = append(s.Asks, n)
}

func isNoConfigRef(ref expr.Ref) bool { return ref.Path[0] != "config" }

// familyStatic is what a family's block of defaults says.
func (c *compiler) familyStatic(f *actions.Family) actions.Static {
	s := plan.Step{Args: c.defaults[f.Name]}
	return s.Static()
}

func (c *compiler) grant(access grant.Access, n *spec.Node, implied bool, path string) {
	scope := c.scope(c.configName(), expr.Name{Name: "inputs"})
	v := c.template(n, scope, someText, path)
	if v == nil {
		// A mistake that is reported: whatever it was to grant counts as granted.
		c.unsure = append(c.unsure, access)
		return
	}
	c.grants = append(c.grants, plan.Permission{Access: access, Node: n, Value: v, Implied: implied})
}

func (c *compiler) granted(access grant.Access) string {
	var have []string
	for _, g := range c.grants {
		if g.Access == access {
			have = append(have, fmt.Sprintf("%q", g.Node.Text))
		}
	}
	switch {
	case have == nil && c.spec.Permissions == nil && access == grant.Run:
		return "Without a permissions block a spec may run the programs that it names itself. Which one a value names, only the block can grant: `permissions: run: [...]`."
	case have == nil && c.spec.Permissions == nil:
		return "Without a permissions block a spec gets what its defaults name, such as the tree under `file: root: \".\"`. Name it, or write the block."
	case have == nil:
		return "Nothing of that kind is granted."
	}
	return "Granted: " + diag.And(have) + "."
}

// impliedVariables are those that the configuration comes from, with a block or without:
// the spec sees them, and so who reviews it does. Commands do not inherit them.
func (c *compiler) impliedVariables() {
	for _, p := range c.spec.Config.Fields {
		for _, name := range p.Env {
			if !slices.ContainsFunc(c.grants, func(g plan.Permission) bool { return g.Access == grant.Environ && g.Node.Text == name }) {
				c.grant(grant.Environ, &spec.Node{Kind: spec.StringNode, Text: name, Range: p.Range}, true, "config."+p.Name)
			}
		}
	}
}

// mayHave reports whether some grant could cover a need: for certain where both
// are written out, else if there is any of its access.
func (c *compiler) mayHave(need actions.Grant) bool {
	if slices.ContainsFunc(c.unsure, func(a grant.Access) bool { return plan.Allows(a, need.Access) }) {
		return true
	}
	for _, g := range c.grants {
		if !plan.Allows(g.Access, need.Access) {
			continue
		}
		pattern, known := g.Value.Const()
		if !known || strings.Contains(need.Pattern.Text, "${") || covered(need, fmt.Sprint(pattern)) {
			return true
		}
	}
	return false
}

// permissions compiles the block, or what stands in for it: what the spec names.
func (c *compiler) permissions() {
	if c.spec.Permissions == nil {
		for _, f := range c.families {
			if f.Grants == nil {
				continue
			}
			for _, g := range f.Grants(c.familyStatic(f)) {
				c.grant(g.Access, g.Pattern, true, "permissions")
			}
		}
		c.impliedVariables()
		c.impliedPackages()
		return
	}
	defer c.impliedVariables()
	c.in("permissions", "permissions", func() {
		for _, block := range []struct {
			access grant.Access
			nodes  []*spec.Node
		}{
			{grant.Read, c.spec.Permissions.Read},
			{grant.Write, c.spec.Permissions.Write},
			{grant.Connect, c.spec.Permissions.Hosts},
			{grant.Run, c.spec.Permissions.Run},
			{grant.Environ, c.spec.Permissions.Env},
			{grant.Package, c.spec.Permissions.Packages},
		} {
			for i, n := range block.nodes {
				c.grant(block.access, n, false, fmt.Sprintf("%s[%d]", plan.AccessName(block.access), i))
			}
		}
		if agent := c.spec.Permissions.Agent; agent != nil {
			c.grant(grant.Agent, agent, false, "agent")
		}
	})
}

// permitted reports what a step needs and can never have.
func (c *compiler) permitted(s *plan.Step, facts actions.Facts, block spec.Field, scope *expr.Scope) {
	if facts.Sandbox != "" {
		c.confined.Add(c.confinement(facts.Sandbox))
	}
	for _, need := range facts.Grants {
		c.addRequest(s, need, scope)
		if c.names(s, need) || c.mayHave(need) || c.spec.Permissions == nil && c.unnamed {
			continue
		}
		c.unnamed = true
		if need.Access == grant.Agent {
			c.fail(codeNotPermitted, cmp.Or(need.Pattern.Range, block.NameRange), "ssh.agent", "the user's ssh-agent is not permitted",
				"It logs in with all keys of the user's. It needs `permissions: agent: true`.")
			continue
		}
		c.fail(codeNotPermitted, block.NameRange, "", fmt.Sprintf("%s is not permitted", s.Action),
			fmt.Sprintf("It needs `permissions: %s` to cover %q. %s", plan.AccessName(need.Access), need.Pattern.Text, c.granted(need.Access)))
	}
}

// covered reports whether a pattern that is written out may allow a need that is.
func covered(need actions.Grant, pattern string) bool {
	switch need.Access {
	case grant.Connect:
		return grant.OriginCovers(pattern, need.Pattern.Text)
	case grant.Run:
		return grant.ProgramCovers(pattern, need.Pattern.Text)
	}
	return covers(pattern, need.Pattern.Text)
}

// covers reports whether a glob that is written out may match a path that is.
// It errs on the side of yes: the actions decide.
func covers(pattern, path string) bool {
	literal := pattern
	if i := strings.IndexAny(pattern, "*?[{"); i >= 0 {
		literal = pattern[:i]
	}
	literal, path = strings.TrimPrefix(literal, "./"), strings.TrimPrefix(path, "./")
	return strings.HasPrefix(path, literal) || strings.TrimSuffix(literal, "/") == path
}

// names reports whether a step needs to run a program that it names itself, so that
// a spec without a permissions block grants it: in its own text, or by the
// configuration.
func (c *compiler) names(s *plan.Step, need actions.Grant) bool {
	if need.Access != grant.Run && need.Access != grant.Agent || c.spec.Permissions != nil || need.Pattern.Kind != spec.StringNode {
		return false
	}
	v, diags := expr.Compile(need.Pattern, anyScope(), nil)
	if diags.HasErrors() || slices.ContainsFunc(v.Refs(), func(ref expr.Ref) bool { return ref.Path[0] != "config" }) {
		return false
	}
	if v = c.template(need.Pattern, c.scope(c.configName()), someText, ""); v != nil {
		g := plan.Permission{Access: need.Access, Node: need.Pattern, Value: v, Implied: true}
		s.Named = append(s.Named, g)
		c.named.Add(g)
	}
	return true
}
