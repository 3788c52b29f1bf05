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

// schemaPrinter is one run of the schema command.
type schemaPrinter struct {
	*app
	file, format string
	ofSpecs      bool
}

func schemaCommand(a *app) *cobra.Command {
	p := &schemaPrinter{app: a}
	cmd := &cobra.Command{
		Use:               "schema SPEC | --spec",
		Short:             "Print the Pulumi package schema of a spec",
		Long:              schemaHelp,
		Example:           schemaExamples,
		ValidArgsFunction: completeSpec,
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := p.schema(cmd, args)
			if err != nil {
				return err
			}
			if p.file != "" {
				return install.WriteFile(p.file, text, 0o644)
			}
			_, err = a.out.Write(text)
			return err
		},
	}
	cmd.Flags().StringVarP(&p.file, "out", "o", "", "write the schema to this `file`")
	cmd.Flags().StringVar(&p.format, "format", "json", "format of the output: json or yaml; with --spec also cue")
	cmd.Flags().BoolVar(&p.ofSpecs, "spec", false, "print the schema of specs themselves")
	mustComplete(cmd, "format", "json", "yaml", "cue")
	a.addTagFlag(cmd)
	return cmd
}

// schema returns the schema that the flags and arguments of the command name.
func (p *schemaPrinter) schema(cmd *cobra.Command, args []string) ([]byte, error) {
	switch {
	case p.format != "json" && p.format != "yaml" && (p.format != "cue" || !p.ofSpecs):
		return nil, usagef("invalid --format %q (use json or yaml; with --spec also cue)", p.format)
	case !p.ofSpecs:
		if err := specArgument(cmd, args); err != nil {
			return nil, err
		}
		schema, err := p.packageSchema(cmd, args[0])
		if err != nil {
			return nil, err
		}
		return formatJSON(schema, p.format)
	case len(args) > 0:
		return nil, usagef("--spec describes all specs: %s accepts no SPEC with it, got %q", cmd.CommandPath(), args[0])
	case p.format == "cue":
		return starter.Actions().CUE()
	}
	schema, err := starter.Actions().JSONSchema()
	if err != nil {
		return nil, err
	}
	return formatJSON(schema, p.format)
}

// packageSchema returns the package schema of a spec.
func (p *schemaPrinter) packageSchema(cmd *cobra.Command, path string) ([]byte, error) {
	c, err := p.loadCompiled(cmd.Context(), path)
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
