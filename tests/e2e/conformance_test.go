// Package e2e runs whole lives of resources through the real Pulumi CLI.
package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// point is one number of the conformance list that the CLI can show.
type point struct {
	number int
	what   string
	show   func(t *testing.T)
}

// TestConformance names every point of the list by its number, so that one can
// be run alone: go test ./e2e -run 'Conformance/43'.
func TestConformance(t *testing.T) {
	for _, p := range allPoints() {
		t.Run(fmt.Sprintf("%d %s", p.number, p.what), func(t *testing.T) {
			t.Parallel()
			p.show(t)
		})
	}
}

func allPoints() []point {
	return slices.Concat(processes(), configuration(), shapes(), checking(), diffing(), changing(), reading(), functions())
}

// files is a stack with the provider that examples/files.cue is.
func files(t *testing.T, env ...string) *pulumitest.Stack {
	t.Helper()
	return pulumitest.New(t, pulumitest.Providers{"files": provider.Folder(t, "files", "examples/files.cue")}, env...)
}

// testdata is a stack with a provider of this package's testdata.
func testdata(t *testing.T, name string, env ...string) *pulumitest.Stack {
	t.Helper()
	return pulumitest.New(t, pulumitest.Providers{name: provider.Folder(t, name, "tests/e2e/testdata/"+name+".cue")}, env...)
}

// resources is a program of these resources.
func resources(each ...string) string { return "resources:\n" + strings.Join(each, "") }

// file is a file named after its resource; further lines are properties, or
// from a line that starts with "options" on, options.
func file(name, content string, more ...string) string {
	return resource(name, "files:File", append([]string{"path: " + name + ".txt", "content: " + content}, more...)...)
}

// resource is one resource of a program. Lines from one that starts with
// "options" on stand beside the properties.
func resource(name, token string, lines ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s:\n    type: %s\n    properties:\n", name, token)
	indent := "      "
	for _, line := range lines {
		if strings.HasPrefix(line, "options") {
			indent = "    "
		}
		b.WriteString(indent + line + "\n")
	}
	return b.String()
}

// holds fails unless the program's folder has exactly these files.
func holds(t *testing.T, s *pulumitest.Stack, want map[string]string) {
	t.Helper()
	got := s.Files()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Fatalf("files %v, want %v", got, want)
	}
}

// says fails unless one of the messages has all of the words.
func says(t *testing.T, messages []string, words ...string) {
	t.Helper()
	for _, m := range messages {
		missing := 0
		for _, w := range words {
			if !strings.Contains(m, w) {
				missing++
			}
		}
		if missing == 0 {
			return
		}
	}
	t.Fatalf("no message has all of %q:\n%s", words, strings.Join(messages, "\n"))
}

// elsewhere are the points that other packages show, by number.
func elsewhere() map[int]struct{ file, test string } {
	return map[int]struct{ file, test string }{
		9:  {"tests/exec/kill/kill_test.go", "TestPulumiIsInterrupted"},
		7:  {"engine/pulumi/operation_test.go", "TestPanic"},
		11: {"tests/schema/examples_test.go", "TestExamplesBind"},
		18: {"tests/schema/sdk_test.go", "TestSDKsCompile"},
	}
}

// TestEveryPointIsShown holds the table to the list: 12 to 15 are about
// parameters, which specs do not have yet.
func TestEveryPointIsShown(t *testing.T) {
	shown := map[int]bool{}
	for _, p := range allPoints() {
		shown[p.number] = true
	}
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	for number, at := range elsewhere() {
		text, err := os.ReadFile(filepath.Join(root, at.file))
		if err != nil || !strings.Contains(string(text), "func "+at.test+"(") {
			t.Errorf("%d: %s has no %s", number, at.file, at.test)
		}
		shown[number] = true
	}
	notYet := []int{12, 13, 14, 15}
	for number := 1; number <= 68; number++ {
		if shown[number] == slices.Contains(notYet, number) {
			t.Errorf("point %d: shown is %t", number, shown[number])
		}
	}
}
