// Package provider makes what a user has: a folder with a plugin that consists of the
// declprov binary and a spec.
package provider

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/internal/tools"
)

// Binary returns the path of a declprov that was built from this tree, once per test process.
func Binary(t testing.TB) string {
	t.Helper()
	path, err := release.Built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Folder makes a temporary folder with a provider for the spec at the path, relative to the
// root of the repository: the binary as pulumi-resource-NAME, and the spec as NAME.cue (or
// .yaml, .json).
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

// FolderWith is Folder with the text of a spec. ext is ".cue", ".yaml" or ".json".
func FolderWith(t testing.TB, name, ext, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := Make(dir, Binary(t), name, ext, text); err != nil {
		t.Fatal(err)
	}
	return dir
}

// AddSQL puts declprov-sql into the folder of a provider, which the provider becomes.
func AddSQL(t testing.TB, folder string) {
	t.Helper()
	built, err := withSQL()
	if err == nil {
		err = linkOrCopy(filepath.Join(folder, "declprov-sql"), built)
	}
	if err != nil {
		t.Fatal(err)
	}
}

var withSQL = sync.OnceValues(func() (string, error) { return release.Variant("sql") })

// FolderWithScript is Folder with a shell script in place of the provider. In the script,
// $real is the path of the provider, and $dir its folder. The script must end with `exec
// "$real" "$@"`.
func FolderWithScript(t testing.TB, name, specPath, script string) string {
	t.Helper()
	dir := Folder(t, name, specPath)
	if err := WrapProvider(dir, name, filepath.Ext(specPath), script); err != nil {
		t.Fatal(err)
	}
	return dir
}

// WrapProvider replaces the provider in a folder by a script, as FolderWithScript does.
func WrapProvider(dir, name, ext, script string) error {
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

// Make makes a provider in a folder.
func Make(dir, binary, name, ext, text string) error {
	plugin := filepath.Join(dir, "pulumi-resource-"+name)
	if strings.HasSuffix(binary, ".exe") {
		plugin += ".exe"
	}
	// Not a symbolic link: the binary looks for the spec next to its real path.
	if err := linkOrCopy(plugin, binary); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name+ext), []byte(text), 0o644)
}

func linkOrCopy(to, from string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	return copyProgram(to, from)
}

func copyProgram(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return tools.WriteProgram(to, in)
}
