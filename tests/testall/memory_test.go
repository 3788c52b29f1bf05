package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTemporaryFiles checks that tests get a folder of their own, in which programs run, that what go builds stays where
// it was, and that nothing remains; or that the output says why the files are on the disk.
func TestTemporaryFiles(t *testing.T) {
	before := os.TempDir()
	t.Setenv("GOTMPDIR", "")
	t.Setenv("TMPDIR", "")
	builds := os.TempDir()
	var out bytes.Buffer
	cleanUp := keepInMemory(&out)
	dir := os.Getenv("TMPDIR")
	if dir == "" {
		cleanUp()
		if !strings.HasPrefix(out.String(), "temporary files are on the disk: ") {
			t.Errorf("it prints %q", out.String())
		}
		return
	}
	if dir == before || os.Getenv("GOTMPDIR") != builds {
		t.Errorf("the folder is %q, that of builds %q, and was %q", dir, os.Getenv("GOTMPDIR"), builds)
	}
	if err := os.WriteFile(filepath.Join(dir, "journal"), nil, 0o600); err != nil {
		t.Error(err)
	}
	if at, err := os.Stat(dir); err != nil || at.Mode().Perm() != 0o777 || at.Mode()&os.ModeSticky == 0 {
		t.Errorf("other users have no folder there: %v, %v", at.Mode(), err)
	}
	cleanUp()
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder remains: %v", err)
	}
}

// TestFolderOfTests checks that the folder of a test is where its temporary files are, also under make test.
func TestFolderOfTests(t *testing.T) {
	if dir := t.TempDir(); os.Getenv("GOTMPDIR") == "" && !strings.HasPrefix(dir, os.TempDir()) || strings.HasPrefix(os.TempDir(), "/dev/shm/declprov-tests-") && !strings.HasPrefix(dir, os.TempDir()) {
		t.Errorf("it is %s, and not in %s", dir, os.TempDir())
	}
}

// TestChosenFolder checks that the folder that the user has chosen remains.
func TestChosenFolder(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	var out bytes.Buffer
	keepInMemory(&out)()
	if os.Getenv("TMPDIR") != dir || out.Len() > 0 {
		t.Errorf("the folder is %s: %s", os.Getenv("TMPDIR"), &out)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
}
