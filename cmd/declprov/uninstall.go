package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/install"
)

const uninstallHelp = `Uninstall removes a provider from Pulumi's plugins: one version, or all versions
that declprov installed. It does not remove other plugins.

--dir removes the binary of the provider from that folder, and keeps the spec.`

func (a *app) uninstallCommand() *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use:     "uninstall NAME[@VERSION]",
		Short:   "Remove an installed provider",
		Long:    uninstallHelp,
		Example: "  declprov uninstall petstore@1.2.0",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("%s requires one NAME or NAME@VERSION, got %d arguments", cmd.CommandPath(), len(args))
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			name, version, _ := strings.Cut(args[0], "@")
			removed, err := removeProvider(dir, name, strings.TrimPrefix(version, "v"))
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
	return cmd
}

func removeProvider(dir, name, version string) ([]string, error) {
	if dir != "" {
		return install.RemoveFrom(dir, name)
	}
	plugins, err := install.Plugins()
	if err != nil {
		return nil, err
	}
	return install.Remove(plugins, name, version)
}
