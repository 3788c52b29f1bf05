package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/mutants/table"
)

// TestVerdict: only a failure of the test's own, in the words of the row, counts.
func TestVerdict(t *testing.T) {
	m := table.Mutant{Complaint: 4, Mechanism: "`until` polls", Test: "TestIt", Fails: "1 polls"}
	status := errors.New("exit status 1")
	for name, tc := range map[string]struct {
		printed string
		err     error
		outcome outcome
		says    string
	}{
		"it fails in the row's words": {"=== RUN TestIt\n    it_test.go:1: 1 polls\n--- FAIL: TestIt (0.00s)\nFAIL\n", status, failed, ""},
		"it fails in others":          {"    it_test.go:1: no server\n--- FAIL: TestIt (0.00s)\nFAIL\n", status, failed, "without saying"},
		"it passes":                   {"--- PASS: TestIt (0.00s)\nPASS\n", nil, passed, "it survived"},
		"it is skipped":               {"--- SKIP: TestIt (0.00s)\nPASS\n", nil, leftOut, "is skipped"},
		"a part of it is skipped":     {"--- PASS: TestIt (0.00s)\n    --- SKIP: TestIt/a (0.00s)\nPASS\n", nil, leftOut, "is skipped"},
		"it panics":                   {"--- FAIL: TestIt (0.00s)\npanic: 1 polls\n", status, broken, "breaks"},
		"it takes too long":           {"panic: test timed out after 1m30s\n", status, broken, "breaks"},
		"it does not start":           {"", status, broken, "breaks"},
		"it is not there":             {"testing: warning: no tests to run\nPASS\n", nil, notThere, "does not exist"},
		"nothing of it is there":      {"PASS\n", nil, notThere, "does not exist"},
	} {
		got := outcomeOf(tc.printed, tc.err)
		if got != tc.outcome {
			t.Errorf("%s: it %s, and should be seen to have: %s", name, got, tc.outcome)
		}
		err := verdict(m, got, tc.printed)
		if (err == nil) != (tc.says == "") || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
