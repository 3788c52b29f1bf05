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

// TestTheTableOfMutantsIsFresh: each row finds its text once, and its test. What
// comes of the row, `make mutants` tells.
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

// TestEveryComplaintHasItsMutants: each complaint that is about HTTP has a test,
// and each of these tests is the one that notices something.
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
			t.Errorf("%s: %s is no test of it", m, m.Test)
		}
		noticed[m.Complaint] = true
	}
	for _, name := range tests {
		t.Errorf("%s stands for no mechanism of tests/mutants/table", name)
	}
	// The others are about commands and components, which specs do not have yet.
	for number := 1; number <= 30; number++ {
		if later := number >= 26 && number <= 29; noticed[number] == later {
			t.Errorf("complaint %d: that it has a mechanism is %t", number, noticed[number])
		}
	}
}

func twoDigits(n int) string {
	text := strconv.Itoa(n)
	return strings.Repeat("0", max(2-len(text), 0)) + text
}

// TestTheDocumentedMutantIsOne: CONTRIBUTING shows a row of the table as it
// stands there, and the commands that it names are the Makefile's.
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
	files, err := filepath.Glob(filepath.Join(root, "tests", "mutants", "table", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := slices.ContainsFunc(files, func(path string) bool {
		text, err := os.ReadFile(path)
		return err == nil && strings.Contains(string(text), want)
	})
	if !found {
		t.Errorf("no file of tests/mutants/table has the row that CONTRIBUTING shows:\n%s", want)
	}
	rules, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"\nmutants: ", "$(MUTANTSFLAGS)"} {
		if !strings.Contains(string(rules), part) {
			t.Errorf("the Makefile has no %q, of which CONTRIBUTING tells", part)
		}
	}
}
