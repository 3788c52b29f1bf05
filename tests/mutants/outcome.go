package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/declprov/declprov/tests/mutants/mutant"
)

// outcome is how a test ended.
type outcome string

const (
	passed  outcome = "passes"
	failed  outcome = "fails"
	leftOut outcome = "is skipped"
	// notThere means that the row names a test that does not exist.
	notThere outcome = "does not exist"
	// broken means that the test did not end by itself: a panic or a timeout.
	broken outcome = "breaks"
)

var (
	anyFailed  = regexp.MustCompile(`(?m)^\s*--- FAIL: `)
	anyPassed  = regexp.MustCompile(`(?m)^\s*--- PASS: `)
	anySkipped = regexp.MustCompile(`(?m)^\s*--- SKIP: `)
	anyPanic   = regexp.MustCompile(`(?m)^panic: `)
)

// outcomeOf returns the outcome in the output of `go test -v`.
func outcomeOf(printed string, err error) outcome {
	switch {
	case strings.Contains(printed, "testing: warning: no tests to run"):
		return notThere
	case anyPanic.MatchString(printed):
		return broken
	case err != nil && anyFailed.MatchString(printed):
		return failed
	case err != nil:
		return broken
	case anySkipped.MatchString(printed):
		return leftOut
	case anyPassed.MatchString(printed):
		return passed
	default:
		return notThere
	}
}

// verdict returns nil if the test failed with the text of its row after the edit had run, and an
// error otherwise.
func verdict(m mutant.Mutant, got outcome, hasRun bool, printed string) error {
	switch {
	case got == passed && !hasRun:
		return fmt.Errorf("%s: %s %s passes, and never runs the edited code of %s; choose a test that does", m, m.Package, m.Test, m.File)
	case got == failed && !hasRun:
		return fmt.Errorf("%s: %s %s fails, but never runs the edited code of %s: it fails for another reason\n%s", m, m.Package, m.Test, m.File, printed)
	case got == passed:
		return fmt.Errorf("%s: %s %s passes with %q instead of %q in %s; make the test stricter", m, m.Package, m.Test, m.Replace, m.Find, m.File)
	case got != failed:
		return fmt.Errorf("%s: %s %s %s, expected a failure of the test itself:\n%s", m, m.Package, m.Test, got, printed)
	case !strings.Contains(printed, m.Fails):
		return fmt.Errorf("%s: the failure of %s %s does not contain %q:\n%s", m, m.Package, m.Test, m.Fails, printed)
	default:
		return nil
	}
}
