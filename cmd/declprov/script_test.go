package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/declprov/declprov/actions/sys/process/sandbox"
)

var update = flag.Bool("update", false, "update the expected output of the scripts")

// TestScripts runs the scripts in testdata/script with the built binary, each in a separate
// working directory and home folder.
func TestScripts(t *testing.T) {
	bin := filepath.Dir(built(t))
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Condition: func(cond string) (bool, error) {
			if cond != "sandbox" { // reports whether the kernel has all features of the sandbox
				return false, fmt.Errorf("unknown condition %q", cond)
			}
			return sandbox.CurrentKernel().Missing() == nil, nil
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("PULUMI_HOME", filepath.Join(env.WorkDir, "pulumi"))
			env.Setenv("DECLPROV_CACHE", filepath.Join(env.WorkDir, ".cache"))
			env.Setenv("BIN", bin)
			env.Setenv("PLATFORM", runtime.GOOS+"-"+runtime.GOARCH)
			if dir := os.Getenv("GOCOVERDIR"); dir != "" {
				env.Setenv("GOCOVERDIR", dir)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// binFolder is the folder of the built binary; TestMain creates and removes it.
var binFolder string

// binary returns the path of a declprov without debug information. It copies the one that
// `make test` has built, or builds one, with coverage if this test has coverage.
var binary = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(binFolder, "declprov")
	if given := os.Getenv("DECLPROV_BINARY"); given != "" && testing.CoverMode() == "" {
		program, err := os.ReadFile(given)
		if err != nil {
			return path, err
		}
		return path, os.WriteFile(path, program, 0o755)
	}
	return path, buildProgram(path, ".")
})

// buildProgram builds a program without debug information, and with coverage if this test has
// coverage. Like a release, it does without cgo: with it, every package that imports net would
// be compiled once more.
func buildProgram(path, pkg string) error {
	args := []string{"build", "-ldflags=-s -w", "-o", path}
	if testing.CoverMode() != "" {
		args = append(args, "-cover")
	}
	cmd := exec.Command("go", append(args, pkg)...)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", pkg, err, out)
	}
	return nil
}

func TestMain(m *testing.M) {
	var err error
	if binFolder, err = os.MkdirTemp("", "declprov-test-*"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := os.RemoveAll(binFolder); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

func built(t *testing.T) (path string) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// exits runs a command and checks its exit code: exits 1 declprov vet x. The commands
// stdout, stderr and cmp can then check the output.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARG...]")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%s: %v", strings.Join(args[1:], " "), err)
	}
	if fmt.Sprint(code) != args[0] {
		ts.Fatalf("%s: exit code %d, want %s", strings.Join(args[1:], " "), code, args[0])
	}
}
