package main

import (
	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/serving"
)

const serveHelp = `Serve runs the provider of a spec until it is interrupted, and prints its port.
If PULUMI_DEBUG_PROVIDERS contains that port, Pulumi uses this provider instead of
starting one:

  declprov serve petstore.cue          prints 40123
  PULUMI_DEBUG_PROVIDERS=petstore:40123 pulumi up

Each provider of a program that attaches has a separate configuration. Relative
paths start at the working directory of serve: run it in the folder of the program.

--debug writes debug logs to standard error.`

func serveCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:               "serve SPEC",
		Short:             "Serve a spec, for Pulumi to attach to",
		Long:              serveHelp,
		Args:              specArgument,
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.loadCompiled(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer c.Close()
			p, err := tool().Program(c)
			if err != nil {
				return err
			}
			return serving.Serve(cmd.Context(), a.log(), p, c, "")
		},
	}
	a.addTagFlag(cmd)
	return cmd
}
