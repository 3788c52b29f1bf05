package tools

import (
	"errors"
	"fmt"
	"os"
	"testing"
)

// NoSkip is the environment variable that forbids skipping tests. .ci/run sets it to 1.
const NoSkip = "DECLPROV_NO_SKIP"

// Need returns the path of a tool that the test requires. If it is missing, the test is
// skipped, with the command that installs it or the reason why none does, and is listed at
// the end of `make test`. If skips are forbidden, the test fails.
func Need(t testing.TB, name string) string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	tool, err := ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	return need(t, tool, root)
}

func need(t testing.TB, tool Tool, root string) string {
	t.Helper()
	path, err := tool.Find(root)
	if err == nil {
		return path
	}
	what := fmt.Sprintf("%s is missing (%s): run `make test-deps`", tool.Name, tool.For)
	if !errors.Is(err, ErrMissing) {
		what = fmt.Sprintf("%s is needed (%s): %v", tool.Name, tool.For, err)
	}
	known := errors.Is(err, ErrMissing) || errors.Is(err, ErrImpossible)
	if known && os.Getenv(NoSkip) != "1" {
		t.Skipf("%s", what)
	} else {
		t.Fatalf("%s", what)
	}
	return ""
}
