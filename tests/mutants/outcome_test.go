package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/mutants/mutant"
)

// TestVerdict checks that only a failure of the test itself, with the text of the row, counts.
func TestVerdict(t *testing.T) {
	m := mutant.Mutant{Complaint: 4, Mechanism: "`until` polls", Test: "TestIt", Fails: "1 polls"}
	status := errors.New("exit status 1")
	for name, tc := range map[string]struct {
		printed string
		err     error
		outcome outcome
		says    string
	}{
		"fails with the text of the row": {"=== RUN TestIt\n    it_test.go:1: 1 polls\n--- FAIL: TestIt (0.00s)\nFAIL\n", status, failed, ""},
		"fails with another text":        {"    it_test.go:1: no server\n--- FAIL: TestIt (0.00s)\nFAIL\n", status, failed, "does not contain"},
		"passes":                         {"--- PASS: TestIt (0.00s)\nPASS\n", nil, passed, "make the test stricter"},
		"is skipped":                     {"--- SKIP: TestIt (0.00s)\nPASS\n", nil, leftOut, "is skipped"},
		"a subtest is skipped":           {"--- PASS: TestIt (0.00s)\n    --- SKIP: TestIt/a (0.00s)\nPASS\n", nil, leftOut, "is skipped"},
		"panics":                         {"--- FAIL: TestIt (0.00s)\npanic: 1 polls\n", status, broken, "breaks"},
		"times out":                      {"panic: test timed out after 1m30s\n", status, broken, "breaks"},
		"does not start":                 {"", status, broken, "breaks"},
		"does not exist":                 {"testing: warning: no tests to run\nPASS\n", nil, notThere, "does not exist"},
		"no subtest exists":              {"PASS\n", nil, notThere, "does not exist"},
	} {
		got := outcomeOf(tc.printed, tc.err)
		if got != tc.outcome {
			t.Errorf("%s: the outcome is %q, want %q", name, got, tc.outcome)
		}
		err := verdict(m, got, true, tc.printed)
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestVerdictOfCodeThatNeverRan checks that no outcome counts if the edited code did not run.
func TestVerdictOfCodeThatNeverRan(t *testing.T) {
	m := mutant.Mutant{Test: "TestIt", Fails: "1 polls", File: "engine/until.go"}
	for _, got := range []outcome{passed, failed} {
		if err := verdict(m, got, false, "1 polls"); err == nil || !strings.Contains(err.Error(), "never runs the edited code") {
			t.Errorf("%s: %v", got, err)
		}
	}
}
