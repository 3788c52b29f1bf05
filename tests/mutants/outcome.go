package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/declprov/declprov/tests/mutants/table"
)

// outcome is how a test ended.
type outcome string

const (
	passed  outcome = "passes"
	failed  outcome = "fails"
	leftOut outcome = "is skipped"
	// notThere is a row that names no test, by mistake.
	notThere outcome = "does not exist"
	// broken is a test that ended in another way than by its own judgement: a
	// panic, too much time.
	broken outcome = "breaks"
)

var (
	anyFailed  = regexp.MustCompile(`(?m)^\s*--- FAIL: `)
	anyPassed  = regexp.MustCompile(`(?m)^\s*--- PASS: `)
	anySkipped = regexp.MustCompile(`(?m)^\s*--- SKIP: `)
	anyPanic   = regexp.MustCompile(`(?m)^panic: `)
)

// outcomeOf reads what `go test -v` printed.
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

// verdict is nil where the test missed the mechanism in the words of its row.
func verdict(m table.Mutant, got outcome, printed string) error {
	switch {
	case got == passed:
		return fmt.Errorf("%s: it survived: %s %s passes with %q in the place of %q of %s; the test has to look closer", m, m.Package, m.Test, m.Replace, m.Find, m.File)
	case got != failed:
		return fmt.Errorf("%s: %s %s %s, and should fail by itself:\n%s", m, m.Package, m.Test, got, printed)
	case !strings.Contains(printed, m.Fails):
		return fmt.Errorf("%s: %s %s fails without saying %q:\n%s", m, m.Package, m.Test, m.Fails, printed)
	default:
		return nil
	}
}
