package install

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/lockedfile"
)

// TestIntoPluginsAfterFailedDownload checks that a plugin which Pulumi has unpacked in part counts as
// none: it is replaced without force, whatever it contains, and Pulumi uses what replaces it.
func TestIntoPluginsAfterFailedDownload(t *testing.T) {
	const folder = "resource-pets-v1.2.0"
	for name, found := range map[string][]string{
		"only the mark":    {folder + ".partial"},
		"an empty folder":  {folder + ".partial", folder + "/"},
		"a half program":   {folder + ".partial", folder + ".lock", folder + "/pulumi-resource-pets"},
		"another spec":     {folder + ".partial", folder + "/pets.declprov"},
		"another version":  {"resource-pets-v1.0.0.partial", "resource-pets-v1.0.0/pulumi-resource-pets"},
		"a lock, last use": {folder + ".lock", folder + ".lastused"},
	} {
		plugins := t.TempDir()
		for _, path := range found {
			writeEmpty(t, filepath.Join(plugins, path), path[len(path)-1] == '/')
		}
		if got := Folders(plugins, "pets"); len(got) > 0 {
			t.Errorf("%s: installed are %v", name, got)
		}
		if _, err := IntoPlugins(plugins, provider(t, "one"), false); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := []string{folder + "/pets.cue: one", folder + "/pulumi-resource-pets: #!/bin/sh\n"}
		if diff := cmp.Diff(want, installedFiles(t, plugins, folder)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if _, err := os.Stat(filepath.Join(plugins, folder+".partial")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: Pulumi takes the plugin for incomplete: %v", name, err)
		}
	}
}

// TestRemoveLeavesNothing checks that Remove also removes what Pulumi keeps about a plugin.
func TestRemoveLeavesNothing(t *testing.T) {
	plugins := t.TempDir()
	folder, err := IntoPlugins(plugins, provider(t, "one"), false)
	if err != nil {
		t.Fatal(err)
	}
	writeEmpty(t, folder+".lastused", false)
	if _, err := Remove(plugins, Resource, "pets", ""); err != nil {
		t.Fatal(err)
	}
	if left := tree(t, plugins); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// TestIntoPluginsWhilePulumiUnpacks checks that the files of two installations never mix, if one of
// them is Pulumi's.
func TestIntoPluginsWhilePulumiUnpacks(t *testing.T) {
	const folder = "resource-pets-v1.2.0"
	plugins := t.TempDir()
	for range 30 {
		done := make(chan error)
		go func() { done <- unpackAsPulumi(filepath.Join(plugins, folder)) }()
		_, err := IntoPlugins(plugins, provider(t, "ours"), true)
		if err := errors.Join(err, <-done); err != nil {
			t.Fatal(err)
		}
		got := installedFiles(t, plugins, folder)
		ours := []string{folder + "/pets.cue: ours", folder + "/pulumi-resource-pets: #!/bin/sh\n"}
		theirs := []string{folder + "/pets.declprov: theirs", folder + "/pulumi-resource-pets: theirs"}
		if !slices.Equal(got, ours) && !slices.Equal(got, theirs) {
			t.Fatalf("the plugin is a mixture of two: %q", got)
		}
	}
}

// unpackAsPulumi writes a plugin as UnpackContents does (pulumi/pulumi v3.259.0, pkg/pluginstorage/download.go).
func unpackAsPulumi(folder string) error {
	unlock, err := lockedfile.MutexAt(folder + ".lock").Lock()
	if err != nil {
		return err
	}
	defer unlock()
	return errors.Join(
		os.WriteFile(folder+".partial", nil, 0o600),
		os.RemoveAll(folder),
		os.Mkdir(folder, 0o700),
		os.WriteFile(filepath.Join(folder, "pets.declprov"), []byte("theirs"), 0o600),
		os.WriteFile(filepath.Join(folder, "pulumi-resource-pets"), []byte("theirs"), 0o700),
		os.Remove(folder+".partial"),
	)
}

// installedFiles returns the files in the folder of one plugin, as tree does.
func installedFiles(t *testing.T, plugins, folder string) []string {
	t.Helper()
	return slices.DeleteFunc(tree(t, plugins), func(file string) bool {
		return len(file) < len(folder) || file[:len(folder)+1] != folder+"/"
	})
}

func writeEmpty(t *testing.T, path string, isFolder bool) {
	t.Helper()
	folder := path
	if !isFolder {
		folder = filepath.Dir(path)
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	if isFolder {
		return
	}
	if err := os.WriteFile(path, nil, 0o755); err != nil {
		t.Fatal(err)
	}
}
