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
	cuePackage        = "cuelang.org/go/cmd/cue"
	cueModule         = "cuelang.org/go"
	pulumiPackage     = "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi"
	pulumiModule      = "github.com/pulumi/pulumi/pkg/v3"
	pulumiYAMLPackage = "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"
	pulumiYAMLModule  = "github.com/pulumi/pulumi-yaml"
	// pulumiVersion is the linker variable for the version of the CLI. Without it, the
	// automation API refuses the CLI.
	pulumiVersion = "github.com/pulumi/pulumi/sdk/v3/go/common/version.Version"
)

// goProgram is a program that is built from a package of a module, which a go.mod pins.
type goProgram struct {
	name, purpose string
	pkg, module   string
	// pins is the folder of the go.mod, below the root of the repository.
	pins string
	// folder returns the folder of the program.
	folder func(root string) (string, error)
	// stamp is a linker flag for the version, or "".
	stamp string
}

// pulumiProgram returns a program of Pulumi.
func pulumiProgram(name, purpose, pkg, module, stamp string) goProgram {
	return goProgram{name: name, purpose: purpose, pkg: pkg, module: module, pins: "tests/tools", folder: cliFolder, stamp: stamp}
}

// cueProgram returns CUE's command line.
func cueProgram() goProgram {
	p := goProgram{name: CUE, purpose: "editors: the definitions in CUE's language server", pkg: cuePackage, module: cueModule, pins: "tests/tools/cue"}
	p.folder = func(root string) (string, error) {
		version, err := p.version(root)
		return filepath.Join(root, ".tools", "cue-"+version), err
	}
	return p
}

// version returns the pinned version.
func (p goProgram) version(root string) (string, error) { return pinnedVersion(root, p.pins, p.module) }

// path returns the path of the program.
func (p goProgram) path(root string) (string, error) {
	dir, err := p.folder(root)
	return filepath.Join(dir, p.name+exeSuffix()), err
}

// tool returns the program as a tool.
func (p goProgram) tool() Tool {
	return Tool{
		Name: p.name, For: p.purpose, GoOnly: true,
		find: func(root string) (string, error) {
			path, err := p.path(root)
			if err != nil {
				return "", err
			}
			return findFile(path)
		},
		install: func(ctx context.Context, root string, log io.Writer) error {
			path, err := p.path(root)
			if err != nil {
				return err
			}
			version, err := p.version(root)
			if err != nil {
				return err
			}
			flags := "-s -w"
			if p.stamp != "" {
				flags += " " + p.stamp + version
			}
			return buildGo(ctx, log, goBuild{name: p.name, version: version, in: filepath.Join(root, filepath.FromSlash(p.pins)), pkg: p.pkg, flags: flags, to: path})
		},
	}
}

// cliFolder returns the folder of the CLI and its YAML host. They are in one folder, so that
// the CLI finds the host without a warning. The name contains both versions, so that a new
// pin causes a new build.
func cliFolder(root string) (string, error) {
	cli, err := pinnedVersion(root, "tests/tools", pulumiModule)
	if err != nil {
		return "", err
	}
	host, err := pinnedVersion(root, "tests/tools", pulumiYAMLModule)
	return filepath.Join(root, ".tools", "pulumi-"+cli+"-yaml-"+host, "bin"), err
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// pinnedVersion returns the version of a module in the go.mod of a folder.
func pinnedVersion(root, folder, module string) (string, error) {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(folder), "go.mod"))
	if err != nil {
		return "", fmt.Errorf("reading the pinned version of %s: %w", module, err)
	}
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == module {
			return fields[1], nil
		}
	}
	return "", fmt.Errorf("%s/go.mod does not require %s", folder, module)
}

// goBuild is a build of a package in a module, in the folder `in`.
type goBuild struct{ name, version, in, pkg, flags, to string }

// buildGo builds to a temporary file and renames it, so that an interrupted build leaves no
// partial program.
func buildGo(ctx context.Context, log io.Writer, b goBuild) error {
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
	cmd.Dir = b.in
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
