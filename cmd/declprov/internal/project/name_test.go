package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestCheckName checks that a program which refers to a provider by another name is refused, wherever
// Pulumi has the provider from, and nothing else.
func TestCheckName(t *testing.T) {
	const clones = "home/plugins/resource-example.com_me_"
	for _, tc := range []struct {
		source string // in the Pulumi.yaml of the folder "program"
		dir    string // the folder of the provider
		wrong  bool
	}{
		{"./petstore", "program/petstore", true},
		{"./other", "program/petstore", false},
		{"./petstore", clones + "petstore.git-v1.0.0", false},
		{"https://example.com/me/petstore.git@v1.0.0", clones + "petstore.git-v1.0.0", true},
		{"https://example.com/me/petstore@1.0.0", clones + "petstore.git-v1.0.0", true},
		{"https://example.com/me/petstore", clones + "petstore.git-v1.0.0", true},
		{"git://example.com/me/petstore.git", clones + "petstore.git-v1.0.0", true},
		{"example.com/me/petstore", clones + "petstore.git-v1.0.0", true},
		{"example.com/me/all/petstore@v1.0.0", clones + "all.git_petstore-v1.0.0/petstore", true},
		{"example.com/me/all.git/a/b@v1.0.0", clones + "all.git_a_b-v1.0.0/a/b", true},
		{"example.com/me/all.git/a@v1.0.0", clones + "all.git_a_b-v1.0.0/a/b", false},
		{"example.com/me/pet@1.0.0", clones + "petstore.git-v1.0.0", false},
		{"example.com/you/petstore@1.0.0", clones + "petstore.git-v1.0.0", false},
		{"petstore@1.0.0", clones + "petstore.git-v1.0.0", false},
	} {
		root := t.TempDir()
		program := filepath.Join(root, "program")
		if err := os.MkdirAll(filepath.Join(program, "deep"), 0o755); err != nil {
			t.Fatal(err)
		}
		for key, wrong := range map[string]bool{"other": tc.wrong, "petstore": false} {
			text := "packages:\n  " + key + ": " + tc.source + "\n"
			if err := os.WriteFile(filepath.Join(program, "Pulumi.yaml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, workingDir := range []string{program, filepath.Join(program, "deep")} {
				err := checkName(filepath.Join(root, tc.dir), workingDir, "petstore")
				if (err != nil) != wrong || err != nil && !strings.Contains(err.Error(), "write `petstore: "+tc.source+"`") {
					t.Errorf("%s: %s in %s, from %s: %v", key, tc.source, tc.dir, workingDir, err)
				}
			}
		}
	}
}
