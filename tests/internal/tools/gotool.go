package tools

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

const (
	pulumiPackage     = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
	pulumiModule      = "github.com/pulumi/pulumi/pkg/v3"
	pulumiYAMLPackage = "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"
	pulumiYAMLModule  = "github.com/pulumi/pulumi-yaml"
	// pulumiVersion is the linker variable for the version of the CLI. Without it, the
	// automation API refuses the CLI.
	pulumiVersion = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version"
)

// goTool returns a tool that is built from a package pinned in tests/tools/go.mod. stamp is a
// linker flag for the version, or "".
func goTool(name, purpose, pkg, stamp string) Tool {
	where := func(root string) (path, version string, err error) {
		dir, err := cliFolder(root)
		if err != nil {
			return "", "", err
		}
		version, err = pinnedVersion(root, moduleOf(pkg))
		return filepath.Join(dir, name+exeSuffix()), version, err
	}
	return Tool{
		Name: name, For: purpose, GoOnly: true,
		find: func(root string) (string, error) {
			path, _, err := where(root)
			if err != nil {
				return "", err
			}
			return findFile(path)
		},
		install: func(ctx context.Context, root string, log io.Writer) error {
			path, version, err := where(root)
			if err != nil {
				return err
			}
			flags := "-s -w"
			if stamp != "" {
				flags += " " + stamp + version
			}
			return buildGo(ctx, root, log, goBuild{name: name, version: version, pkg: pkg, flags: flags, to: path})
		},
	}
}

// cliFolder returns the folder of the CLI and its YAML host. They are in one folder, so that
// the CLI finds the host without a warning. The name contains both versions, so that a new
// pin causes a new build.
func cliFolder(root string) (string, error) {
	cli, err := pinnedVersion(root, pulumiModule)
	if err != nil {
		return "", err
	}
	host, err := pinnedVersion(root, pulumiYAMLModule)
	return filepath.Join(root, ".tools", "pulumi-"+cli+"-yaml-"+host, "bin"), err
}

func moduleOf(pkg string) string {
	if pkg == pulumiPackage {
		return pulumiModule
	}
	return pulumiYAMLModule
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// pinnedVersion returns the version of a module in tests/tools/go.mod.
func pinnedVersion(root, module string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, "tests", "tools", "go.mod"))
	if err != nil {
		return "", fmt.Errorf("reading the pinned version of %s: %w", module, err)
	}
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == module {
			return fields[1], nil
		}
	}
	return "", fmt.Errorf("tests/tools/go.mod does not require %s", module)
}

type goBuild struct{ name, version, pkg, flags, to string }

// buildGo builds to a temporary file and renames it, so that an interrupted build leaves no
// partial program.
func buildGo(ctx context.Context, root string, log io.Writer, b goBuild) error {
	dir := filepath.Dir(b.to)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temp, err := os.MkdirTemp(dir, ".build-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	out := filepath.Join(temp, filepath.Base(b.to))
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags", b.flags, "-o", out, b.pkg)
	cmd.Dir = filepath.Join(root, "tests", "tools")
	task := fmt.Sprintf("building %s %s from source (once; the first time takes minutes)", b.name, b.version)
	if err := runShowing(cmd, log, task); err != nil {
		return err
	}
	return os.Rename(out, b.to)
}

// runShowing runs a command that may take minutes, and shows every few seconds that it is
// running. The output of the command is only shown if it fails.
func runShowing(cmd *exec.Cmd, log io.Writer, task string) error {
	fmt.Fprintf(log, "%s ...\n", task)
	begun := time.Now()
	var printed strings.Builder
	cmd.Stdout, cmd.Stderr = &printed, &printed
	done := make(chan error, 1)
	go func() { done <- cmd.Run() }()
	ticker := time.NewTicker(10 * time.Second)
	defer ticker.Stop()
	for {
		select {
		case err := <-done:
			if err != nil {
				return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, printed.String())
			}
			fmt.Fprintf(log, "  done in %s\n", time.Since(begun).Round(time.Second))
			return nil
		case <-ticker.C:
			fmt.Fprintf(log, "  still running after %s\n", time.Since(begun).Round(time.Second))
		}
	}
}
