package main

import (
	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/serving"
)

const serveHelp = `Serve runs the provider of a spec until it is interrupted, and prints its port.
Pulumi uses it instead of starting one when PULUMI_DEBUG_PROVIDERS names it:

  declprov serve petstore.cue          prints 40123
  PULUMI_DEBUG_PROVIDERS=petstore:40123 pulumi up

Each provider that attaches has a configuration of its own. Relative paths start
at the folder that serve runs in, not at the program's: run it there.

With --debug it says on standard error what happens.`

func (a *app) serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:               "serve SPEC",
		Short:             "Serve a spec for a Pulumi that attaches to it",
		Long:              serveHelp,
		Args:              specArgument,
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.compiled(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer c.Close()
			p, err := serving.Program(c)
			if err != nil {
				return err
			}
			return serving.Serve(cmd.Context(), a.log(), p, c, "")
		},
	}
	a.addTagFlag(cmd)
	return cmd
}
