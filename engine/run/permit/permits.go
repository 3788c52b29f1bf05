// Package permit evaluates the permissions of a configured program, and refuses what
// they do not cover.
package permit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/assets"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sys/files"
	"github.com/declprov/declprov/actions/sys/network"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/run/scope"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/expr"
	"github.com/declprov/declprov/spec/lists"
)

// Permits are the permissions of a configured program: the files, origins and
// programs that its operations may use.
type Permits struct {
	program *plan.Program
	config  map[string]any
	dir     string
	// env are the permissions that do not depend on a resource. perInput is true if
	// others depend on the inputs of a resource.
	env      *actions.Env
	perInput bool
	// granted are the requests that were granted to every resource.
	granted sync.Map
}

// New evaluates those permissions of a program that only depend on its configuration.
// Relative paths start in dir.
func New(ctx context.Context, p *plan.Program, config map[string]any, dir string) (*Permits, error) {
	e := &Permits{program: p, config: config, dir: dir}
	for _, g := range p.Permissions {
		e.perInput = e.perInput || g.DependsOnInputs()
	}
	vars := scope.New(ctx, map[string]any{"config": config, "inputs": expr.Unknown{}}, nil, p, nil).Vars
	var err error
	e.env, err = e.evaluate(vars, func(rules []grant.Rule) (*files.Files, error) { return files.New(dir, rules) })
	return e, err
}

// evaluate evaluates the permissions.
func (e *Permits) evaluate(vars *expr.Vars, open func([]grant.Rule) (*files.Files, error)) (*actions.Env, error) {
	rules, err := e.rules(vars)
	if err != nil {
		return nil, err
	}
	files, err := open(rules)
	if err != nil {
		return nil, err
	}
	network, err := e.Network(vars)
	if err != nil {
		return nil, err
	}
	processes, err := e.processes(vars)
	return &actions.Env{Files: files, Network: network, Processes: processes, Declared: e.program.DeclaresPermissions(), Capabilities: e.program.Capabilities()}, err
}

