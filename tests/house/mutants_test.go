package house

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
	"github.com/declprov/declprov/tests/mutants/table"
)

// TestTheTableOfMutantsIsFresh checks that the text of each row occurs once in its file, and
// that its test exists. `make mutants` runs the rows.
func TestTheTableOfMutantsIsFresh(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range table.All() {
		if err := m.Stale(root); err != nil {
			t.Error(err)
		}
	}
}

// TestEveryComplaintHasItsMutants checks that each complaint about HTTP has a test, and that
// each of these tests is in a row.
func TestEveryComplaintHasItsMutants(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "tests", "http", "complaints", "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	var tests []string
	for _, path := range files {
		for _, f := range functions(t, path) {
			if strings.HasPrefix(f.Name.Name, "TestComplaint") {
				tests = append(tests, f.Name.Name)
			}
		}
	}
	noticed := map[int]bool{}
	for _, m := range table.All() {
		if m.Complaint == 0 {
			continue
		}
		if i := slices.Index(tests, m.Test); i >= 0 {
			tests = slices.Delete(tests, i, i+1)
		}
		if named := regexp.MustCompile(`^TestComplaint(\d\d)`).FindStringSubmatch(m.Test); named == nil || named[1] != twoDigits(m.Complaint) {
			t.Errorf("%s: %s is not a test of this complaint", m, m.Test)
		}
		noticed[m.Complaint] = true
	}
	for _, name := range tests {
		t.Errorf("%s is in no row of tests/mutants/table", name)
	}
	// Complaints 26 to 29 are about commands and components, and have no rows here.
	for number := 1; number <= 30; number++ {
		if later := number >= 26 && number <= 29; noticed[number] == later {
			t.Errorf("complaint %d: has a row: %t", number, noticed[number])
		}
	}
}

func twoDigits(n int) string {
	text := strconv.Itoa(n)
	return strings.Repeat("0", max(2-len(text), 0)) + text
}

// TestTheDocumentedMutantIsOne checks that the row in CONTRIBUTING is in the table, and that
// the Makefile has the commands that CONTRIBUTING names.
func TestTheDocumentedMutantIsOne(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "CONTRIBUTING.md"))
	if err != nil {
		t.Fatal(err)
	}
	shown := regexp.MustCompile("(?ms)^```go\n(\\{\n.*?)^```$").FindSubmatch(page)
	if shown == nil {
		t.Fatal("CONTRIBUTING shows no row of tests/mutants/table")
	}
	want := "\t\t" + strings.ReplaceAll(strings.TrimSuffix(string(shown[1]), "\n"), "\n", "\n\t\t") + "\n"
	files, err := filepath.Glob(filepath.Join(root, "tests", "mutants", "table", "*", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := slices.ContainsFunc(files, func(path string) bool {
		text, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(text), want)
	})
	if !found {
		t.Errorf("no file of tests/mutants/table has this row of CONTRIBUTING:\n%s", want)
	}
	rules, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"\nmutants: ", "$(MUTANTSFLAGS)"} {
		if !strings.Contains(string(rules), part) {
			t.Errorf("the Makefile does not contain %q, which CONTRIBUTING refers to", part)
		}
	}
}
