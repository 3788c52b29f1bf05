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
	product := goTest(ctx, root, append(race, patterns...), r)
	// The tests of the second module run programs that are built from the
	// first, which Go's cache of test results does not know: -count=1.
	tests := filepath.Join(root, "tests")
	watched, err := listWatched(ctx, tests, patterns, whole)
	if err != nil {
		return err
	}
	var raced error
	if race != nil && len(watched) > 0 {
		raced = goTest(ctx, tests, append([]string{"-race", "-count=1"}, watched...), r)
	}
	outside := goTest(ctx, tests, append([]string{"-count=1"}, patterns...), r)
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

// engine is what the tests are about whose own process has declprov in it.
const engine = "github.com/declprov/declprov/engine"

// listWatched lists the packages of the second module that run with the race detector,
// too: those with the engine in the process of the tests. It sees nothing of a declprov
// that runs as a program, as for all others, unless the whole was asked for.
func listWatched(ctx context.Context, dir string, patterns []string, whole bool) ([]string, error) {
	cmd := exec.CommandContext(ctx, "go", append([]string{"list", "-json=ImportPath,Imports,TestImports,XTestImports"}, patterns...)...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	listed, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing the packages of %s: %w", dir, err)
	}
	var out []string
	for in := json.NewDecoder(bytes.NewReader(listed)); ; {
		var pkg struct {
			ImportPath                         string
			Imports, TestImports, XTestImports []string
		}
		switch err := in.Decode(&pkg); {
		case err == io.EOF:
			return out, nil
		case err != nil:
			return nil, fmt.Errorf("listing the packages of %s: %w", dir, err)
		}
		tests := slices.Concat(pkg.TestImports, pkg.XTestImports)
		if len(tests) > 0 && (whole || slices.Contains(append(tests, pkg.Imports...), engine)) {
			out = append(out, pkg.ImportPath)
		}
	}
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

// goTest runs one module's tests into the report. They are not vetted, as that is for
// `make check`, and not linked for a debugger: both take seconds for each package.
// One package more than there are processors is at work, since many wait now and then.
func goTest(ctx context.Context, dir string, args []string, r *report) error {
	cmd := exec.CommandContext(ctx, "go", append([]string{
		"test", "-json", "-timeout=20m", "-vet=off", "-ldflags=-w", fmt.Sprint("-p=", runtime.NumCPU()+1),
	}, args...)...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	if slices.Contains(args, "-race") {
		// Without, it is as the user has it: as make check and make mutants compile.
		cmd.Env = append(os.Environ(), "CGO_ENABLED=1")
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	return errors.Join(r.read(stdout), cmd.Wait())
}
