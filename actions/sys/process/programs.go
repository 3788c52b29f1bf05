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

// Programs are the programs of this machine as far as a spec's permissions
// reach, and the variables that they inherit. Running one is for whoever is
// given its path.
//
// It is safe for concurrent use.
type Programs struct {
	dir     string
	environ []string
	// path are the folders of the provider's own PATH, in which names are looked
	// up: absolute ones only, so never the working directory.
	path    []string
	rules   []string
	inherit []grant.Glob
	agent   bool
	found   *sync.Map // paths by names
}

// NewPrograms grants the rules: of access Run, programs, by their names or
// paths; of access Environ, the variables that they inherit beside PATH and HOME,
// in whose names `*` is any text. Dir is the absolute folder at which paths start,
// environ the whole environment, as os.Environ gives it.
func NewPrograms(dir string, environ []string, rules []grant.Rule) (*Programs, error) {
	p := &Programs{dir: filepath.Clean(dir), environ: environ, found: &sync.Map{}}
	for _, folder := range filepath.SplitList(p.variable("PATH")) {
		if filepath.IsAbs(folder) {
			p.path = append(p.path, folder)
		}
	}
	return p.Granting(rules)
}

// Granting is the same machine under other rules: for grants that differ from call
// to call. It shares what was found.
func (p *Programs) Granting(rules []grant.Rule) (*Programs, error) {
	return (&Programs{dir: p.dir, environ: p.environ, path: p.path, found: p.found}).With(rules)
}

// With is the same under more rules.
func (p *Programs) With(rules []grant.Rule) (*Programs, error) {
	out := *p
	out.rules, out.inherit = slices.Clone(p.rules), slices.Clone(p.inherit)
	for _, r := range rules {
		switch {
		case r.Pattern == "" || strings.ContainsRune(r.Pattern, 0):
			return nil, fmt.Errorf("permission %q names nothing", r.Pattern)
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
			return nil, fmt.Errorf("a grant of programs runs them, or lets them see variables; %q does neither", r.Pattern)
		}
	}
	return &out, nil
}

// Program is the absolute path of a program that may be run: of a name, where the
// provider's PATH has it; of a path, that below the folder of the user's program.
// What is not granted is refused before anything is looked up.
func (p *Programs) Program(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("the program has no name; name one")
	case strings.ContainsRune(name, 0):
		return "", fmt.Errorf("the program %q holds a NUL character, which no file name can", name)
	case !p.granted(name):
		return "", &ProgramError{Program: name, Granted: p.rules}
	case grant.IsPath(name):
		return p.Place(name), nil
	}
	path, err := p.lookUp(name)
	if err != nil {
		return "", err
	}
	return path, nil
}

// Check is an error where no rule can grant the program. It asks nothing of the machine:
// whether a name stands for a path, only Program tells.
func (p *Programs) Check(name string) error {
	granted := slices.ContainsFunc(p.rules, func(rule string) bool {
		return grant.ProgramCovered(rule, name) || grant.IsPath(rule) && grant.IsPath(name) && p.Place(rule) == p.Place(name)
	})
	if granted {
		return nil
	}
	return &ProgramError{Program: name, Granted: p.rules}
}

// Paths returns the paths of all programs that are granted, as far as they are found.
func (p *Programs) Paths() []string {
	var paths []string
	for _, rule := range p.rules {
		if path, err := p.Program(rule); err == nil {
			paths = append(paths, path)
		}
	}
	return paths
}

// Place is an absolute path: below the folder of the user's program, unless the
// path is one already.
func (p *Programs) Place(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(p.dir, path)
}

// granted reports whether a rule names the program: by the same name, or by the
// path at which that name is found. Only what has the same last name is looked up.
func (p *Programs) granted(name string) bool {
	return slices.ContainsFunc(p.rules, func(rule string) bool {
		if grant.IsPath(rule) == grant.IsPath(name) {
			return rule == name || grant.IsPath(rule) && p.Place(rule) == p.Place(name)
		}
		plain, path := rule, name
		if grant.IsPath(rule) {
			plain, path = name, rule
		}
		if grant.ProgramName(plain) != grant.ProgramName(path) {
			return false
		}
		found, err := p.lookUp(plain)
		return err == nil && found == p.Place(path)
	})
}

// lookUp finds a name on the PATH: once, so that it stands for one program for as
// long as a provider lives.
func (p *Programs) lookUp(name string) (string, error) {
	if path, ok := p.found.Load(name); ok {
		return path.(string), nil
	}
	path := p.search(name)
	if path == "" {
		// This is not kept: it may be installed before the next call.
		return "", fmt.Errorf("program %q is in none of the folders of PATH (%s); install it, or give its path: %w",
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

// Environ is the environment that a program inherits: PATH, HOME, and what is
// granted.
func (p *Programs) Environ() []string {
	always := []string{"PATH", "HOME"}
	if runtime.GOOS == "windows" {
		always = append(always, "USERPROFILE", "SYSTEMROOT") // its HOME, and what no program starts without
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

// Inherits reports whether the variable is granted by its name.
func (p *Programs) Inherits(name string) bool {
	return slices.ContainsFunc(p.inherit, func(g grant.Glob) bool { return g.Match(name) })
}

// variable is that of the environment, or "".
func (p *Programs) variable(name string) string {
	for _, v := range p.environ {
		if n, value, _ := strings.Cut(v, "="); n == name || runtime.GOOS == "windows" && strings.EqualFold(n, name) {
			return value
		}
	}
	return ""
}

// AgentSocket is the socket of the user's ssh-agent, where that is granted.
func (p *Programs) AgentSocket() (string, error) {
	if !p.agent {
		return "", &AgentError{}
	}
	socket := p.variable(spec.AgentVariable)
	if socket == "" {
		return "", fmt.Errorf("%s is not set; start an ssh-agent, and the host from its shell", spec.AgentVariable)
	}
	return socket, nil
}

// AgentError is the error of an ssh-agent that a spec's permissions do not grant.
type AgentError struct{}

func (*AgentError) Error() string {
	return "the user's ssh-agent is not permitted; it needs `permissions: agent: true`"
}

// Is makes the error one of fs.ErrPermission's kind.
func (*AgentError) Is(target error) bool { return target == fs.ErrPermission }

// ProgramError is the error of a program that a spec's permissions do not grant.
type ProgramError struct {
	Program string
	Granted []string
}

func (e *ProgramError) Error() string {
	what := "the spec may run nothing"
	if len(e.Granted) > 0 {
		what = "the spec may run only " + grant.QuoteAll(e.Granted)
	}
	return fmt.Sprintf("%q: not permitted to run; %s: choose another, or have the author of the spec add it to permissions.run", e.Program, what)
}

// Is makes the error one of fs.ErrPermission's kind.
func (e *ProgramError) Is(target error) bool { return target == fs.ErrPermission }
