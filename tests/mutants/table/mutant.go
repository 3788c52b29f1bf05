// Package table lists what declprov promises, the mechanism that keeps each
// promise, and the test that must notice when that mechanism is switched off.
// `make mutants` switches off one after the other.
package table

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Mutant is a mechanism, the edit that switches it off, and the test that fails
// then. A test that does not is hollow: it would pass without what it is there
// for.
type Mutant struct {
	// Complaint is the number of the complaint about other tools that the
	// mechanism answers; 0 for other promises. Several mechanisms may answer one.
	Complaint int
	// Promise is what a user is promised, Mechanism what keeps it, in plain words.
	Promise, Mechanism string
	// File is a source file, from the repository's top. Find stands in it exactly
	// once; Replace is put in its place.
	File, Find, Replace string
	// Package is the folder of the test, from the repository's top. Below tests/
	// it gets the changed declprov as a program, elsewhere it is compiled with the
	// change. Model is both.
	Package string
	// Test is the test, with the beginning of a subtest's name behind each slash.
	Test string
	// Fails is what the failure says, so that no other failure is taken for it.
	Fails string
}

// Model is the package that has the engine both inside and as a program.
const Model = "tests/model"

// All are the rows of the table, in the order in which they read best.
func All() []Mutant {
	return slices.Concat(
		ofState(),
		ofExchanges(),
		ofFailures(),
		ofAuthors(),
		ofSecrets(),
		ofPlans(),
		ofLives(),
		ofIdentity(),
		ofJournals(),
		ofModel(),
		ofConfinement(),
		ofOutside(),
		ofBudgets(),
		ofCompilation(),
		ofSandbox(),
		ofScreens(),
		ofNames(),
		ofProof(),
		ofMatrix(),
		ofPromises(),
		ofGrants(),
	)
}

// String names the row.
func (m Mutant) String() string {
	if m.Complaint > 0 {
		return fmt.Sprintf("complaint %d: %s", m.Complaint, m.Mechanism)
	}
	return m.Mechanism
}

// Apply is the file with the mechanism switched off.
func (m Mutant) Apply(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, m.File))
	if err != nil {
		return "", fmt.Errorf("%s: %w", m, err)
	}
	if n := strings.Count(string(text), m.Find); n != 1 {
		return "", fmt.Errorf("%s: %s has this %d times, and should have it once: %q; bring the row in tests/mutants/table up to date", m, m.File, n, m.Find)
	}
	return strings.Replace(string(text), m.Find, m.Replace, 1), nil
}

// Stale says what is wrong with the row before anything is built: its text is
// not in its file, its test not in its package, a field empty.
func (m Mutant) Stale(root string) error {
	var failed error
	for name, value := range map[string]string{"Promise": m.Promise, "Mechanism": m.Mechanism, "Fails": m.Fails} {
		if value == "" {
			failed = errors.Join(failed, fmt.Errorf("%s: %s is empty", m, name))
		}
	}
	if _, err := m.Apply(root); err != nil {
		failed = errors.Join(failed, err)
	}
	return errors.Join(failed, m.named(root))
}

// named is nil where the test is in its package.
func (m Mutant) named(root string) error {
	files, err := filepath.Glob(filepath.Join(root, m.Package, "*_test.go"))
	if err != nil {
		return err
	}
	top, _, _ := strings.Cut(m.Test, "/")
	declared := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(top) + `\(`)
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if declared.Match(text) {
			return nil
		}
	}
	return fmt.Errorf("%s: %s has no %s", m, m.Package, top)
}

// Pattern is the test for `go test -run`.
func (m Mutant) Pattern() string {
	parts := strings.Split(strings.ReplaceAll(m.Test, " ", "_"), "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part)
	}
	parts[0] += "$"
	return strings.Join(parts, "/")
}
