package house

import (
	"bytes"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/release"
	"github.com/declprov/declprov/tests/internal/tools"
)

// TestTheBinariesAreSmall checks the stripped sizes of the serving binary, which Pulumi
// starts, and of declprov, which also contains CUE and the command line, where features such as reading OpenAPI documents add to it. Released binaries contain no local
// paths (-trimpath). Building them here would compile every package again, so what the
// paths of this machine add is subtracted: the result does not depend on where it runs.
func TestTheBinariesAreSmall(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	server := filepath.Join(t.TempDir(), release.Server)
	if err := release.BuildServer(t.Context(), root, server); err != nil {
		t.Fatal(err)
	}
	for path, most := range map[string]int64{server: 30_000_000, provider.Binary(t): 36_000_000} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		size := int64(len(content))
		for local, released := range map[string]string{root + "/": module, build.Default.GOROOT + "/src/": "", moduleCache(t) + "/": ""} {
			size -= int64(bytes.Count(content, []byte(local)) * (len(local) - len(released)))
		}
		t.Logf("%s: %.2f MB", path, float64(size)/1e6)
		if size > most {
			t.Errorf("%s has %d bytes when stripped, the maximum is %d", path, size, most)
		}
	}
}

// moduleCache returns the folder with the source code of other modules.
func moduleCache(t *testing.T) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// TestFlagsOfTheRelease checks that binaries of tests and of a release are compiled with the same flags, and that
// tests in CI are, too, so that no package is compiled twice.
func TestFlagsOfTheRelease(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	for line, file := range map[string]string{
		"TAGS := " + release.Tags:         "Makefile",
		"SMALL := " + release.Small:       "Makefile",
		"GOFLAGS=-tags=" + release.Tags:   ".ci/run",
		"small=\"" + release.Small + "\"": ".ci/run",
	} {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), "\n"+line+"\n") {
			t.Errorf("%s does not contain the line %q", file, line)
		}
	}
}
