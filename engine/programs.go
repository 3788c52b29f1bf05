package engine

import (
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec/expr"
)

// processes opens the programs that are granted, and the variables that they see:
// those that a permissions block names. What the configuration may come from
// (@env) is not for programs.
func (e *Engine) processes(vars *expr.Vars) (*process.Programs, error) {
	var rules []grant.Rule
	for _, g := range e.program.Permissions {
		if g.Access != grant.Run && g.Access != grant.Agent && (g.Access != grant.Environ || g.Implied) {
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
func programRule(g plan.Permission, vars *expr.Vars) (rule grant.Rule, known bool, err error) {
	pattern, known, err := patternOf(g, vars, grant.ProgramPattern)
	if err != nil {
		return rule, false, fmt.Errorf("permission %q: %w", g.Node.Text, err)
	}
	return grant.Rule{Access: g.Access, Pattern: pattern}, known, nil
}

// envOf is the world as a step may touch it: the run's, and the programs that the
// step names.
func (r *run) envOf(s *plan.Step) (*actions.Env, error) {
	if len(s.Named) == 0 {
		return r.env, nil
	}
	var rules []grant.Rule
	for _, g := range s.Named {
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
