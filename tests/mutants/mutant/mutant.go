// Package mutant describes an edit that disables a mechanism, and the test that then fails.
package mutant

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Mutant is a mechanism, the edit that disables it, and the test that then fails. A test
// that passes with the mechanism disabled is hollow.
type Mutant struct {
	// Complaint is the number of the complaint about other tools that the mechanism
	// resolves; 0 for other promises. Several mechanisms may resolve one complaint.
	Complaint int
	// Promise is a promise to users, Mechanism what keeps it, both in plain words.
	Promise, Mechanism string
	// File is the path of a source file in the repository. It must contain Find exactly
	// once, which is replaced by Replace.
	File, Find, Replace string
	// Package is the path of the test's folder in the repository. Tests below tests/ run
	// the changed declprov as a separate process; others are compiled with the change.
	// Both applies to Model.
	Package string
	// Test is the name of the test, with the beginning of a subtest's name after each slash.
	Test string
	// Fails is a text in the failure message. Other failures do not count.
	Fails string
}

const (
	// Model is the package of the model.
	Model = "tests/model"
	// EndToEnd has the points of the conformance list, by number.
	EndToEnd = "tests/e2e"
	// Complaints has the tests that are named after complaints about other generic providers, by number. The promise of a row says the opposite.
	Complaints = "tests/http/complaints"
)

// ImportEngine are the packages in tests whose tests import the engine, and may also run declprov as a process. The others
// only do the latter.
var ImportEngine = []string{Model, "tests/sql"}

// InEngine returns a row whose test is one of the engine.
func InEngine(promise, mechanism, file, find, replace, test, fails string) Mutant {
	return Mutant{Promise: promise, Mechanism: mechanism, File: file, Find: find, Replace: replace, Package: "engine", Test: test, Fails: fails}
}

// String returns the name of the row.
func (m Mutant) String() string {
	if m.Complaint > 0 {
		return fmt.Sprintf("complaint %d: %s", m.Complaint, m.Mechanism)
	}
	return m.Mechanism
}

// Apply returns the content of the file with the mechanism disabled.
func (m Mutant) Apply(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, m.File))
	if err != nil {
		return "", fmt.Errorf("%s: %w", m, err)
	}
	if n := strings.Count(string(text), m.Find); n != 1 {
		return "", fmt.Errorf("%s: %s contains this text %d times, expected once: %q; update the row in tests/mutants/table", m, m.File, n, m.Find)
	}
	return strings.Replace(string(text), m.Find, m.Replace, 1), nil
}

// Stale returns an error if the row is out of date: its text is not in its file, its test
// is not in its package, or a field is empty.
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
	return errors.Join(failed, m.checkTest(root))
}

// checkTest returns an error if the package does not have the test.
func (m Mutant) checkTest(root string) error {
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
	return fmt.Errorf("%s: %s has no test %s", m, m.Package, top)
}

// Pattern returns the pattern of the test for `go test -run`.
func (m Mutant) Pattern() string {
	parts := strings.Split(strings.ReplaceAll(m.Test, " ", "_"), "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part)
	}
	parts[0] += "$"
	return strings.Join(parts, "/")
}
