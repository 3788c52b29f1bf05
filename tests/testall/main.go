// Testall runs every test of both modules that this machine's tools allow, and
// ends with what it left out and how to bring that. `make test` runs it.
//
// What was left out is read from the tests' own events, so that no skip,
// whoever wrote it, goes unseen. With DECLPROV_NO_SKIP=1 a skip is a failure.
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
	"sync"

	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/internal/tools"
)

func main() {
	verbose := flag.Bool("v", false, "print what every test prints, as `go test -v` does")
	whole := flag.Bool("whole", false, "with the race detector also what runs declprov as a program")
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
	race := []string{"-race"}
	if err := raceDetector(root); err != nil {
		race = nil
		r.leaveOut("the race detector", err.Error())
	}
	if err := oneBinary(ctx, root); err != nil {
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
	// The modules run side by side, so that a package that is still at work when all
	// others of its module are done leaves no processor idle.
	var product, raced, outside error
	var both sync.WaitGroup
	cores := runtime.NumCPU()
	both.Go(func() {
		product = goTest(ctx, root, cores, append(race, paths(products)...), r)
		if watched := watched(others, whole); race != nil && len(watched) > 0 {
			raced = goTest(ctx, tests, cores, append([]string{"-race", "-count=1"}, paths(watched)...), r)
		}
	})
	both.Go(func() {
		// The tests of the second module run programs that are built from the
		// first, which Go's cache of test results does not know: -count=1. They take
		// longer in all, and wait more.
		outside = goTest(ctx, tests, cores+1, append([]string{"-count=1"}, paths(others)...), r)
	})
	both.Wait()
	r.summary()
	switch {
	case product != nil || raced != nil || outside != nil || r.failed > 0:
		return errors.New("tests failed")
	case os.Getenv(tools.NoSkip) == "1" && len(r.left) > 0:
		return fmt.Errorf("tests were left out, and %s=1 forbids it", tools.NoSkip)
	}
	return nil
}

// oneBinary builds the declprov that all tests of the second module run: each of
// their processes would link one of its own.
func oneBinary(ctx context.Context, root string) error {
	if os.Getenv(release.Variable) != "" {
		return nil
	}
	binary, err := release.Build(ctx, root)
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

// slowest are the packages that take longest, of both modules: they start first, since
// what starts last is waited for alone.
var slowest = []string{
	"tests/model", "tests/compare", "tests/http/faults", "tests/http/kill", "tests/e2e", "tests/http/secrets", "tests/outside", "tests/exec/ssh",
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

// engine is what the tests are about whose own process has declprov in it.
const engine = "github.com/declprov/declprov/engine"

// watched are the packages of the second module that run with the race detector, too:
// those with the engine in the process of the tests. It sees nothing of a declprov that
// runs as a program, as for all others, unless the whole was asked for.
func watched(packages []pkg, whole bool) []pkg {
	return slices.DeleteFunc(slices.Clone(packages), func(p pkg) bool {
		tests := slices.Concat(p.TestImports, p.XTestImports)
		return len(tests) == 0 || !whole && !slices.Contains(append(tests, p.Imports...), engine)
	})
}

// raceDetector says why -race cannot be had, if it cannot: it takes a C
// compiler to link.
func raceDetector(root string) error {
	cc, err := tools.Named(tools.CCompiler)
	if err != nil {
		return err
	}
	if _, err := cc.Find(root); err != nil {
		return errors.New("there is no C compiler to link it with: run `make test-deps`")
	}
	return nil
}

// brief has programs end soon after their tests: with the race detector each waits a
// second for goroutines that are left, and so does every command that is this program
// once more, of which there are hundreds.
const brief = "atexit_sleep_ms=10"

// gcPercent is the GOGC of all that the tests run, if the user has set none: there is
// memory, and most processes, Pulumi's CLI first of all, end before they need it back.
const gcPercent = "400"

// goTest runs one module's tests into the report. They are not vetted, as that is for
// `make check`, and not linked for a debugger: both take seconds for each package.
// Two of these run side by side, each with so many packages at once, and a package with
// twice as many tests as there are processors, since many wait now and then.
func goTest(ctx context.Context, dir string, packages int, args []string, r *report) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{
		"test", "-json", "-timeout=20m", "-vet=off", "-ldflags=-w", fmt.Sprint("-p=", packages), fmt.Sprint("-parallel=", 2*runtime.NumCPU()),
	}, args...)...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	cmd.Env = os.Environ()
	if os.Getenv("GOGC") == "" {
		cmd.Env = append(cmd.Env, "GOGC="+gcPercent)
	}
	how := ""
	if slices.Contains(args, "-race") {
		how = " -race"
		// Without, it is as the user has it: as make check and make mutants compile.
		cmd.Env = append(cmd.Env, "CGO_ENABLED=1", "GORACE="+brief+" "+os.Getenv("GORACE"))
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return errors.Join(r.read(stdout, how), cmd.Wait())
}
