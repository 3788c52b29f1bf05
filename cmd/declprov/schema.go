package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/declprov/declprov/cmd/declprov/internal/install"
)

const schemaHelp = `Schema prints the Pulumi package schema of a spec, from which SDKs and
documentation are generated.`

func (a *app) schemaCommand() *cobra.Command {
	out := ""
	cmd := &cobra.Command{
		Use:               "schema SPEC",
		Short:             "Print the Pulumi package schema of a spec",
		Long:              schemaHelp,
		Args:              specArgument,
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := a.loadCompiled(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			defer c.Close()
			schema, err := c.Schema()
			if err != nil {
				return err
			}
			var text bytes.Buffer
			if err := json.Indent(&text, schema, "", "  "); err != nil {
				return fmt.Errorf("the schema of %s is not valid JSON: %w", args[0], err)
			}
			text.WriteByte('\n')
			if out != "" {
				return install.WriteFile(out, text.Bytes(), 0o644)
			}
			_, err = a.out.Write(text.Bytes())
			return err
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "write the schema to this `file`")
	a.addTagFlag(cmd)
	return cmd
}
