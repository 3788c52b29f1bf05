package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/install"
)

const uninstallHelp = `Uninstall takes a provider out of Pulumi's plugins again: one version, or all that
declprov installed. Plugins of others are left alone.

With --dir, it removes the binary from that folder, and leaves the spec.`

func (a *app) uninstallCommand() *cobra.Command {
	dir := ""
	cmd := &cobra.Command{
		Use:     "uninstall NAME[@VERSION]",
		Short:   "Take an installed provider away",
		Long:    uninstallHelp,
		Example: "  declprov uninstall petstore@1.2.0",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("%s takes one NAME or NAME@VERSION, and got %d arguments", cmd.CommandPath(), len(args))
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
				return failed{err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the `folder` that it was installed into")
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
