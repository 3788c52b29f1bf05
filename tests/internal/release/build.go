// Package release builds the declprov binary for tests, from this tree.
package release

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/tests/internal/tools"
)

// Variable names the environment variable with the path of a declprov for tests, instead of
// building one. `make test` sets it, since each test process would otherwise link its own.
// `make mutants` sets it to one without some mechanism.
const Variable = "DECLPROV_BINARY"

// Tags are the build tags of a release, as in the Makefile.
const Tags = "grpcnotrace"

// Small are the packages that a release compiles without inlining, as in the Makefile and
// .ci/run.
const Small = "actions/... cmd/... engine/compile/... engine/component engine/journal engine/plan engine/run engine/run/entries engine/run/operation engine/run/outputs engine/run/reading engine/schema/... spec/container spec/decode spec/diag spec/expr/check spec/expr/functions spec/expr/parse spec/foreign spec/load/... spec/names spec/screen"

// Flags returns the flags of the compiler and the linker for a release.
func Flags() []string { return append([]string{"-ldflags=-s -w"}, CompilerFlags()...) }

// CompilerFlags returns the flags of the compiler for a release. A package is compiled once for all programs that are built with them.
func CompilerFlags() []string {
	flags := []string{"-tags=" + Tags}
	for _, pkg := range strings.Fields(Small) {
		flags = append(flags, "-gcflags=github.com/declprov/declprov/"+pkg+"=-l")
	}
	return flags
}

// Built returns the path of a declprov that was built from this tree, once per process.
func Built() (string, error) { return buildOnce() }

var buildOnce = sync.OnceValues(func() (string, error) {
	if given := os.Getenv(Variable); given != "" {
		return given, nil
	}
	root, err := tools.Root()
	if err != nil {
		return "", err
	}
	dir, err := Folder()
	if err != nil {
		return "", err
	}
	return Build(context.Background(), root, dir)
})

// Folder returns the folder of programs that tests install, by hard links if the files of the tests are on the same file system: copies would take time, and could not
// be run while another process that is just starting has them open. It is the folder of the declprov in Variable, or else one in .tools.
func Folder() (string, error) {
	if given := os.Getenv(Variable); given != "" {
		return filepath.Dir(given), nil
	}
	root, err := tools.Root()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, ".tools", "declprov")
	return dir, os.MkdirAll(dir, 0o755)
}

// Build builds the binary as it is released, stripped, without cgo and with Tags, into a folder, and returns its path. Unlike in a release, paths of this machine are not
// trimmed, since that would require compiling all packages again. Concurrent builds do not
// disturb each other, nor processes that run an earlier build.
func Build(ctx context.Context, root, dir string) (string, error) {
	name := "declprov"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return buildInto(ctx, root, dir, name)
}

// Variant returns the path of declprov with the drivers of a family of actions
// (declprov-VARIANT), which it builds.
func Variant(name string) (string, error) {
	root, err := tools.Root()
	if err != nil {
		return "", err
	}
	dir, err := Folder()
	if err != nil {
		return "", err
	}
	return buildInto(context.Background(), root, dir, "declprov-"+name, "-tags", Tags+",declprov_"+name)
}

func buildInto(ctx context.Context, root, dir, name string, flags ...string) (path string, err error) {
	temp, err := os.MkdirTemp(dir, ".build-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	out := filepath.Join(temp, name)
	if err := BuildTo(ctx, root, out, flags...); err != nil {
		return "", err
	}
	path = filepath.Join(dir, name)
	return path, os.Rename(out, path)
}

// BuildTo builds the binary as it is released, with additional flags, to a path.
func BuildTo(ctx context.Context, root, out string, flags ...string) error {
	return build(ctx, root, "./cmd/declprov", out, flags...)
}

// Server is the name of the binary that only serves.
const Server = "declprov-server"

// BuildServer builds the binary that only serves, as it is released, to a path.
func BuildServer(ctx context.Context, root, out string) error {
	return build(ctx, root, "./cmd/declprov/"+Server, out)
}

// BuildPackage builds a program of this tree for tests, as it is released, to a path.
func BuildPackage(ctx context.Context, root, pkg, out string) error {
	return build(ctx, root, pkg, out)
}

func build(ctx context.Context, root, pkg, out string, flags ...string) error {
	args := slices.Concat([]string{"build", "-o", out}, Flags(), flags)
	cmd := exec.CommandContext(ctx, "go", append(args, pkg)...)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if printed, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building %s: %w\n%s", pkg, err, printed)
	}
	return nil
}
