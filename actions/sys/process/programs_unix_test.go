//go:build unix

package process

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/grant"
)

// machine is a folder of programs, bin, on a PATH that has others, too.
func machine(t *testing.T, rules ...grant.Rule) (*Programs, string) {
	t.Helper()
	dir := t.TempDir()
	for path, mode := range map[string]fs.FileMode{"bin/tool": 0o755, "bin/text": 0o644, "here/tool": 0o755, "here/local": 0o755, "late/text": 0o755} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "bin", "folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		os.Symlink("bin", filepath.Join(dir, "alias")),
		os.Mkdir(filepath.Join(dir, "links"), 0o755),
		os.Symlink("../bin/tool", filepath.Join(dir, "links", "tool")),
	); err != nil {
		t.Fatal(err)
	}
	path := "PATH=:." + string(filepath.ListSeparator) + filepath.Join(dir, "bin") + string(filepath.ListSeparator) + filepath.Join(dir, "late")
	t.Chdir(filepath.Join(dir, "here"))
	p, err := NewPrograms(filepath.Join(dir, "here"), []string{path, "HOME=/home/me", "LC_ALL=C", "LC_TIME=de", "TOKEN=secret", "=odd"}, rules)
	if err != nil {
		t.Fatal(err)
	}
	return p, dir
}

func run(pattern string) grant.Rule     { return grant.Rule{Access: grant.Run, Pattern: pattern} }
func environ(pattern string) grant.Rule { return grant.Rule{Access: grant.Environ, Pattern: pattern} }

func TestProgram(t *testing.T) {
	for name, test := range map[string]struct {
		rule, program, want string
		fails               error
	}{
		"by name":                               {"tool", "tool", "bin/tool", nil},
		"by path":                               {"./local", "local/../local", "here/local", nil},
		"never the working directory":           {"local", "local", "", fs.ErrNotExist},
		"what is not executable is passed over": {"text", "text", "late/text", nil},
		"a folder is no program":                {"folder", "folder", "", fs.ErrNotExist},
		"another":                               {"tool", "text", "", fs.ErrPermission},
		"a path of a granted name":              {"tool", "./tool", "", fs.ErrPermission},
		"above the program's folder":            {"../bin/tool", "tool", "bin/tool", nil},
		"a name where that path is granted":     {"../here/tool", "tool", "", fs.ErrPermission},
		"a name of the same folder":             {"tool", "../alias/tool", "alias/tool", nil},
		"a path in the same folder":             {"../alias/tool", "tool", "bin/tool", nil},
		"a link to a granted program":           {"tool", "../links/tool", "", fs.ErrPermission},
		"a name where a link to it is granted":  {"../links/tool", "tool", "", fs.ErrPermission},
		"another folder's":                      {"./tool", "../bin/tool", "", fs.ErrPermission},
		"nothing":                               {"tool", "", "", nil},
		"a NUL":                                 {"tool", "to\x00ol", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, dir := machine(t, run(test.rule))
			got, err := p.Program(test.program)
			if test.want == "" {
				if err == nil || test.fails != nil && !errors.Is(err, test.fails) {
					t.Errorf("%q, %v; want %v", got, err, test.fails)
				}
				return
			}
			if want := filepath.Join(dir, test.want); got != want || err != nil {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
		})
	}
}

// TestProgramIsFoundOnce: a name stands for one program for as long as a provider
// lives, and what was not there may come.
func TestProgramIsFoundOnce(t *testing.T) {
	p, dir := machine(t, run("text"), run("new"))
	if _, err := p.Program("new"); !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "late", "new"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	before, err := p.Program("new")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bin", "new"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	again, err := p.WithRules([]grant.Rule{run("new")})
	if err != nil {
		t.Fatal(err)
	}
	if after, err := again.Program("new"); after != before || err != nil {
		t.Errorf("%q, %v; want %q", after, err, before)
	}
}

func TestEnviron(t *testing.T) {
	p, dir := machine(t, environ("LC_*"))
	got := p.Environ()
	slices.Sort(got)
	want := []string{"HOME=/home/me", "LC_ALL=C", "LC_TIME=de", "PATH=:.:" + filepath.Join(dir, "bin") + ":" + filepath.Join(dir, "late")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	more, err := p.AddRules([]grant.Rule{environ("TOKEN")})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(more.Environ(), "TOKEN=secret") || slices.Contains(p.Environ(), "TOKEN=secret") {
		t.Error("with another rule the same is granted as without")
	}
}

func TestRulesOfPrograms(t *testing.T) {
	for _, rule := range []grant.Rule{run(""), run("a\x00"), environ("["), {Access: grant.Read, Pattern: "x"}} {
		if _, err := NewPrograms("/", nil, []grant.Rule{rule}); err == nil {
			t.Errorf("%+v is taken", rule)
		}
	}
	for _, test := range []struct {
		pattern, program string
		want             bool
	}{
		{"git", "git", true},
		{"git", "svn", false},
		{"git", "/usr/bin/git", true},
		{"/usr/bin/git", "git", true},
		{"/usr/bin/git", "svn", false},
		{"./x/../git", "git", true},
		{"./a/../git", "./git", true},
		{"/a/git", "/b/git", false},
	} {
		if got := grant.ProgramCovers(test.pattern, test.program); got != test.want {
			t.Errorf("%q covers %q: %t", test.pattern, test.program, got)
		}
	}
}

// TestAgentSocket: the ssh-agent is there where it is granted, and its variable is set.
func TestAgentSocket(t *testing.T) {
	for name, tc := range map[string]struct {
		environ []string
		rules   []grant.Rule
		want    string
	}{
		"granted":     {[]string{"SSH_AUTH_SOCK=/run/agent"}, []grant.Rule{{Access: grant.Agent, Pattern: "SSH_AUTH_SOCK"}}, "/run/agent"},
		"not set":     {nil, []grant.Rule{{Access: grant.Agent, Pattern: "SSH_AUTH_SOCK"}}, ""},
		"not granted": {[]string{"SSH_AUTH_SOCK=/run/agent"}, []grant.Rule{{Access: grant.Environ, Pattern: "SSH_*"}}, ""},
	} {
		p, err := NewPrograms(t.TempDir(), tc.environ, tc.rules)
		if err != nil {
			t.Fatal(err)
		}
		if socket, err := p.AgentSocket(); socket != tc.want || (err == nil) != (tc.want != "") {
			t.Errorf("%s: %q, %v", name, socket, err)
		}
	}
}
