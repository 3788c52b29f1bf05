package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/mutants/mutant"
)

// testTimeout is the time limit of one test. Most take a second or two.
const testTimeout = 90 * time.Second

// testsFolder has the tests that run declprov as a separate process.
const testsFolder = "tests"

func blackBox(m mutant.Mutant) bool {
	return strings.HasPrefix(m.Package, testsFolder+"/") && !slices.Contains(mutant.ImportEngine, m.Package)
}

// compileTest compiles the tests of a package of either module.
func (b *bench) compileTest(ctx context.Context, pkg, to string, flags ...string) error {
	dir := b.root
	if inner, ok := strings.CutPrefix(pkg, testsFolder+"/"); ok {
		dir, pkg = filepath.Join(b.root, testsFolder), inner
	}
	args := append([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", to}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+pkg)...)
	cmd.Dir = dir
	if printed, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling the tests of %s: %w\n%s", pkg, err, printed)
	}
	return nil
}

// runUnchanged runs the test of a row with all mechanisms enabled.
func (b *bench) runUnchanged(ctx context.Context, i int, m mutant.Mutant) (outcome, error) {
	dir, err := b.folder("as-it-is", i)
	if err != nil {
		return failed, err
	}
	defer os.RemoveAll(dir)
	got, printed := b.runTest(ctx, dir, b.programs.tests[m.Package], b.programs.declprov, m)
	if got == passed || got == leftOut {
		return got, nil
	}
	return got, fmt.Errorf("%s %s %s:\n%s", m.Package, m.Test, got, printed)
}

// runSwitchedOff runs the test of a row with its mechanism disabled. It must fail with the
// text of the row.
func (b *bench) runSwitchedOff(ctx context.Context, _ int, m numbered) error {
	began := time.Now()
	dir, err := b.folder("off", m.number)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, binary, err := b.programsFor(ctx, dir, m)
	if err != nil {
		b.printf("BROKEN   %s: the edit does not compile: %v\n", m, err)
		return fmt.Errorf("%s: the edit does not compile", m)
	}
	got, printed := b.runTest(ctx, dir, program, binary, m.Mutant)
	if b.verbose {
		b.printf("%s\n", printed)
	}
	took := time.Since(began).Seconds()
	if err := verdict(m.Mutant, got, b.hasRun(m), printed); err != nil {
		b.printf("HOLLOW   %s: %s (%.1f s)\n%v\n", m.Test, m, took, err)
		return fmt.Errorf("%s: %s", m.Test, m)
	}
	b.printf("noticed  %s: %s (%.1f s)\n", m.Test, m, took)
	return nil
}

// programsFor returns the test program and the declprov of a row, with its mechanism
// disabled: in declprov if the tests run it as a separate process, in the test program if they import the
// engine, and in both if they do both.
func (b *bench) programsFor(ctx context.Context, dir string, m numbered) (program, binary string, err error) {
	if said := b.programs.broken[m.number]; said != "" {
		return "", "", errors.New(said)
	}
	program, binary = b.programs.tests[m.Package], b.programs.declprov
	build := func(of, to string, compile func(to string, flags ...string) error) (string, error) {
		to = filepath.Join(dir, to)
		if !b.programs.alone[m.number] {
			return to, switchOff(of, to, m.number)
		}
		overlay, err := b.alone(dir, m.Mutant)
		if err != nil {
			return "", err
		}
		return to, compile(to, "-overlay", overlay)
	}
	if !blackBox(m.Mutant) {
		if program, err = build(program, "unit.test", func(to string, flags ...string) error {
			return b.compileTest(ctx, m.Package, to, flags...)
		}); err != nil {
			return "", "", err
		}
	}
	if strings.HasPrefix(m.Package, testsFolder+"/") {
		binary, err = build(binary, "declprov", func(to string, flags ...string) error {
			return release.BuildTo(ctx, b.root, to, append(flags, "-buildvcs=false", "-tags", release.Tags+","+variants)...)
		})
	}
	return program, binary, err
}

// alone writes the overlay of a row that cannot be combined with others.
func (b *bench) alone(dir string, m mutant.Mutant) (overlay string, err error) {
	text, err := m.Apply(b.root)
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	plan, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(b.root, m.File): changed}})
	return overlay, errors.Join(err, os.WriteFile(changed, []byte(text), 0o644), os.WriteFile(overlay, plan, 0o644))
}

// folder creates a folder for one run, which contains all files that it writes.
func (b *bench) folder(kind string, i int) (string, error) {
	dir := filepath.Join(b.runs, fmt.Sprintf("%s-%d", kind, i))
	return dir, os.MkdirAll(filepath.Join(dir, "tmp"), 0o755)
}

// runTest runs the test of a row in the folder of its package, with the given declprov and
// a separate cache of compiled specs.
func (b *bench) runTest(ctx context.Context, dir, program, binary string, m mutant.Mutant) (outcome, string) {
	cmd := exec.CommandContext(ctx, program, "-test.v", "-test.count=1", "-test.timeout="+testTimeout.String(), "-test.run="+m.Pattern())
	cmd.Dir = filepath.Join(b.root, m.Package)
	files := filepath.Join(dir, "tmp")
	cmd.Env = append(os.Environ(), release.Variable+"="+binary, "DECLPROV_CACHE="+filepath.Join(dir, "cache"), "TMPDIR="+files, "GOTMPDIR="+files)
	// The cases of a property are the same in every run, so that a row is not noticed by luck. The smallest failure is not sought.
	cmd.Env = append(cmd.Env, "RAPID_SEED=1", "RAPID_SHRINKTIME=0s", "RAPID_NOFAILFILE=true")
	printed, err := cmd.CombinedOutput()
	return outcomeOf(string(printed), err), string(printed)
}