// OpenAsset opens the content of an asset. The user chose it, so it requires no permission.
func (e *Permits) OpenAsset(ctx context.Context, f *spec.File) (io.ReadCloser, error) {
	opened, err := assets.Open(ctx, e.env, f)
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// Open returns what an operation with these variables may use.
func (e *Permits) Open(vars *expr.Vars) (*actions.Env, error) {
	if !e.perInput {
		return e.env, nil
	}
	return e.evaluate(vars, e.env.Files.WithRules)
}

// Network returns the permitted origins.
func (e *Permits) Network(vars *expr.Vars) (*network.Network, error) {
	var rules []grant.Rule
	for _, g := range e.program.Permissions {
		if g.Access != grant.Connect {
			continue
		}
		pattern, known, err := patternOf(g, vars, grant.OriginPattern)
		if err != nil {
			return nil, e.invalid(g, err)
		}
		if known {
			if _, err := grant.CompileOrigin(pattern); err != nil {
				return nil, e.invalid(g, err)
			}
			rules = append(rules, grant.Rule{Access: g.Access, Pattern: pattern})
		}
	}
	if e.env != nil {
		return e.env.Network.WithRules(rules)
	}
	return network.New(rules)
}

// rules evaluates the permissions for files.
func (e *Permits) rules(vars *expr.Vars) ([]grant.Rule, error) {
	var rules []grant.Rule
	for _, g := range e.program.Permissions {
		if g.Access != grant.Read && g.Access != grant.Write {
			continue
		}
		pattern, known, err := patternOf(g, vars, globPattern)
		if err != nil {
			return nil, e.invalid(g, err)
		}
		if known {
			rules = append(rules, grant.Rule{Access: g.Access, Pattern: pattern})
		}
	}
	return rules, nil
}

// patternOf evaluates the glob or origin of a permission. known is false if it
// depends on an unknown value; it then permits nothing.
func patternOf(g plan.Permission, vars *expr.Vars, join func([]spec.Part) (string, error)) (text string, known bool, err error) {
	v, err := g.Value.Eval(vars)
	if err != nil && g.DependsOnInputs() {
		return "", false, nil // this resource has no such input, or it is null
	}
	if err != nil || expr.HasUnknown(v) {
		return "", false, err
	}
	parts, err := g.Value.Parts(vars)
	if err != nil {
		return "", false, err
	}
	pieces := lists.Map(parts, func(p expr.Part) spec.Part { return spec.Part{Text: p.Text, Literal: p.Literal} })
	text, err = join(pieces)
	return text, err == nil, err
}

// globPattern returns a glob in which values are literal. They must not lead out of
// the folder that the author wrote before them, because reviewers of the permissions
// rely on it.
func globPattern(parts []spec.Part) (string, error) {
	text, folder := "", "" // folder is the author's text before the first value
	if len(parts) > 1 && !parts[0].Literal && parts[0].Text == "" {
		return "", errors.New(`it begins with an empty value, and would permit everything; use "." for the program's folder`)
	}
	for i, p := range parts {
		switch {
		case !p.Literal:
			text += grant.QuoteGlob(p.Text)
		default:
			text += p.Text
			if i == 0 {
				folder = p.Text[:strings.LastIndexAny(p.Text, `/\`)+1]
			}
		}
	}
	if folder != "" && len(parts) > 1 && slices.Contains(strings.FieldsFunc(text[len(folder):], isSlash), "..") {
		return "", fmt.Errorf("a \"..\" in a value leads out of %s; use values that stay below it", folder)
	}
	return text, nil
}

func isSlash(r rune) bool { return r == '/' || r == '\\' }

// processes returns the permitted programs, and the environment variables that a
// permissions block passes to them. Variables that only set the configuration (@env)
// are not passed.
func (e *Permits) processes(vars *expr.Vars) (*process.Programs, error) {
	var rules []grant.Rule
	for _, g := range e.program.Permissions {
		if g.Access != grant.Run && g.Access != grant.Agent && (g.Access != grant.Environ || g.Implied) {
			continue
		}
		rule, known, err := programRule(g, vars)
		if err != nil {
			return nil, fmt.Errorf("%w (%s)", err, e.program.Place(g.Node.Range))
		}
		if known {
			rules = append(rules, rule)
		}
	}
	if e.env != nil {
		return e.env.Processes.WithRules(rules)
	}
	return process.NewPrograms(e.dir, process.Environment(), rules)
}

// invalid returns the error of a permission whose value is not valid.
func invalid(g plan.Permission, err error) error {
	return fmt.Errorf("permission %q: %w", g.Node.Text, err)
}

// invalid returns that error with the settings that decide the permission, and its place.
func (e *Permits) invalid(g plan.Permission, err error) error {
	var settings []string
	for _, ref := range g.Value.Refs() {
		if ref.Path[0] != "config" || len(ref.Path) < 2 {
			continue
		}
		name := fmt.Sprintf("%q", ref.Path[1])
		if p := e.program.Provider.Config.Field(ref.Path[1]); p != nil && len(p.Env) > 0 {
			name += " (environment variable " + strings.Join(p.Env, " or ") + ")"
		}
		if !slices.Contains(settings, name) {
			settings = append(settings, name)
		}
	}
	decides := ""
	if len(settings) > 0 {
		decides = "; its value comes from the provider's setting " + diag.And(settings)
	}
	return fmt.Errorf("%w%s (%s)", invalid(g, err), decides, e.program.Place(g.Node.Range))
}

// programRule returns the permission of a program or variable as a rule.
func programRule(g plan.Permission, vars *expr.Vars) (rule grant.Rule, known bool, err error) {
	pattern, known, err := patternOf(g, vars, grant.ProgramPattern)
	if err != nil {
		return rule, false, invalid(g, err)
	}
	return grant.Rule{Access: g.Access, Pattern: pattern}, known, nil
}

// WithNamed returns what a step may use: what its operation may use, and the programs
// that the step names.
func WithNamed(s *plan.Step, operation *actions.Env, vars *expr.Vars) (*actions.Env, error) {
	if len(s.Named) == 0 {
		return operation, nil
	}
	var rules []grant.Rule
	for _, g := range s.Named {
		rule, known, err := programRule(g, vars)
		if err != nil {
			return nil, err
		}
		if known {
			rules = append(rules, rule)
		}
	}
	processes, err := operation.Processes.AddRules(rules)
	if err != nil {
		return nil, err
	}
	env := *operation
	env.Processes = processes
	return &env, nil
}
