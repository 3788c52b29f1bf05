package compile

import (
	"fmt"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
)

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
		name := plan.FormerName(a.Text, c.spec.Name)
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
