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
	// Version is that of a release, or "".
	Version string
	// Evaluator is the binary that evaluates specs; "" is this one.
	Evaluator string
}

// Name tells this version of declprov from others. A binary that is no release
// is told from the one before by its file.
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

// Evaluates reports whether this version may evaluate for the one of that name:
// two releases must be the same.
func (t Tool) Evaluates(name string) error {
	if t.Version == "" || strings.HasPrefix(name, unreleased) || t.Version == name {
		return nil
	}
	return fmt.Errorf("this is declprov %s, and the provider is of declprov %s: install it again (declprov install), or both of one version", t.Version, name)
}

// Builder makes what turns specs into compiled ones. stderr gets a warning where
// the cache is not to be trusted.
func (t Tool) Builder(stderr io.Writer, log *slog.Logger) *build.Builder {
	cache := container.Cache{Dir: container.DefaultDir()}
	if err := cache.Trusted(); err != nil {
		fmt.Fprintf(stderr, "declprov: warning: %s\n", screen.Show(err.Error(), nil))
		cache = container.Cache{}
	}
	return &build.Builder{Executable: t.Evaluator, Tool: t.Name(), Cache: cache, Limits: build.DefaultLimits(), Log: log}
}

// FindEvaluator finds the binary that evaluates specs for one that cannot:
// beside it, else where the system looks for programs.
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

// withoutEvaluator adds what to do where there is none.
func withoutEvaluator(err error) error {
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("%w: this provider carries no evaluator; put declprov on the PATH, or install the spec with `declprov install`, which compiles it", err)
	}
	return err
}
