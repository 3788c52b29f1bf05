package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
)

// Programs are the programs of this machine within the permissions of a spec, and the
// environment variables that they inherit. It only finds programs; Pool runs them.
//
// It is safe for concurrent use.
type Programs struct {
	dir     string
	environ []string
	// path are the absolute folders in the provider's PATH. Relative ones are left out, so
	// programs are never looked up in the working directory.
	path    []string
	rules   []string
	inherit []grant.Glob
	agent   bool
	found   *sync.Map // paths by names
}

// NewPrograms returns the programs under the rules. A rule of access Run grants a program by
// its name or path. A rule of access Environ grants variables that programs inherit in
// addition to PATH and HOME; it is a glob of names. Dir is the absolute folder that paths
// are relative to; environ is the whole environment, as os.Environ returns it.
func NewPrograms(dir string, environ []string, rules []grant.Rule) (*Programs, error) {
	p := &Programs{dir: filepath.Clean(dir), environ: environ, found: &sync.Map{}}
	for _, folder := range filepath.SplitList(p.variable("PATH")) {
		if filepath.IsAbs(folder) {
			p.path = append(p.path, folder)
		}
	}
	return p.WithRules(rules)
}

// WithRules returns the same programs under other rules, for grants that differ from call to
// call. Both share the paths that were found.
func (p *Programs) WithRules(rules []grant.Rule) (*Programs, error) {
	return (&Programs{dir: p.dir, environ: p.environ, path: p.path, found: p.found}).AddRules(rules)
}

// AddRules returns the same programs with additional rules.
func (p *Programs) AddRules(rules []grant.Rule) (*Programs, error) {
	out := *p
	out.rules, out.inherit = slices.Clone(p.rules), slices.Clone(p.inherit)
	for _, r := range rules {
		switch {
		case r.Pattern == "" || strings.ContainsRune(r.Pattern, 0):
			return nil, fmt.Errorf("invalid permission %q: expected a name without NUL characters", r.Pattern)
		case r.Access == grant.Run:
			out.rules = append(out.rules, r.Pattern)
		case r.Access == grant.Environ:
			glob, err := grant.ParseGlob(r.Pattern)
			if err != nil {
				return nil, fmt.Errorf("permission %q: %w", r.Pattern, err)
			}
			out.inherit = append(out.inherit, glob)
		case r.Access == grant.Agent:
			out.agent = true
		default:
			return nil, fmt.Errorf("a grant of programs must have access run, env or agent, got %q with another access", r.Pattern)
		}
	}
	return &out, nil
}

// Program returns the absolute path of a granted program. A name is looked up in the
// provider's PATH; a relative path is relative to the folder of the user's program. A program
// whose name no rule grants is refused before anything is looked up.
func (p *Programs) Program(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("the name of the program is empty")
	case strings.ContainsRune(name, 0):
		return "", fmt.Errorf("the program %q contains a NUL character, which is not valid in a file name", name)
	case !p.isGranted(name):
		return "", &ProgramError{Program: name, Granted: p.rules}
	case grant.IsPath(name):
		return p.AbsPath(name), nil
	}
	path, err := p.lookUp(name)
	if err != nil {
		return "", err
	}
	return path, nil
}

// Check returns an error if no rule can grant the program. It does not look up names: only
// Program decides whether a name resolves to a granted path.
func (p *Programs) Check(name string) error {
	granted := slices.ContainsFunc(p.rules, func(rule string) bool {
		return grant.ProgramCovers(rule, name) || grant.IsPath(rule) && grant.IsPath(name) && p.AbsPath(rule) == p.AbsPath(name)
	})
	if granted {
		return nil
	}
	return &ProgramError{Program: name, Granted: p.rules}
}

