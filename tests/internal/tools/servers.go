package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// serverTool returns a server from the system's packages that tests run on loopback.
// Installing it must not start it as a service. needs are other programs and files that it
// requires.
func serverTool(name, purpose, program string, packages, needs []string) Tool {
	return Tool{
		Name: name, For: purpose,
		find: func(string) (string, error) {
			for _, need := range needs {
				if _, err := exec.LookPath(need); err != nil && !exists(need) {
					return "", fmt.Errorf("%s: %w", need, ErrMissing)
				}
			}
			return findFile(program) // /usr/sbin may not be in PATH
		},
		install: func(ctx context.Context, _ string, log io.Writer) error {
			return withoutServices(ctx, log, policyFile, func() error { return installPackages(ctx, log, packages...) })
		},
	}
}

// postgresTool returns PostgreSQL's server, which the package installs into a folder with its
// version.
func postgresTool() Tool {
	t := serverTool(PostgreSQL, "the sql family, and psql in the kernel's sandbox", "", []string{"postgresql", "postgresql-client"}, []string{"psql"})
	t.find = func(string) (string, error) {
		if _, err := exec.LookPath("psql"); err != nil {
			return "", fmt.Errorf("psql: %w", ErrMissing)
		}
		found, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres")
		if err != nil || len(found) == 0 {
			return "", fmt.Errorf("postgres: %w", errors.Join(ErrMissing, err))
		}
		return found[len(found)-1], nil
	}
	return t
}

// policyFile decides on Debian whether an installed package may start its services.
const policyFile = "/usr/sbin/policy-rc.d"

// withoutServices runs an installation with a policy that forbids starting services. An
// existing policy is kept.
func withoutServices(ctx context.Context, log io.Writer, file string, install func() error) error {
	if exists(file) || !exists(filepath.Dir(file)) {
		return install()
	}
	policy, err := os.CreateTemp("", "policy-rc.d-")
	if err != nil {
		return err
	}
	defer os.Remove(policy.Name())
	if _, err := policy.WriteString("#!/bin/sh\nexit 101\n"); err != nil {
		return err
	}
	if err := policy.Close(); err != nil {
		return err
	}
	if err := asRoot(ctx, log, "forbidding services to start", "install", "-m", "0755", policy.Name(), file); err != nil {
		return err
	}
	err = install()
	return errors.Join(err, asRoot(context.WithoutCancel(ctx), log, "allowing it again", "rm", "-f", file))
}

// asRoot runs a command as root, with sudo if required.
func asRoot(ctx context.Context, log io.Writer, task string, argv ...string) error {
	prefix, err := rootPrefix(strings.Join(argv, " "))
	if err != nil {
		return err
	}
	argv = append(prefix, argv...)
	return runShowing(exec.CommandContext(ctx, argv[0], argv[1:]...), log, task)
}

// rootPrefix returns what to put before a command to run it as root: nothing, or sudo.
func rootPrefix(command string) ([]string, error) {
	if os.Geteuid() == 0 {
		return nil, nil
	}
	sudo, err := exec.LookPath("sudo")
	if err != nil {
		return nil, fmt.Errorf("root is required; as root, run: %s", command)
	}
	return []string{sudo, "-n"}, nil
}
