// Testall runs all tests of both modules. At the end, it lists the tests that were left
// out because this machine lacks a program, and how to install it. `make test` runs it.
//
// It reads the skipped tests from the output of `go test -json`, so it finds every skip.
// With DECLPROV_NO_SKIP=1, a skip is a failure.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/tests/internal/memory"
	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/internal/tools"
)

func main() {
	verbose := flag.Bool("v", false, "print the output of every test, like `go test -v`")
	whole := flag.Bool("whole", false, "also run the tests that start declprov as a separate process with the race detector")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := runAll(ctx, os.Stdout, *verbose, *whole, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		stop()
		os.Exit(1)
	}
}

func runAll(ctx context.Context, out io.Writer, verbose, whole bool, patterns []string) error {
	root, err := tools.Root()
	if err != nil {
		return err
	}
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	r := newReport(out, verbose)
	// What the race detector compiles is used by these tests only. Without debug information, that takes a tenth less time.
	race := []string{"-race", "-gcflags=all=-dwarf=false"}
	if err := raceDetector(root); err != nil {
		race = nil
		r.leaveOut("the race detector", err.Error())
	}
	if err := errors.Join(setFlags(), tools.SaveCPU()); err != nil {
		return err
	}
	test := runner{ctx: ctx, report: r}
	files := ""
	if os.Getenv("TMPDIR") == "" { // otherwise, the user has chosen a folder
		files = memory.MkdirTemp("declprov-")
	}
	if files != "" {
		defer os.RemoveAll(files)
		test.flags = filesIn(files)
	}
	if err := buildBinary(ctx, root, files); err != nil {
		return err
	}
	tests := filepath.Join(root, "tests")
	products, err := list(ctx, root, patterns)
	if err != nil {
		return err
	}
	others, err := list(ctx, tests, patterns)
	if err != nil {
		return err
	}
	// The modules run concurrently, so that the last package of a module does not leave
	// a processor idle.
	var product, sampled, raced, outside error
	var both sync.WaitGroup
	cores := runtime.NumCPU()
	// The module that ends first continues with these, while the last packages of the other one run.
	var first sync.Once
	watch := func() {
		if watched := raceTested(others, whole); race != nil && len(watched) > 0 {
			raced = test.run(tests, cores, slices.Concat(race, []string{"-count=1"}, paths(watched))...)
		}
	}
	both.Go(func() {
		product = test.run(root, cores, append(race, paths(products)...)...)
		first.Do(watch)
	})
	if race != nil && slices.ContainsFunc(products, func(p pkg) bool { return p.ImportPath == engine }) {
		// With the race detector, the engine's tests run a sample of the cases of their large products; all run
		// without it.
		both.Go(func() { sampled = test.run(root, 1, engine) })
	}
	both.Go(func() {
		// The tests of the second module run programs that are built from the first.
		// Go's cache of test results does not track these: -count=1. These tests take
		// longer, and wait more often.
		outside = test.run(tests, cores+1, append([]string{"-count=1"}, paths(others)...)...)
		first.Do(watch)
	})
	both.Wait()
	r.summary()
	switch {
	case product != nil || sampled != nil || raced != nil || outside != nil || r.failed > 0:
		return errors.New("tests failed")
	case os.Getenv(tools.NoSkip) == "1" && len(r.left) > 0:
		return fmt.Errorf("tests were left out, but %s=1 is set", tools.NoSkip)
	}
	return nil
}

// setFlags sets GOFLAGS to the flags of a release, for this process and all that it starts: otherwise, each package
// would be compiled twice, and in the modules of SDKs once more.
func setFlags() error {
	given := os.Getenv("GOFLAGS")
	if strings.Contains(given, "-tags") || strings.Contains(given, "-gcflags") { // as in .ci/run
		return nil
	}
	return os.Setenv("GOFLAGS", strings.TrimSpace(given+" "+strings.Join(release.CompilerFlags(), " ")))
}

// filesIn returns the flags of `go test` with which tests make their temporary files in a folder. Only the test programs get the variables,
// because what the go command builds is large and stays on the disk: it reads GOTMPDIR, too, which testing.T.TempDir prefers to TMPDIR.
func filesIn(folder string) []string {
	return []string{"-exec=env TMPDIR=" + folder + " GOTMPDIR=" + folder}
}

