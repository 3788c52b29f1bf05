package tools

import (
	"fmt"
	"os"
	"path/filepath"
)

// Root returns the absolute path of the repository root. It searches upwards from the working
// directory, which is the folder of a package in tests, and any folder for make.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the repository: %w", err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		if exists(filepath.Join(at, "go.mod")) && exists(filepath.Join(at, "tests", "go.mod")) {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("finding the repository: no folder above %s has go.mod and tests/go.mod", dir)
		}
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
