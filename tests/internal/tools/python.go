package tools

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// pythonTool returns a virtual environment with the packages of
// tests/tools/python/requirements.txt, whose hashes pip verifies. Its folder also contains
// the packages themselves, in wheels/, for tests that install them again.
func pythonTool() Tool {
	return Tool{
		Name: PythonEnvironment, For: "programs in Python, and the comparison with a provider written by hand in Python",
		find: findVenv, install: installVenv,
	}
}

func venv(root string) (string, error) {
	return pinnedFolder(root, PythonEnvironment, filepath.Join(root, "tests", "tools", "python", "requirements.txt"))
}

// findVenv returns the folder of the environment. The marker file is written last, so an
// incomplete installation does not count.
func findVenv(root string) (string, error) {
	dir, err := venv(root)
	if err != nil {
		return "", err
	}
	if _, err := findFile(filepath.Join(dir, completeMarker)); err != nil {
		return "", err
	}
	return dir, nil
}

const completeMarker = ".complete"

// installVenv downloads the packages, and installs them in a new virtual environment.
func installVenv(ctx context.Context, root string, log io.Writer) error {
	python, err := exec.LookPath("python3")
	if err != nil || exec.CommandContext(ctx, python, "-c", "import ensurepip, venv").Run() != nil {
		if err := installPackages(ctx, log, "python3", "python3-venv"); err != nil {
			return err
		}
		python = "python3"
	}
	final, err := venv(root)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(final); err != nil {
		return err
	}
	create := exec.CommandContext(ctx, python, "-m", "venv", final)
	if err := runShowing(create, log, "making a Python environment"); err != nil {
		return err
	}
	requirements := filepath.Join(root, "tests", "tools", "python", "requirements.txt")
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
