package tools

import (
	"errors"
	"os"
	"testing"
)

// NoSkip is the environment variable that forbids leaving tests out; .ci/run
// sets it to 1.
const NoSkip = "DECLPROV_NO_SKIP"

// Need is the path of a tool that the test cannot do without. Where it is
// missing the test is skipped, with the command that brings it, and listed at
// the end of `make test`; where skips are forbidden it fails.
func Need(t testing.TB, name string) string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	tool, err := Named(name)
	if err != nil {
		t.Fatal(err)
	}
	return need(t, tool, root)
}

func need(t testing.TB, tool Tool, root string) string {
	t.Helper()
	path, err := tool.Find(root)
	switch {
	case err == nil:
		return path
	case !errors.Is(err, ErrMissing) || os.Getenv(NoSkip) == "1":
		t.Fatalf("%s is needed (%s): %v; run `make test-deps`", tool.Name, tool.For, err)
	default:
		t.Skipf("%s is missing (%s): run `make test-deps`", tool.Name, tool.For)
	}
	return ""
}
