package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/cmd/declprov/internal/repair"
	"github.com/declprov/declprov/spec/screen"
)

// fix repairs a spec with the edits that its findings suggest, writes the changed files, and
// reports to w what it did. It returns the evaluation of the repaired spec.
func (v *vetter) fix(ctx context.Context, spec build.Spec, w io.Writer) (*build.Built, error) {
	result, err := repair.Repair(func(replaced map[string][]byte) (*build.Built, error) {
		spec.Replaced = replaced
		return v.evaluate(ctx, spec)
	})
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(result.Files)) {
		if err := replaceFile(name, result.Before[name], result.Files[name]); err != nil {
			return nil, err
		}
	}
	return result.Built, writeChanges(w, result.Done)
}

// replaceFile writes a new content of a file, whose content must still be the old one.
func replaceFile(name string, old, content []byte) error {
	target, err := filepath.EvalSymlinks(name)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	info, err := os.Stat(target)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	now, err := os.ReadFile(target)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	if !bytes.Equal(now, old) {
		return fmt.Errorf("%s changed in the meantime, and was not written. Run the command again", name)
	}
	if err := install.WriteFile(target, content, info.Mode().Perm()); err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	return nil
}

// shownLine returns a line of a file as a terminal can show it.
func shownLine(line string) string {
	return screen.Exact(strings.ReplaceAll(strings.TrimRight(line, " \t\r"), "\t", "    "))
}

// writeChanges reports which mistakes were repaired, with their lines before and after.
func writeChanges(w io.Writer, changes []repair.Change) error {
	var text bytes.Buffer
	for _, c := range changes {
		fmt.Fprintf(&text, "fixed[%s]: %s\n  --> %s\n", c.Finding.Code, screen.Exact(c.Finding.Summary), screen.Exact(c.Finding.Subject.String()))
		for _, line := range c.Old {
			fmt.Fprintf(&text, "  - %s\n", shownLine(line))
		}
		for _, line := range c.New {
			fmt.Fprintf(&text, "  + %s\n", shownLine(line))
		}
		text.WriteByte('\n')
	}
	_, err := w.Write(text.Bytes())
	return err
}
