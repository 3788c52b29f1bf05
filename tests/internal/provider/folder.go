// Package provider makes what a user would have: a folder with a plugin that
// is nothing but the declprov binary and a spec beside it.
package provider

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/internal/tools"
)

// Binary is the path of a declprov that was just built from this tree, once a
// test process.
func Binary(t testing.TB) string {
	t.Helper()
	path, err := release.Built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Folder makes, in a folder that is gone after the test, the provider that
// serves the spec at that path, relative to the repository's top: the binary
// as pulumi-resource-NAME, and the spec as NAME.cue (or .yaml, .json).
func Folder(t testing.TB, name, specPath string) string {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(root, specPath))
	if err != nil {
		t.Fatal(err)
	}
	return FolderWith(t, name, filepath.Ext(specPath), string(text))
}

// FolderWith is Folder for a spec that the test has at hand; ext is ".cue",
// ".yaml" or ".json".
func FolderWith(t testing.TB, name, ext, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := Make(dir, Binary(t), name, ext, text); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Behind is Folder with a shell script in the provider's place, which has the
// provider's own path in $real, its folder in $dir, and ends in running it:
// `exec "$real" "$@"`.
func Behind(t testing.TB, name, specPath, script string) string {
	t.Helper()
	dir := Folder(t, name, specPath)
	if err := Hide(dir, name, filepath.Ext(specPath), script); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Hide puts a script in the place of a folder's provider, as Behind describes.
func Hide(dir, name, ext, script string) error {
	plugin := "pulumi-resource-" + name
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o755); err != nil {
		return err
	}
	for _, file := range []string{plugin, name + ext} {
		if err := os.Rename(filepath.Join(dir, file), filepath.Join(dir, "real", file)); err != nil {
			return err
		}
	}
	script = fmt.Sprintf("#!/bin/sh\ndir=$(dirname \"$0\")\nreal=\"$dir/real/%s\"\n%s\n", plugin, script)
	return os.WriteFile(filepath.Join(dir, plugin), []byte(script), 0o755)
}

// Make fills a folder with a provider.
func Make(dir, binary, name, ext, text string) error {
	plugin := filepath.Join(dir, "pulumi-resource-"+name)
	if strings.HasSuffix(binary, ".exe") {
		plugin += ".exe"
	}
	// A symbolic link would not do: the binary looks for the spec beside what
	// it really is.
	if err := os.Link(binary, plugin); err != nil {
		if err := copyProgram(plugin, binary); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(dir, name+ext), []byte(text), 0o644)
}

func copyProgram(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	_, err = io.Copy(out, in)
	return err
}
