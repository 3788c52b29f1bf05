// Package pulumitest wraps package pulumicli for tests: a failing command fails the test
// immediately, with its output.
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

// Stack is a project with one stack, for the duration of a test. Tests with separate stacks
// may run in parallel.
type Stack struct {
	*pulumicli.Project
	t testing.TB
}

// Providers are folders of providers, by package name.
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

// Program replaces the body of the program, from `resources:` on.
func (s *Stack) Program(body string) {
	s.t.Helper()
	if err := s.SetProgram(body); err != nil {
		s.t.Fatal(err)
	}
}

// Up runs `pulumi up`, which must succeed with these operations: "create=1".
func (s *Stack) Up(ops string, args ...string) *pulumicli.Result {
	s.t.Helper()
	r, err := s.Project.Up(s.t.Context(), args...)
	return s.checkRun(r, err, ops)
}

// Preview is Up for `pulumi preview`.
func (s *Stack) Preview(ops string, args ...string) *pulumicli.Result {
	s.t.Helper()
	r, err := s.Project.Preview(s.t.Context(), args...)
	return s.checkRun(r, err, ops)
}

// Destroy is Up for `pulumi destroy`.
func (s *Stack) Destroy(ops string, args ...string) *pulumicli.Result {
	s.t.Helper()
	r, err := s.Project.Destroy(s.t.Context(), args...)
	return s.checkRun(r, err, ops)
}

// Import is Up for `pulumi import` of one resource into the stack.
func (s *Stack) Import(token, name, id string) *pulumicli.Result {
	s.t.Helper()
	r, err := s.Project.Import(s.t.Context(), token, name, id)
	if err == nil && strings.HasPrefix(r.Ops(), "import=1 same=") {
		return s.checkRun(r, err, r.Ops())
	}
	return s.checkRun(r, err, "import=1")
}

// Refresh runs `pulumi refresh`, which must succeed with these outcomes, sorted: "update File
// greeting".
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
		s.t.Fatalf("outcomes of the refresh (-want +got):\n%s\n%s%s", diff, r.Stdout, r.Stderr)
	}
	return r
}

// Fails returns the error messages of a command that must fail: s.Fails(s.Project.Up(ctx)).
func (s *Stack) Fails(r *pulumicli.Result, err error) []string {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	if r.ExitCode == 0 {
		s.t.Fatalf("pulumi %v: expected a failure:\n%s", r.Typed, r.Stdout)
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

// Write writes a file into the folder of the program.
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

// Files returns the files in the folder of the program by name, without Pulumi.yaml.
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

// ReadTree returns the contents of the regular files below a folder, by slash-separated path.
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

func (s *Stack) checkRun(r *pulumicli.Result, err error, ops string) *pulumicli.Result {
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
