package tools

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// straceTool only counts as available if it may trace: containers often forbid it, which no
// package can change.
func straceTool() Tool {
	t := systemTool(Strace, "kill -9 at every system call of a write", "strace", "strace")
	find := t.find
	t.find = func(root string) (string, error) {
		path, err := find(root)
		if err != nil {
			return "", err
		}
		if printed, err := exec.Command(path, "-qq", "-o", os.DevNull, path, "-V").CombinedOutput(); err != nil {
			return "", fmt.Errorf("%w: strace may not trace (is ptrace forbidden?): %s", ErrImpossible, printed)
		}
		return path, nil
	}
	return t
}

// landlockTool is the kernel's sandbox. It cannot be installed, so it is never ErrMissing.
func landlockTool(here func() error) Tool {
	return Tool{
		Name: Landlock, For: "commands in the kernel's sandbox",
		find: func(string) (string, error) {
			if err := here(); err != nil {
				return "", fmt.Errorf("%w: it requires Linux 6.12 or newer, booted with landlock in the list lsm=: %w", ErrImpossible, err)
			}
			return "", nil
		},
	}
}

// installPackages installs packages with apt as root. If that is not possible, the error says
// what to install.
func installPackages(ctx context.Context, log io.Writer, packages ...string) error {
	list := strings.Join(packages, " ")
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return fmt.Errorf("this machine has no apt-get; install %s with its own package manager", list)
	}
	prefix, err := rootPrefix("apt-get install " + list)
	if err != nil {
		return fmt.Errorf("installing packages: %w", err)
	}
	run := func(task string, args ...string) error {
		argv := append(append([]string{}, prefix...), append([]string{apt}, args...)...)
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		return runShowing(cmd, log, task)
	}
	install := append([]string{"install", "-y", "--no-install-recommends"}, packages...)
	if run("installing "+list, install...) == nil {
		return nil
	}
	// A new machine may not have package lists.
	if err := run("fetching package lists", "update"); err != nil {
		return err
	}
	return run("installing "+list, install...)
}
