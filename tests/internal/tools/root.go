package tools

import (
	"fmt"
	"os"
	"path/filepath"
)

// Root is the absolute path of the repository's top folder, found from the
// working directory upwards: `go test` starts a test in its package's folder,
// and make starts programs anywhere below the top.
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
