package tools

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// pythonTool returns a virtual environment with the packages of requirements.txt in a folder of
// tests/tools, whose hashes pip verifies. Its path is that of entry in the environment, "" is the
// environment itself. That also contains the packages themselves, in wheels/, for tests that
// install them again.
func pythonTool(name, purpose, folder, entry string) Tool {
	requirements := func(root string) string { return filepath.Join(root, "tests", "tools", folder, "requirements.txt") }
	venv := func(root string) (string, error) { return pinnedFolder(root, name, requirements(root)) }
	return Tool{
		Name: name, For: purpose,
		find: func(root string) (string, error) {
			dir, err := venv(root)
			if err != nil {
				return "", err
			}
			// The marker is written last, so an incomplete installation does not count.
			if _, err := findFile(filepath.Join(dir, completeMarker)); err != nil {
				return "", err
			}
			return filepath.Join(dir, filepath.FromSlash(entry)), nil
		},
		install: func(ctx context.Context, root string, log io.Writer) error {
			final, err := venv(root)
			if err != nil {
				return err
			}
			return installVenv(ctx, log, requirements(root), final)
		},
	}
}

const completeMarker = ".complete"

// installVenv downloads the packages, and installs them in a new virtual environment.
func installVenv(ctx context.Context, log io.Writer, requirements, final string) error {
	python, err := exec.LookPath("python3")
	if err != nil || exec.CommandContext(ctx, python, "-c", "import ensurepip, venv").Run() != nil {
		if err := installPackages(ctx, log, "python3", "python3-venv"); err != nil {
			return err
		}
		python = "python3"
	}
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	create := exec.CommandContext(ctx, python, "-m", "venv", final)
	if err := runShowing(create, log, "making a Python environment"); err != nil {
		return err
	}
	wheels := filepath.Join(final, "wheels")
	pip := func(task string, args ...string) error {
		args = append([]string{"-m", "pip", "--quiet", "--disable-pip-version-check"}, args...)
		return runShowing(exec.CommandContext(ctx, filepath.Join(final, "bin", "python"), args...), log, task)
	}
	if err := pip("downloading Python packages", "download", "--only-binary=:all:", "--require-hashes", "-r", requirements, "-d", wheels); err != nil {
		return err
	}
	if err := pip("installing them", "install", "--no-index", "--find-links", wheels, "--require-hashes", "-r", requirements); err != nil {
		return fmt.Errorf("installing Python packages: %w", err)
	}
	return os.WriteFile(filepath.Join(final, completeMarker), nil, 0o644)
}
