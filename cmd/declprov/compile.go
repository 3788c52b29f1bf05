package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strconv"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/terminal"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/container"
	"github.com/declprov/declprov/spec/diag"
)

// newBuilder makes what turns specs into compiled ones. stderr gets a warning
// where the cache is not to be trusted.
func newBuilder(stderr io.Writer, log *slog.Logger) *build.Builder {
	cache := container.Cache{Dir: container.DefaultDir()}
	if err := cache.Trusted(); err != nil {
		fmt.Fprintf(stderr, "declprov: warning: %v\n", err)
		cache = container.Cache{}
	}
	return &build.Builder{Tool: toolVersion(), Cache: cache, Limits: build.DefaultLimits(), Log: log}
}

// toolVersion names this version of declprov to the cache. A binary that is no
// release is told from the one before by its file.
func toolVersion() string {
	if version != "" {
		return version
	}
	path, err := os.Executable()
	if err != nil {
		return "devel"
	}
	info, err := os.Stat(path)
	if err != nil {
		return "devel"
	}
	return "devel-" + strconv.FormatInt(info.ModTime().UnixNano(), 36) + "-" + strconv.FormatInt(info.Size(), 36)
}

// compiled is the compiled form of the spec that an argument names. What is
// wrong with the spec is shown here.
func (a *app) compiled(ctx context.Context, path string) (*container.Container, error) {
	spec, err := a.spec(path, "cue")
	if err != nil {
		return nil, err
	}
	stop := a.whileBuilding(spec)
	c, err := a.builder().Open(ctx, spec)
	stop()
	var mistakes *build.Mistakes
	if errors.As(err, &mistakes) {
		if err := writeMistakes(a.err, mistakes, terminal.Colors(a.err, a.color)); err != nil {
			return nil, err
		}
		return nil, reported{exitFindings}
	}
	return c, err
}

// writeMistakes shows what keeps a spec from being used.
func writeMistakes(w io.Writer, m *build.Mistakes, color bool) error {
	return diag.WriteText(w, m.Findings, diag.TextOptions{Sources: m.Sources, Color: color})
}

// program opens a compiled spec for use.
func program(c *container.Container) (*engine.Program, error) {
	p, err := engine.Open(c, builtin.Families())
	if err != nil {
		return nil, fmt.Errorf("opening the compiled spec: %w", err)
	}
	return p, nil
}
