package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/mutants/table"
)

// longest is how long one test may take: they take a second or two.
const longest = 90 * time.Second

// outside is where the tests are that run declprov as a program.
const outside = "tests"

func blackBox(m table.Mutant) bool {
	return strings.HasPrefix(m.Package, outside+"/") && m.Package != table.Model
}

// compileTest compiles the tests of a package of either module.
func (b *bench) compileTest(ctx context.Context, pkg, to string, flags ...string) error {
	dir := b.root
	if inner, ok := strings.CutPrefix(pkg, outside+"/"); ok {
		dir, pkg = filepath.Join(b.root, outside), inner
	}
	args := append([]string{"test", "-c", "-vet=off", "-ldflags=-s -w", "-o", to}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+pkg)...)
	cmd.Dir = dir
	if printed, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("compiling the tests of %s: %w\n%s", pkg, err, printed)
	}
	return nil
}

// asItIs runs a row's test with nothing switched off.
func (b *bench) asItIs(ctx context.Context, i int, m table.Mutant) (outcome, error) {
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

// switchedOff runs a row's test without the mechanism. It must fail, in the words
// of the row.
func (b *bench) switchedOff(ctx context.Context, _ int, m numbered) error {
	began := time.Now()
	dir, err := b.folder("off", m.number)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program, binary, err := b.without(ctx, dir, m)
	if err != nil {
		b.say("BROKEN   %s: with its edit it does not compile: %v\n", m, err)
		return fmt.Errorf("%s: it does not compile", m)
	}
	got, printed := b.runTest(ctx, dir, program, binary, m.Mutant)
	if b.verbose {
		b.say("%s\n", printed)
	}
	took := time.Since(began).Seconds()
	if err := verdict(m.Mutant, got, printed); err != nil {
		b.say("HOLLOW   %s: %s (%.1f s)\n%v\n", m.Test, m, took, err)
		return fmt.Errorf("%s: %s", m.Test, m)
	}
	b.say("noticed  %s: %s (%.1f s)\n", m.Test, m, took)
	return nil
}

// without gives the tests and the declprov of a row, with its mechanism off: of tests
// that run declprov as a program only that, of others the tests, of the model's both.
func (b *bench) without(ctx context.Context, dir string, m numbered) (program, binary string, err error) {
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
	if blackBox(m.Mutant) || m.Package == table.Model {
		binary, err = build(binary, "declprov", func(to string, flags ...string) error {
			return release.BuildTo(ctx, b.root, to, append(flags, "-buildvcs=false")...)
		})
	}
	return program, binary, err
}

// alone writes the overlay of a row that cannot be combined with others.
func (b *bench) alone(dir string, m table.Mutant) (overlay string, err error) {
	text, err := m.Apply(b.root)
	if err != nil {
		return "", err
	}
	changed, overlay := filepath.Join(dir, "changed.go"), filepath.Join(dir, "overlay.json")
	plan, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(b.root, m.File): changed}})
	return overlay, errors.Join(err, os.WriteFile(changed, []byte(text), 0o644), os.WriteFile(overlay, plan, 0o644))
}

// folder makes a folder for one try. Everything that it writes is below.
func (b *bench) folder(kind string, i int) (string, error) {
	dir := filepath.Join(b.work, fmt.Sprintf("%s-%d", kind, i))
	return dir, os.MkdirAll(filepath.Join(dir, "tmp"), 0o755)
}

// runTest runs a row's test, where its package stands, against a declprov. That
// one keeps no compiled specs of another's.
func (b *bench) runTest(ctx context.Context, dir, program, binary string, m table.Mutant) (outcome, string) {
	cmd := exec.CommandContext(ctx, program, "-test.v", "-test.count=1", "-test.timeout="+longest.String(), "-test.run="+m.Pattern())
	cmd.Dir = filepath.Join(b.root, m.Package)
	cmd.Env = append(os.Environ(), release.Variable+"="+binary,
		"DECLPROV_CACHE="+filepath.Join(dir, "cache"), "TMPDIR="+filepath.Join(dir, "tmp"))
	printed, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.ETXTBSY) { // a process that is being started has the file open for a moment
		time.Sleep(50 * time.Millisecond)
		return b.runTest(ctx, dir, program, binary, m)
	}
	return outcomeOf(string(printed), err), string(printed)
}
