// Package pulumitest is package pulumicli for tests: what must work fails the
// test at once, with all that the CLI printed.
package pulumitest

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"

	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/tools"
)

// Stack is a project with one stack, which lives as long as the test. Tests
// with a stack each may run in parallel.
type Stack struct {
	*pulumicli.Project
	t testing.TB
}

// Providers are folders of providers, by the name of their package.
type Providers map[string]string

// New makes a stack with an empty program.
func New(t testing.TB, providers Providers, env ...string) *Stack {
	t.Helper()
	return open(t, pulumicli.Options{Providers: providers, Env: env})
}

// NewRecording is New with the calls between the CLI and its plugins recorded.
func NewRecording(t testing.TB, providers Providers, env ...string) *Stack {
	t.Helper()
	return open(t, pulumicli.Options{Providers: providers, Env: env, RecordGRPC: true})
}

func open(t testing.TB, opts pulumicli.Options) *Stack {
	t.Helper()
	opts.Dir = t.TempDir()
	opts.CLI = tools.Need(t, tools.Pulumi)
	opts.YAMLHost = tools.Need(t, tools.PulumiYAML)
	var err error
	if opts.KeyService, err = pulumicli.KeyService(); err != nil {
		t.Fatal(err)
	}
	p, err := pulumicli.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	return &Stack{Project: p, t: t}
}

// Program replaces the program's body, from `resources:` on.
func (s *Stack) Program(body string) {
	s.t.Helper()
	if err := s.SetProgram(body); err != nil {
		s.t.Fatal(err)
	}
}

// Up runs `pulumi up`, which must work and do what ops counts: "create=1".
func (s *Stack) Up(ops string, args ...string) *pulumicli.Result {
	s.t.Helper()
	r, err := s.Project.Up(s.t.Context(), args...)
	return s.want(r, err, ops)
}

// Preview is Up for `pulumi preview`.
func (s *Stack) Preview(ops string, args ...string) *pulumicli.Result {
	s.t.Helper()
	r, err := s.Project.Preview(s.t.Context(), args...)
	return s.want(r, err, ops)
}

// Destroy is Up for `pulumi destroy`.
func (s *Stack) Destroy(ops string, args ...string) *pulumicli.Result {
	s.t.Helper()
	r, err := s.Project.Destroy(s.t.Context(), args...)
	return s.want(r, err, ops)
}

// Import is Up for `pulumi import` of one resource, beside whatever the stack
// has.
func (s *Stack) Import(token, name, id string) *pulumicli.Result {
	s.t.Helper()
	r, err := s.Project.Import(s.t.Context(), token, name, id)
	if err == nil && strings.HasPrefix(r.Ops(), "import=1 same=") {
		return s.want(r, err, r.Ops())
	}
	return s.want(r, err, "import=1")
}

// Refresh runs `pulumi refresh`, which must work and find what outcomes say,
// sorted: "update File greeting".
func (s *Stack) Refresh(outcomes ...string) *pulumicli.Result {
	s.t.Helper()
	r, err := s.Project.Refresh(s.t.Context())
	if err == nil {
		err = r.Failure()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if diff := cmp.Diff(outcomes, r.Outcomes()); diff != "" {
		s.t.Fatalf("what the refresh found (-want +got):\n%s\n%s%s", diff, r.Stdout, r.Stderr)
	}
	return r
}

// Fails returns the error messages of a command that must not work:
// s.Fails(s.Project.Up(ctx)).
func (s *Stack) Fails(r *pulumicli.Result, err error) []string {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	if r.ExitCode == 0 {
		s.t.Fatalf("pulumi %v worked, and should not have:\n%s", r.Typed, r.Stdout)
	}
	return r.Errors()
}

// Recorded is the state of the resource of that name; it must be there.
func (s *Stack) Recorded(name string) *apitype.ResourceV3 {
	s.t.Helper()
	r, err := s.Resource(name)
	if err != nil {
		s.t.Fatal(err)
	}
	if r == nil {
		s.t.Fatalf("%q is not in the state", name)
	}
	return r
}

// Unrecorded fails if the state has a resource of that name.
func (s *Stack) Unrecorded(name string) {
	s.t.Helper()
	r, err := s.Resource(name)
	if err != nil {
		s.t.Fatal(err)
	}
	if r != nil {
		s.t.Fatalf("%q is in the state:\n%+v", name, r)
	}
}

// Write puts a file into the program's folder, as a user's editor would.
func (s *Stack) Write(name, content string) {
	s.t.Helper()
	path := filepath.Join(s.Dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// Files are the files in the program's folder by name, with their contents,
// without Pulumi.yaml.
func (s *Stack) Files() map[string]string {
	s.t.Helper()
	files, err := ReadTree(s.Dir)
	if err != nil {
		s.t.Fatal(err)
	}
	maps.DeleteFunc(files, func(name, _ string) bool { return slices.Contains(projectFiles(), name) })
	return files
}

func projectFiles() []string {
	return []string{"Pulumi.yaml", "Pulumi." + pulumicli.StackName + ".yaml"}
}

// ReadTree reads the regular files below a folder, by slash-separated name.
func ReadTree(dir string) (map[string]string, error) {
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		files[filepath.ToSlash(name)] = string(data)
		return err
	})
	return files, err
}

func (s *Stack) want(r *pulumicli.Result, err error, ops string) *pulumicli.Result {
	s.t.Helper()
	if err == nil {
		err = r.Failure()
	}
	if err != nil {
		s.t.Fatal(err)
	}
	if got := r.Ops(); got != ops {
		s.t.Fatalf("pulumi %v: did %q, want %q\n%s%s", r.Typed, got, ops, r.Stdout, r.Stderr)
	}
	return r
}
