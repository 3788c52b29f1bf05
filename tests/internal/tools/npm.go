package tools

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// npmTool returns packages for Node: a folder below tests/tools with package.json,
// package-lock.json and, for a program, main.js and what that reads. Its path is that of entry in the installed
// folder: main.js, which `node` runs, or node_modules. The path contains the hash of the
// files, so that a new pin causes a new installation.
func npmTool(name, purpose, folder, entry string) Tool {
	return Tool{
		Name: name, For: purpose,
		find: func(root string) (string, error) {
			if _, err := exec.LookPath("node"); err != nil {
				return "", fmt.Errorf("node: %w", ErrMissing)
			}
			dir, err := npmFolder(root, name, folder)
			if err != nil {
				return "", err
			}
			if _, err := findFile(filepath.Join(dir, completeMarker)); err != nil {
				return "", err
			}
			return filepath.Join(dir, entry), nil
		},
		install: func(ctx context.Context, root string, log io.Writer) error {
			dir, err := npmFolder(root, name, folder)
			if err != nil {
				return err
			}
			return installNPM(ctx, log, name, filepath.Join(root, "tests", "tools", folder), dir)
		},
	}
}

// npmFolder returns the installation folder of packages for Node.
func npmFolder(root, name, folder string) (string, error) {
	return pinnedFolder(root, name, filepath.Join(root, "tests", "tools", folder, "*.*"))
}

// pinnedFolder returns the folder below .tools for what the files that match the pattern
// require. Its name contains their hash.
func pinnedFolder(root, name, pattern string) (string, error) {
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("reading the requirements of %s: no files %s: %v", name, pattern, err)
	}
	hash := sha256.New()
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("reading the requirements of %s: %w", name, err)
		}
		hash.Write(data)
	}
	return filepath.Join(root, ".tools", fmt.Sprintf("%s-%x", name, hash.Sum(nil)[:6])), nil
}

// installNPM installs exactly what the lock file names, without running package scripts. The
// marker file is written last, as in a Python environment.
func installNPM(ctx context.Context, log io.Writer, name, from, to string) error {
	if _, err := exec.LookPath("npm"); err != nil {
		if err := installPackages(ctx, log, "nodejs", "npm"); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund")
	npm.Dir = to
	if err := runShowing(npm, log, "installing "+name+" from npm"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, completeMarker), nil, 0o644)
}
