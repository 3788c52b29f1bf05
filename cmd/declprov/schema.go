package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/declprov/declprov/cmd/declprov/internal/install"
	"github.com/declprov/declprov/cmd/declprov/internal/starter"
)

const schemaHelp = `Schema prints the Pulumi package schema of a spec, from which SDKs and
documentation are generated.

--spec, without a spec, prints what editors need to check, complete and explain
specs: the JSON Schema of specs in YAML, or CUE definitions (--format cue).`

const schemaExamples = `  declprov schema petstore.cue
  declprov schema --spec -o petstore.schema.json
  declprov schema --spec --format cue -o spec.cue`

// schemaOptions are the flags of the command schema.
type schemaOptions struct {
	out, format string
	spec        bool
}

func (a *app) schemaCommand() *cobra.Command {
	o := schemaOptions{}
	cmd := &cobra.Command{
		Use:               "schema SPEC | --spec",
		Short:             "Print the Pulumi package schema of a spec",
		Long:              schemaHelp,
		Example:           schemaExamples,
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.schema(cmd, o, args)
			if err != nil {
				return err
			}
			if o.out != "" {
				return install.WriteFile(o.out, text, 0o644)
			}
			_, err = a.out.Write(text)
			return err
		},
	}
	cmd.Flags().StringVarP(&o.out, "out", "o", "", "write the schema to this `file`")
	cmd.Flags().StringVar(&o.format, "format", "json", "format of the output: json or yaml; with --spec also cue")
	cmd.Flags().BoolVar(&o.spec, "spec", false, "print the schema of specs themselves")
	mustComplete(cmd, "format", "json", "yaml", "cue")
	a.addTagFlag(cmd)
	return cmd
}

// schema returns the schema that the flags and arguments of the command name.
func (a *app) schema(cmd *cobra.Command, o schemaOptions, args []string) ([]byte, error) {
	switch {
	case o.format != "json" && o.format != "yaml" && (o.format != "cue" || !o.spec):
		return nil, usagef("invalid --format %q (use json or yaml; with --spec also cue)", o.format)
	case !o.spec:
		if err := specArgument(cmd, args); err != nil {
			return nil, err
		}
		schema, err := a.packageSchema(cmd, args[0])
		if err != nil {
			return nil, err
		}
		return formatJSON(schema, o.format)
	case len(args) > 0:
		return nil, usagef("--spec describes all specs: %s accepts no SPEC with it, got %q", cmd.CommandPath(), args[0])
	case o.format == "cue":
		return starter.Actions().CUE()
	}
	schema, err := starter.Actions().JSONSchema()
	if err != nil {
		return nil, err
	}
	return formatJSON(schema, o.format)
}

// packageSchema returns the package schema of a spec.
func (a *app) packageSchema(cmd *cobra.Command, path string) ([]byte, error) {
	c, err := a.loadCompiled(cmd.Context(), path)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.Schema()
}

// formatJSON formats a JSON document as JSON or YAML. Members keep their order.
func formatJSON(document []byte, format string) ([]byte, error) {
	var text bytes.Buffer
	if format == "json" {
		if err := json.Indent(&text, bytes.TrimSpace(document), "", "  "); err != nil {
			return nil, fmt.Errorf("the schema is not valid JSON: %w", err)
		}
		text.WriteByte('\n')
		return text.Bytes(), nil
	}
	var node yaml.Node
	if err := yaml.Unmarshal(document, &node); err != nil { // JSON is YAML
		return nil, fmt.Errorf("the schema is not valid JSON: %w", err)
	}
	clearStyle(&node)
	encoder := yaml.NewEncoder(&text)
	encoder.SetIndent(2)
	if err := encoder.Encode(&node); err != nil {
		return nil, fmt.Errorf("writing the schema as YAML: %w", err)
	}
	return text.Bytes(), nil
}

// clearStyle lets the encoder choose the style of a node and of all nodes below it.
func clearStyle(n *yaml.Node) {
	n.Style = 0
	for _, child := range n.Content {
		clearStyle(child)
	}
}
