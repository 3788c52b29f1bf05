package engine

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
)

// Hosts rename a resource's type by the schema's aliases where they run a
// program. What they do without one (a refresh, the deletion of what a program
// no longer has) still names the type that is recorded.

// formerName is the name within the package that an alias stands for: itself,
// or the last part of a token of this package; "" for another package's.
func formerName(alias, pkg string) string {
	parts := strings.Split(alias, ":")
	switch {
	case len(parts) == 1:
		return alias
	case len(parts) == 3 && parts[0] == pkg:
		return parts[2]
	default:
		return ""
	}
}

// Named is the resource that is called so, or was: by an alias.
func (p *Program) Named(name string) (string, bool) {
	if p.resources[name] != nil {
		return name, true
	}
	for _, n := range p.names {
		r, err := p.resources[n].load()
		if err != nil {
			continue
		}
		for _, a := range r.Aliases {
			if name != "" && formerName(a.Text, p.provider.Name) == name {
				return n, true
			}
		}
	}
	return "", false
}

// aliases reports former names that somebody else has: which of the two a
// recorded state belongs to, nobody could tell.
func (c *compiler) aliases() {
	taken := map[string]string{}
	for _, r := range c.spec.Resources {
		taken[r.Name] = r.Name
	}
	for _, r := range c.spec.Resources {
		c.in(fmt.Sprintf("resource %q", r.Name), "resources."+r.Name, func() { c.aliasesOf(r, taken) })
	}
}

func (c *compiler) aliasesOf(r *spec.Resource, taken map[string]string) {
	for i, a := range r.Aliases {
		name := formerName(a.Text, c.spec.Name)
		if name == "" {
			continue
		}
		if other, ok := taken[name]; ok {
			c.fail(codeAliasTaken, a.Range, fmt.Sprintf("aliases[%d]", i), fmt.Sprintf("alias %q is the name of %s already", a.Text, other),
				"A recorded state of that name could be of either. Take the alias out, or rename the other.")
			continue
		}
		taken[name] = r.Name
	}
}