// buildBinary builds the declprov that all tests of the second module run, in a folder of their temporary files unless that is "".
// Otherwise, each test process would build it.
func buildBinary(ctx context.Context, root, files string) error {
	if os.Getenv(release.Variable) != "" {
		return nil
	}
	dir, err := release.Folder()
	if files != "" {
		dir = filepath.Join(files, "declprov")
		err = os.Mkdir(dir, 0o755)
	}
	if err != nil {
		return err
	}
	binary, err := release.Build(ctx, root, dir)
	if err != nil {
		return err
	}
	return os.Setenv(release.Variable, binary)
}

// pkg is a package, as `go list` describes it.
type pkg struct {
	ImportPath                         string
	Imports, TestImports, XTestImports []string
}

// slowest lists the packages of both modules that take longest. They start first, so that
// the run does not end with a single slow package.
var slowest = []string{
	"tests/sdks", "tests/roads", "tests/compare", "tests/pages", "tests/model", "tests/mistakes", "tests/secrets", "tests/http/faults", "tests/http/kill",
	"tests/e2e", "tests/http/secrets", "tests/sql", "tests/schema", "tests/outside", "tests/exec/ssh",
	"engine", "actions/sys/process/sandbox", "cmd/declprov", "cmd/declprov/internal/evaluate", "engine/journal", "actions/http", "engine/pulumi", "spec/expr",
}

// list lists the packages of a module, the slowest ones first.
func list(ctx context.Context, dir string, patterns []string) ([]pkg, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-json=ImportPath,Imports,TestImports,XTestImports"}, patterns...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	listed, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the packages of %s: %w", dir, err)
	}
	var out []pkg
	for in := json.NewDecoder(bytes.NewReader(listed)); ; {
		var p pkg
		switch err := in.Decode(&p); {
		case err == io.EOF:
			rank := func(p pkg) int {
				if i := slices.Index(slowest, shortPackage(p.ImportPath)); i >= 0 {
					return i
				}
				return len(slowest)
			}
			slices.SortStableFunc(out, func(a, b pkg) int { return rank(a) - rank(b) })
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("listing the packages of %s: %w", dir, err)
		}
		out = append(out, p)
	}
}

func paths(packages []pkg) []string {
	var out []string
	for _, p := range packages {
		out = append(out, p.ImportPath)
	}
	return out
}

// engine is the package that tests import if declprov runs in their own process.
const engine = "github.com/declprov/declprov/engine"

// raceTested returns the packages of the second module that also run with the race
// detector: those that import the engine, because the race detector cannot observe a
// declprov that runs as a separate process. With whole, it returns all packages.
func raceTested(packages []pkg, whole bool) []pkg {
	return slices.DeleteFunc(slices.Clone(packages), func(p pkg) bool {
		tests := slices.Concat(p.TestImports, p.XTestImports)
		return len(tests) == 0 || !whole && !slices.Contains(append(tests, p.Imports...), engine)
	})
}

// raceDetector returns an error if this machine cannot use -race, which requires a C
// compiler.
func raceDetector(root string) error {
	cc, err := tools.ByName(tools.CCompiler)
	if err != nil {
		return err
	}
	if _, err := cc.Find(root); err != nil {
		return errors.New("it requires a C compiler: run `make test-deps`")
	}
	return nil
}

// exitDelay is the GORACE setting that shortens the end of programs. With the race
// detector, each program waits a second for remaining goroutines, and so does every
// command that is the test program itself, of which there are hundreds.
const exitDelay = "atexit_sleep_ms=10"

// runner runs `go test`.
type runner struct {
	ctx    context.Context
	report *report
	// flags are those of every run.
	flags []string
}

// run runs the tests of one module and adds them to the report. It does not vet them,
// because `make check` does, and omits debug information and symbols: each takes time for
// every package. Two of these run concurrently, each with the given number of packages at
// once. A package runs twice as many tests in parallel as there are processors, because
// many tests wait.
func (r runner) run(dir string, packages int, args ...string) error {
	cmd := exec.CommandContext(r.ctx, "go", slices.Concat([]string{
		"test", "-json", "-timeout=30m", "-vet=off", "-ldflags=-s -w", fmt.Sprint("-p=", packages), fmt.Sprint("-parallel=", 2*runtime.NumCPU()),
	}, r.flags, args)...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	cmd.Env = os.Environ()
	how := ""
	if slices.Contains(args, "-race") {
		how = " -race"
		// Without -race, the user's value applies, as in make check and make mutants.
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1", "GORACE="+exitDelay+" "+os.Getenv("GORACE"))
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return errors.Join(r.report.read(stdout, how), cmd.Wait())
}
