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

// npmTool is a program for Node: a folder below tests/tools with main.js,
// package.json and the package-lock.json that pins all that it requires. Its
// path is that of an installed main.js, which `node` runs. The hash of the
// folder's files is in the path, so that a new pin is a new installation.
func npmTool(name, purpose, folder string) Tool {
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
			return filepath.Join(dir, "main.js"), nil
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

func npmFiles() []string { return []string{"main.js", "package.json", "package-lock.json"} }

// npmFolder returns where a program for Node is installed.
func npmFolder(root, name, folder string) (string, error) {
	hash := sha256.New()
	for _, file := range npmFiles() {
		data, err := os.ReadFile(filepath.Join(root, "tests", "tools", folder, file))
		if err != nil {
			return "", fmt.Errorf("reading what %s requires: %w", name, err)
		}
		hash.Write(data)
	}
	return filepath.Join(root, ".tools", fmt.Sprintf("%s-%x", name, hash.Sum(nil)[:6])), nil
}

// installNPM installs exactly what the lock file names, and runs no script of a
// package. The marker is written last, as in a Python environment.
func installNPM(ctx context.Context, log io.Writer, name, from, to string) error {
	if _, err := exec.LookPath("npm"); err != nil {
		if err := installPackages(ctx, log, "nodejs", "npm"); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, file := range npmFiles() {
		data, err := os.ReadFile(filepath.Join(from, file))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, file), data, 0o644); err != nil {
			return err
		}
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund")
	npm.Dir = to
	if err := runShowing(npm, log, "installing "+name+" from npm"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, completeMarker), nil, 0o644)
}
