package house

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// TestBothModulesHaveTheSameVersions checks that the module of the tests requires the versions that declprov requires:
// they are what the tests run and, with others, each package above them would be compiled once more.
func TestBothModulesHaveTheSameVersions(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	tested := required(t, filepath.Join(root, "tests"))
	for path, version := range required(t, root) {
		if other := tested[path]; other != "" && other != version {
			t.Errorf("go.mod requires %s %s, tests/go.mod requires %s; run: go get %[1]s@%[3]s && go mod tidy", path, version, other)
		}
	}
}

// required returns the versions that a module requires.
func required(t *testing.T, dir string) map[string]string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "edit", "-json")
	cmd.Dir = dir
	printed, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(printed, &mod); err != nil {
		t.Fatal(err)
	}
	if len(mod.Require) == 0 {
		t.Fatalf("go.mod in %s requires nothing", dir)
	}
	versions := map[string]string{}
	for _, m := range mod.Require {
		versions[m.Path] = m.Version
	}
	return versions
}
