package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/engine/pulumi/language"
)

const uninstallHelp = `Uninstall removes a provider from Pulumi's plugins: one version, or all versions
that declprov installed. It does not remove other plugins.

--dir removes the binary of the provider from that folder, and keeps the spec.
--runtime removes the plugin that "install --runtime" installed; "uninstall declprov"
removes that of "install --base".`

func uninstallCommand(a *app) *cobra.Command {
	dir, runtime := "", false
	cmd := &cobra.Command{
		Use:     "uninstall NAME[@VERSION] | --runtime",
		Short:   "Remove an installed provider",
		Long:    uninstallHelp,
		Example: "  declprov uninstall petstore@1.2.0",
		Args: func(cmd *cobra.Command, args []string) error {
			if runtime && dir == "" {
				return cobra.NoArgs(cmd, args)
			}
			if len(args) != 1 {
				return usagef("%s requires one NAME or NAME@VERSION, got %d arguments", cmd.CommandPath(), len(args))
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			kind, plugin := install.Language, language.Runtime
			if !runtime {
				kind, plugin = install.Resource, args[0]
			}
			name, version, _ := strings.Cut(plugin, "@")
			removed, err := removePlugin(dir, kind, name, strings.TrimPrefix(version, "v"))
			for _, path := range removed {
				fmt.Fprintf(a.out, "Removed %s\n", path)
			}
			if err != nil {
				return failedError{err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the `folder` that the provider was installed into")
	cmd.Flags().BoolVar(&runtime, "runtime", false, "remove the plugin that runs checked-out projects")
	return cmd
}

func removePlugin(dir string, kind install.Kind, name, version string) ([]string, error) {
	if dir != "" {
		return install.RemoveFrom(dir, name)
	}
	plugins, err := install.Plugins()
	if err != nil {
		return nil, err
	}
	return install.Remove(plugins, kind, name, version)
}
