// Package plugin runs a process that Pulumi started as a plugin. declprov and
// pulumi-resource-declprov both call Run, and either may be started as any kind of plugin.
package plugin

import (
	"context"
	"fmt"
	"os"

	"github.com/declprov/declprov/cmd/declprov/internal/project"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/cmd/declprov/internal/startup"
	"github.com/declprov/declprov/engine/pulumi/language"
	"github.com/declprov/declprov/spec/screen"
)

// exitCrash is the exit code of a language host that cannot start, or fails.
const exitCrash = 2

// Run runs the plugin that the name of the process and its first argument determine: the
// provider of a folder with a PulumiPlugin.yaml (`runtime: declprov`), the language host of such folders, or an installed
// provider. It returns the exit code. ok is false if the process is not a plugin.
func Run(ctx context.Context, tool serving.Tool, argv []string) (code int, ok bool) {
	if len(argv) > 1 && argv[1] == serving.SpecCommand {
		return tool.RunSpec(ctx, argv[2:]), true
	}
	if language.IsHost(argv[0]) {
		return runHost(ctx, tool, argv[1:]), true
	}
	if name, ok := startup.ProviderName(argv[0]); ok {
		return tool.Run(ctx, name, argv[1:]), true
	}
	return 0, false
}

func runHost(ctx context.Context, tool serving.Tool, args []string) (code int) {
	if err := project.RunHost(ctx, tool, args); err != nil {
		fmt.Fprintln(os.Stderr, screen.Show(err.Error(), nil))
		return exitCrash
	}
	return 0
}
