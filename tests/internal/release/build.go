// Package release builds the declprov that tests run, from this tree.
package release

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/declprov/declprov/tests/internal/tools"
)

// Variable names a declprov that tests are to run in place of one that they build:
// `make test` hands all of them one that it built, since each of their processes
// would link its own, and `make mutants` one that lacks something.
const Variable = "DECLPROV_BINARY"

// Built is the path of a declprov that was just built from this tree, once a
// process.
func Built() (string, error) { return buildOnce() }

var buildOnce = sync.OnceValues(func() (string, error) {
	if given := os.Getenv(Variable); given != "" {
		return given, nil
	}
	root, err := tools.Root()
	if err != nil {
		return "", err
	}
	return Build(context.Background(), root)
})

// Build builds the binary as it is released, stripped and without gRPC's own
// traces (the tag grpcnotrace), and gives its path. Only the paths of this machine are
// not trimmed from it: all packages would be compiled once more than for the tests.
// Processes that build at the same time do not disturb each other, nor those
// that run an earlier build.
func Build(ctx context.Context, root string) (string, error) {
	dir := filepath.Join(root, ".tools", "declprov")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(dir, ".build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	name := "declprov"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	out := filepath.Join(temp, name)
	if err := BuildTo(ctx, root, out); err != nil {
		return "", err
	}
	final := filepath.Join(dir, name)
	return final, os.Rename(out, final)
}

// BuildTo builds the binary as it is released to a path, perhaps with more flags.
func BuildTo(ctx context.Context, root, out string, flags ...string) error {
	args := append([]string{"build", "-tags", "grpcnotrace", "-ldflags", "-s -w", "-o", out}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./cmd/declprov")...)
	cmd.Dir = root
	if printed, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building declprov: %w\n%s", err, printed)
	}
	return nil
}
