package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// processes opens the programs that are granted, and the variables that they see:
// those that a permissions block names. What the configuration may come from
// (@env) is not for programs.
func (e *Engine) processes(vars *expr.Vars) (*process.Programs, error) {
	var rules []grant.Rule
	for _, g := range e.program.grants {
		if g.access != grant.Run && g.access != grant.Agent && (g.access != grant.Environ || g.implied) {
			continue
		}
		rule, known, err := programRule(g, vars)
		if err != nil {
			return nil, err
		}
		if known {
			rules = append(rules, rule)
		}
	}
	if e.env != nil {
		return e.env.Processes.Granting(rules)
	}
	return process.NewPrograms(e.dir, process.Environment(), rules)
}

// programRule is a grant of a program, or of a variable, as a rule.
func programRule(g permission, vars *expr.Vars) (rule grant.Rule, known bool, err error) {
	pattern, known, err := patternOf(g, vars, grant.ProgramPattern)
	if err != nil {
		return rule, false, fmt.Errorf("permission %q: %w", g.node.Text, err)
	}
	return grant.Rule{Access: g.access, Pattern: pattern}, known, nil
}

// names reports whether a step needs to run a program that it names itself, so that
// a spec without a permissions block grants it: in its own text, or by the
// configuration.
func (c *compiler) names(s *step, need actions.Grant) bool {
	if need.Access != grant.Run && need.Access != grant.Agent || c.spec.Permissions != nil || need.Pattern.Kind != spec.StringNode {
		return false
	}
	v, diags := expr.Compile(need.Pattern, anyScope(), nil)
	if diags.HasErrors() || slices.ContainsFunc(v.Refs(), func(ref expr.Ref) bool { return ref.Path[0] != "config" }) {
		return false
	}
	if v = c.template(need.Pattern, c.scope(c.configName()), someText, ""); v != nil {
		g := permission{access: need.Access, node: need.Pattern, value: v, implied: true}
		s.named = append(s.named, g)
		c.named.add(g)
	}
	return true
}

// envOf is the world as a step may touch it: the run's, and the programs that the
// step names.
func (r *run) envOf(s *step) (*actions.Env, error) {
	if len(s.named) == 0 {
		return r.env, nil
	}
	var rules []grant.Rule
	for _, g := range s.named {
		rule, known, err := programRule(g, r.vars)
		if err != nil {
			return nil, err
		}
		if known {
			rules = append(rules, rule)
		}
	}
	processes, err := r.env.Processes.With(rules)
	if err != nil {
		return nil, err
	}
	env := *r.env
	env.Processes = processes
	return &env, nil
}

// namedPrograms are the programs that steps name, each once, for those who review
// a spec. Resources are compiled side by side.
type namedPrograms struct {
	mu     sync.Mutex
	grants []permission
}

func (n *namedPrograms) add(g permission) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !slices.ContainsFunc(n.grants, func(o permission) bool { return o.access == g.access && o.node.Text == g.node.Text }) {
		n.grants = append(n.grants, g)
	}
}

// sorted are the programs that were named, in the order of their names.
func (n *namedPrograms) sorted() []permission {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.SortedFunc(slices.Values(n.grants), func(a, b permission) int { return strings.Compare(a.node.Text, b.node.Text) })
}