// Paths returns the paths of all granted programs that are found.
func (p *Programs) Paths() []string {
	var paths []string
	for _, rule := range p.rules {
		if path, err := p.Program(rule); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// AbsPath returns the absolute path. A relative path is relative to the folder of the user's
// program.
func (p *Programs) AbsPath(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(p.dir, path)
}

// isGranted reports whether a rule grants the program: by the same name, or by the path that
// the name resolves to. A name is looked up only if it equals the last element of the path.
func (p *Programs) isGranted(name string) bool {
	return slices.ContainsFunc(p.rules, func(rule string) bool {
		if grant.IsPath(rule) == grant.IsPath(name) {
			return rule == name || grant.IsPath(rule) && p.AbsPath(rule) == p.AbsPath(name)
		}
		plain, path := rule, name
		if grant.IsPath(rule) {
			plain, path = name, rule
		}
		if grant.ProgramName(plain) != grant.ProgramName(path) {
			return false
		}
		found, err := p.lookUp(plain)
		return err == nil && sameEntry(found, p.AbsPath(path))
	})
}

// sameEntry reports whether two paths are the same entry of the same folder, under two names of the
// folder at most: where /bin is a link to /usr/bin, the name sh means /usr/bin/sh, and a script runs
// with /bin/sh. Another entry that links to the same file is another program.
func sameEntry(a, b string) bool {
	if a == b {
		return true
	}
	if filepath.Base(a) != filepath.Base(b) {
		return false
	}
	folder, err := os.Stat(filepath.Dir(a))
	if err != nil {
		return false
	}
	other, err := os.Stat(filepath.Dir(b))
	return err == nil && os.SameFile(folder, other)
}

// lookUp finds a name in PATH. It remembers the result, so a name means the same program as
// long as the provider lives.
func (p *Programs) lookUp(name string) (string, error) {
	if path, ok := p.found.Load(name); ok {
		return path.(string), nil
	}
	path := p.search(name)
	if path == "" {
		// This is not remembered, since the program may be installed before the next call.
		return "", fmt.Errorf("program %q was not found in PATH (%s); install it, or give its path: %w",
			name, strings.Join(p.path, ", "), fs.ErrNotExist)
	}
	kept, _ := p.found.LoadOrStore(name, path)
	return kept.(string), nil
}

func (p *Programs) search(name string) string {
	endings := []string{""}
	if runtime.GOOS == "windows" && filepath.Ext(name) == "" {
		endings = strings.Split(strings.ToLower(p.variable("PATHEXT")), ";")
	}
	for _, folder := range p.path {
		for _, ending := range endings {
			path := filepath.Join(folder, name+ending)
			info, err := os.Stat(path)
			if err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0) {
				return path
			}
		}
	}
	return ""
}

// Environ returns the environment that a program inherits: PATH, HOME, and the granted
// variables.
func (p *Programs) Environ() []string {
	always := []string{"PATH", "HOME"}
	if runtime.GOOS == "windows" {
		always = append(always, "USERPROFILE", "SYSTEMROOT") // Windows' HOME, and a variable that programs need to start
	}
	var out []string
	for _, variable := range p.environ {
		name, _, ok := strings.Cut(variable, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name)
		}
		if ok && name != "" && (slices.Contains(always, name) || p.Inherits(name)) {
			out = append(out, variable)
		}
	}
	return out
}

// Inherits reports whether a permission grants the variable with this name.
func (p *Programs) Inherits(name string) bool {
	return slices.ContainsFunc(p.inherit, func(g grant.Glob) bool { return g.Match(name) })
}

// variable returns the value of an environment variable, or "".
func (p *Programs) variable(name string) string {
	for _, v := range p.environ {
		if n, value, _ := strings.Cut(v, "="); n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			return value
		}
	}
	return ""
}

// AgentSocket returns the path of the ssh-agent's socket, or an error if the agent is not
// granted.
func (p *Programs) AgentSocket() (string, error) {
	if !p.agent {
		return "", &AgentError{}
	}
	socket := p.variable(spec.AgentVariable)
	if socket == "" {
		return "", fmt.Errorf("%s is not set; start an ssh-agent, and run the host in a shell where it is set", spec.AgentVariable)
	}
	return socket, nil
}

// AgentError reports that a spec's permissions do not grant the ssh-agent.
type AgentError struct{}

func (*AgentError) Error() string {
	return "not permitted to use the ssh-agent; the spec requires `permissions: agent: true`"
}

// Is reports that the error is an fs.ErrPermission.
func (*AgentError) Is(target error) bool { return target == fs.ErrPermission }

// ProgramError reports a program that a spec's permissions do not grant.
type ProgramError struct {
	Program string
	Granted []string
}

func (e *ProgramError) Error() string {
	what := "the spec may not run any program"
	if len(e.Granted) > 0 {
		what = "the spec may run only " + grant.QuoteAll(e.Granted)
	}
	return fmt.Sprintf("%q: not permitted to run; %s (choose another program, or ask the author of the spec to add it to permissions.run)", e.Program, what)
}

// Is reports that the error is an fs.ErrPermission.
func (e *ProgramError) Is(target error) bool { return target == fs.ErrPermission }
