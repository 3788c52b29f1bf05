package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// TestTheSlowestArePackages checks that the packages in slowest exist and have tests.
func TestTheSlowestArePackages(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range slowest {
		if found, err := filepath.Glob(filepath.Join(root, folder, "*_test.go")); err != nil || len(found) == 0 {
			t.Errorf("%s has no tests: %v", folder, err)
		}
	}
}

// TestTheSlowestComeFirst checks that the packages in slowest are first, in that order.
func TestTheSlowestComeFirst(t *testing.T) {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	listed, err := list(t.Context(), filepath.Dir(dir), []string{"./assets", "./e2e", "./model"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"tests/model", "tests/e2e", "tests/assets"} {
		if i >= len(listed) || shortPackage(listed[i].ImportPath) != want {
			t.Fatalf("got %v, want %s at %d", paths(listed), want, i)
		}
	}
}
