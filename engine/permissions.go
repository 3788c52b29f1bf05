package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
)

// Grant is one permission of a spec, as a reviewer reads it.
type Grant struct {
	// Access is read, write, hosts, run, env, packages or agent.
	Access string `json:"access"`
	// Pattern is the glob, origin, program or name, with its templates as
	// written.
	Pattern string `json:"pattern"`
	// Implied says that no permissions block asks for it: the spec names it.
	Implied bool `json:"implied"`
	// Chosen says that the user's program decides what it covers.
	Chosen bool `json:"chosenByTheProgram"`
	// Settings are those of the configuration that decide what it covers, and the inputs
	// that do and for which the author has chosen a default.
	Settings []Setting `json:"settings,omitempty"`
	// Confined says, of a program, how the spec's commands are bound by the other
	// grants.
	Confined Confinement `json:"confined,omitempty"`
	// Capabilities are those that the spec's commands keep where root runs them, if
	// it narrows them.
	Capabilities []string `json:"capabilities,omitzero"`
}

// Setting is a part of the configuration or an input on which a grant depends, and what
// decides it where nobody sets it.
type Setting struct {
	Name string `json:"name"`
	// Default is the value in JSON, or an expression; "" where there is none.
	Default string `json:"default,omitempty"`
	// Env are the variables that give it.
	Env []string `json:"env,omitempty"`
	// By is the component of the spec, and its child, that says Default instead of the
	// program; or "".
	By string `json:"by,omitempty"`
}

func (s Setting) equal(other Setting) bool {
	return s.Name == other.Name && s.Default == other.Default && s.By == other.By && slices.Equal(s.Env, other.Env)
}

// jsonText is a value of the author's own as JSON.
func jsonText(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return ""
	}
	return strings.TrimSpace(b.String())
}

// permission is a compiled permission of the spec.
type permission struct {
	access  grant.Access
	node    *spec.Node
	value   *expr.Value
	implied bool
}

// Grants are the permissions that the spec has.
func (p *Program) Grants() ([]Grant, error) {
	if err := p.all(); err != nil {
		return nil, err
	}
	inputs, err := p.grantInputs()
	if err != nil {
		return nil, err
	}
	var out []Grant
	for _, g := range slices.Concat(p.grants, p.named.sorted()) {
		one := Grant{
			Access: accessName(g.access), Pattern: g.node.Text, Implied: g.implied, Chosen: g.chosen(),
			Settings: settingsOf(g, p.provider, inputs),
		}
		if g.access == grant.Run {
			one.Confined, one.Capabilities = p.confined.together(), p.capabilities()
		}
		out = append(out, one)
	}
	return out, nil
}

// chosen reports whether the pattern depends on a resource's inputs.
func (g permission) chosen() bool {
	for _, ref := range g.value.Refs() {
		if ref.Path[0] == "inputs" {
			return true
		}
	}
	return false
}

func accessName(a grant.Access) string {
	return [...]string{"", "read", "write", "hosts", "run", "env", "packages", "agent"}[a]
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
				c.grant(block.access, n, false, fmt.Sprintf("%s[%d]", accessName(block.access), i))
			}
		}
		if agent := c.spec.Permissions.Agent; agent != nil {
			c.grant(grant.Agent, agent, false, "agent")
		}
	})
}

// impliedVariables are those that the configuration comes from, with a block or without:
// the spec sees them, and so who reviews it does. Commands do not inherit them.
func (c *compiler) impliedVariables() {
	for _, p := range c.spec.Config.Fields {
		for _, name := range p.Env {
			if !slices.ContainsFunc(c.grants, func(g permission) bool { return g.access == grant.Environ && g.node.Text == name }) {
				c.grant(grant.Environ, &spec.Node{Kind: spec.StringNode, Text: name, Range: p.Range}, true, "config."+p.Name)
			}
		}
	}
}

func (c *compiler) grant(access grant.Access, n *spec.Node, implied bool, path string) {
	scope := c.scope(c.configName(), expr.Name{Name: "inputs"})
	v := c.template(n, scope, someText, path)
	if v == nil {
		// A mistake that is reported: whatever it was to grant counts as granted.
		c.unsure = append(c.unsure, access)
		return
	}
	c.grants = append(c.grants, permission{access: access, node: n, value: v, implied: implied})
}

// familyStatic is what a family's block of defaults says.
func (c *compiler) familyStatic(f *actions.Family) actions.Static {
	s := step{args: c.defaults[f.Name]}
	return s.static()
}

// permitted reports what a step needs and can never have.
func (c *compiler) permitted(s *step, facts actions.Facts, block spec.Field, scope *expr.Scope) {
	if facts.Sandbox != "" {
		c.confined.add(c.confinement(facts.Sandbox))
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
		c.fail(codeNotPermitted, block.NameRange, "", fmt.Sprintf("%s is not permitted", s.action),
			fmt.Sprintf("It needs `permissions: %s` to cover %q. %s", accessName(need.Access), need.Pattern.Text, c.granted(need.Access)))
	}
}

// mayHave reports whether some grant could cover a need: for certain where both
// are written out, else if there is any of its access.
func (c *compiler) mayHave(need actions.Grant) bool {
	if slices.ContainsFunc(c.unsure, func(a grant.Access) bool { return allows(a, need.Access) }) {
		return true
	}
	for _, g := range c.grants {
		if !allows(g.access, need.Access) {
			continue
		}
		pattern, known := g.value.Const()
		if !known || strings.Contains(need.Pattern.Text, "${") || covered(need, fmt.Sprint(pattern)) {
			return true
		}
	}
	return false
}

// allows reports whether a grant of one access gives another: writing implies
// reading.
func allows(granted, need grant.Access) bool {
	return granted == need || granted == grant.Write && need == grant.Read
}

// covered reports whether a pattern that is written out may allow a need that is.
func covered(need actions.Grant, pattern string) bool {
	switch need.Access {
	case grant.Connect:
		return grant.OriginCovered(pattern, need.Pattern.Text)
	case grant.Run:
		return grant.ProgramCovered(pattern, need.Pattern.Text)
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

func (c *compiler) granted(access grant.Access) string {
	var have []string
	for _, g := range c.grants {
		if g.access == access {
			have = append(have, fmt.Sprintf("%q", g.node.Text))
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
