package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// binaryOf returns a binary for a platform.
func binaryOf(t *testing.T, platform Platform) Binary {
	t.Helper()
	path := filepath.Join(t.TempDir(), "binary")
	if err := os.WriteFile(path, []byte("a program for "+platform.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return Binary{Path: path, Platform: platform}
}

var platforms = []Platform{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"}}

// TestWriteDoesNotReplace checks that of two processes that package different specs of the same version, and have both seen
// an empty folder, the second one does not replace the archive of the first.
func TestWriteDoesNotReplace(t *testing.T) {
	dir, here := t.TempDir(), binaryOf(t, platforms[0])
	first := Provider{Name: "pets", Version: "1.0.0", Compiled: []byte("first")}
	second := Provider{Name: "pets", Version: "1.0.0", Compiled: []byte("second")}
	path, err := first.write(dir, here, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := first.write(dir, here, false); err != nil {
		t.Errorf("the same archive once more: %v", err)
	}
	if _, err := second.write(dir, here, false); err == nil || !strings.Contains(err.Error(), "another spec of the same version") {
		t.Errorf("expected that it contains another spec, got %v", err)
	}
	for _, tc := range []struct {
		by   Provider
		want string
	}{{first, "first"}, {second, "second"}} {
		if tc.want == "second" {
			if _, err := second.write(dir, here, true); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := Read(path); err != nil || string(got.Compiled) != tc.want {
			t.Errorf("expected the archive of the %s spec, got %q, %v", tc.want, got.Compiled, err)
		}
	}
	if names, _ := filepath.Glob(filepath.Join(dir, ".*")); names != nil {
		t.Errorf("temporary files remain: %q", names)
	}
}

// TestPublishConcurrently checks that processes that package different specs of the same version do not all succeed, and that
// the checksums list all archives, whoever writes them last.
func TestPublishConcurrently(t *testing.T) {
	binaries := make([]Binary, len(platforms))
	for i, p := range platforms {
		binaries[i] = binaryOf(t, p)
	}
	for round := range 30 {
		for name, specs := range map[string]int{"the same spec": 1, "two specs": 2} {
			dir := filepath.Join(t.TempDir(), "dist")
			errs := make([]error, len(binaries))
			var all sync.WaitGroup
			for i, b := range binaries {
				p := Provider{Name: "pets", Version: "1.0.0", Compiled: fmt.Append(nil, "spec ", i%specs)}
				all.Go(func() { errs[i] = p.Publish(dir, []Binary{b}, false, func(string) {}) })
			}
			all.Wait()
			failed := errors.Join(errs...)
			if specs == 2 {
				if failed == nil {
					t.Fatalf("%s, round %d: all succeeded", name, round)
				}
				continue
			}
			if failed != nil {
				t.Fatalf("%s, round %d: %v", name, round, failed)
			}
			sums, err := os.ReadFile(filepath.Join(dir, "pulumi-resource-pets-v1.0.0-checksums.txt"))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Count(string(sums), "\n"); got != len(binaries) {
				t.Fatalf("%s, round %d: expected %d checksums, got %d:\n%s", name, round, len(binaries), got, sums)
			}
		}
	}
}
