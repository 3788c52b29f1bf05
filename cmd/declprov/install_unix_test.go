//go:build unix

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestInstallWithoutReader checks that a spec is installed although nobody reads the output, as
// in `declprov install SPEC | head -1`.
func TestInstallWithoutReader(t *testing.T) {
	t.Parallel()
	dir := layOut(t, map[string]string{"pets.cue": petSpec})
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := command(t, built(t), "install", "pets.cue", "--yes")
	cmd.Dir, cmd.Stdout = dir, writer
	home := t.TempDir()
	cmd.Env = append(cmd.Env, "PULUMI_HOME="+home)
	if err := cmd.Run(); err == nil {
		t.Error("the output was written")
	}
	if installed, err := filepath.Glob(filepath.Join(home, "plugins", "resource-*", "*")); err != nil || len(installed) == 0 {
		t.Errorf("nothing is installed (%v)", err)
	}
}
