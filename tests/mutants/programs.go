package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/internal/tools"
	"github.com/declprov/declprov/tests/mutants/mutant"
)

// programs are declprov and the tests of each package, compiled once with the edits of all
// rows that can be combined. See combine.
type programs struct {
	declprov string
	tests    map[string]string // by package
	// rows are all rows, numbered from 1.
	rows []numbered
	// alone has the numbers of rows that are compiled separately, broken the compiler
	// errors of rows that do not compile.
	alone  map[int]bool
	broken map[int]string
}

// variants is the build tag of a declprov with the drivers of all families. Without them, it
// would be replaced by a variant that has all mechanisms as soon as it serves a spec that needs one.
const variants = "declprov_sql"

// compile builds the programs in the folder of the bench.
func (b *bench) compile(ctx context.Context, rows []mutant.Mutant) (err error) {
	p := &programs{declprov: filepath.Join(b.runs, "declprov"), tests: map[string]string{}, alone: map[int]bool{}, broken: map[int]string{}}
	for i, m := range rows {
		p.rows = append(p.rows, numbered{m, i + 1})
	}
	b.programs = p
	overlay, err := b.overlay(ctx)
	if err != nil {
		return err
	}
	// The flags are those of the tests, so that no package is compiled twice.
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", release.Tags+","+variants, "-buildvcs=false", "-ldflags=-s -w", "-overlay", overlay, "-o", p.declprov, "./cmd/declprov")
	cmd.Dir = b.root
	if printed, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building declprov: %w\n%s", err, printed)
	}
	var packages []mutant.Mutant
	for _, m := range rows {
		if p.tests[m.Package] == "" {
			p.tests[m.Package] = filepath.Join(b.work, strings.ReplaceAll(m.Package, "/", "-")+".test")
			packages = append(packages, m)
		}
	}
	return each(ctx, b, packages, func(ctx context.Context, _ int, m mutant.Mutant) error {
		if blackBox(m) {
			return b.compileTest(ctx, m.Package, p.tests[m.Package])
		}
		return b.compileTest(ctx, m.Package, p.tests[m.Package], "-overlay", overlay)
	})
}

// overlay writes the combined files, without edits that do not compile, and returns the
// path of the overlay.
func (b *bench) overlay(ctx context.Context) (path string, err error) {
	path = filepath.Join(b.work, "overlay.json")
	for {
		if err := b.combineAll(path); err != nil {
			return "", err
		}
		cmd := exec.CommandContext(ctx, "go", "build", "-overlay", path, "./...")
		cmd.Dir = b.root
		printed, err := cmd.CombinedOutput()
		if err == nil {
			return path, nil
		}
		wrong := brokenRows(string(printed))
		if wrong == nil {
			return "", fmt.Errorf("compiling with the edits of all rows: %w\n%s", err, printed)
		}
		for _, n := range wrong {
			b.programs.broken[n] = linesOf(string(printed), n)
		}
	}
}

// reached is the folder with a file for each row, which is not empty if its edit has run.
func (b *bench) reached() string { return filepath.Join(b.work, "reached") }

// hasRun reports whether the edit of a row has run. It is not known of rows that are compiled
// separately.
func (b *bench) hasRun(m numbered) bool {
	info, err := os.Stat(filepath.Join(b.reached(), strconv.Itoa(m.number)))
	return b.programs.alone[m.number] || err == nil && info.Size() > 0
}

// combineAll writes an overlay with all rows that are not known to be broken.
func (b *bench) combineAll(path string) error {
	byFile := map[string][]numbered{}
	for _, m := range b.programs.rows {
		if b.programs.broken[m.number] == "" {
			byFile[m.File] = append(byFile[m.File], m)
		}
	}
	replace := map[string]string{}
	write := func(of, text string) error {
		to := filepath.Join(b.work, strings.ReplaceAll(of, "/", "-"))
		replace[filepath.Join(b.root, of)] = to
		return os.WriteFile(to, []byte(text), 0o644)
	}
	for file, rows := range byFile {
		source, err := os.ReadFile(filepath.Join(b.root, file))
		if err != nil {
			return err
		}
		text, alone, err := combine(string(source), rows)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, m := range alone {
			b.programs.alone[m.number] = true
		}
		if err := write(file, text); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(b.reached(), 0o755); err != nil {
		return err
	}
	if err := write(switchFolder+"/mutant.go", switchSource(b.reached())); err != nil {
		return err
	}
	plan, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	return errors.Join(err, os.WriteFile(path, plan, 0o644))
}

var ofEdit = regexp.MustCompile(lineMark + `(\d+):`)

// brokenRows returns the numbers of the rows in compiler errors, in order.
func brokenRows(printed string) []int {
	var out []int
	seen := map[string]bool{}
	for _, found := range ofEdit.FindAllStringSubmatch(printed, -1) {
		if n, err := strconv.Atoi(found[1]); err == nil && !seen[found[1]] {
			seen[found[1]] = true
			out = append(out, n)
		}
	}
	return out
}

// linesOf returns the compiler errors about a row.
func linesOf(printed string, number int) string {
	var out []string
	for line := range strings.Lines(printed) {
		if strings.Contains(line, fmt.Sprintf("%s%d:", lineMark, number)) {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

// switchOff copies a program that was compiled with the edits of all rows, and disables one
// mechanism in the copy.
func switchOff(from, to string, number int) error {
	program, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	mark := []byte(switchMark + noneOff)
	if n := bytes.Count(program, mark); n != 1 {
		return fmt.Errorf("%s has %d switches, expected one: check that the test of the row imports the file of the row", filepath.Base(from), n)
	}
	copy(program[bytes.Index(program, mark)+len(switchMark):], fmt.Sprintf("%0*d", len(noneOff), number))
	err = tools.WriteProgram(to, bytes.NewReader(program))
	if err != nil || runtime.GOOS != "darwin" {
		return err
	}
	return exec.Command("codesign", "--force", "--sign", "-", to).Run() // the signature is no longer valid
}
