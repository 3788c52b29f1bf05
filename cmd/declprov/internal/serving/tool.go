package serving

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/screen"
)

// Tool is the binary that this process runs.
type Tool struct {
	// Version is the version of a release, or "".
	Version string
	// Evaluator is the path of the binary that evaluates specs; "" is this one.
	Evaluator string
}

// Name identifies this version of declprov. The name of a binary that is not a release
// contains the time and size of its file.
func (t Tool) Name() string {
	if t.Version != "" {
		return t.Version
	}
	path, err := os.Executable()
	if err != nil {
		return unreleased
	}
	info, err := os.Stat(path)
	if err != nil {
		return unreleased
	}
	return unreleased + "-" + strconv.FormatInt(info.ModTime().UnixNano(), 36) + "-" + strconv.FormatInt(info.Size(), 36)
}

const unreleased = "devel"

// CheckEvaluates returns an error if this version must not evaluate specs for the version
// with that name. Two releases must be equal.
func (t Tool) CheckEvaluates(name string) error {
	if t.Version == "" || strings.HasPrefix(name, unreleased) || t.Version == name {
		return nil
	}
	return fmt.Errorf("this is declprov %s, but declprov %s installed the provider: install it again with `declprov install`, or use the same version of both", t.Version, name)
}

// Builder returns a builder of specs. It writes a warning to stderr if other users may
// write to the cache.
func (t Tool) Builder(stderr io.Writer, log *slog.Logger) *build.Builder {
	cache := container.Cache{Dir: container.DefaultDir()}
	if err := cache.Trusted(); err != nil {
		fmt.Fprintf(stderr, "declprov: warning: %s\n", screen.Show(err.Error(), nil))
		cache = container.Cache{}
	}
	return &build.Builder{Executable: t.Evaluator, Tool: t.Name(), Cache: cache, Limits: build.DefaultLimits(), Log: log}
}

// FindEvaluator returns the binary that evaluates specs for a binary that cannot: the one
// in its folder, or else the one on the PATH.
func FindEvaluator() string {
	name := "declprov"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return name
	}
	beside := filepath.Join(filepath.Dir(self), name)
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return beside
	}
	return name
}

// explainMissingEvaluator adds a remedy if the evaluator was not found.
func explainMissingEvaluator(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%w: this provider cannot evaluate specs; add declprov to the PATH, or install the spec with `declprov install`, which compiles it", err)
	}
	return err
}
