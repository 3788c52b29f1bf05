// Package project runs the providers of checked-out projects: folders with a spec and a
// PulumiPlugin.yaml that contains `runtime: declprov`.
package project

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/serving"
	"github.com/declprov/declprov/engine/pulumi/language"
)

// RunHost serves the language host that Pulumi started with these arguments.
func RunHost(ctx context.Context, tool serving.Tool, args []string) error {
	return language.Run(ctx, language.Options{
		Version:   tool.SemanticVersion(),
		Arguments: serveArguments,
		Check: func(ctx context.Context, f language.Folder, stderr io.Writer) error {
			return check(ctx, tool, f, stderr)
		},
	}, args)
}

// check compiles the spec of a folder, so that later starts find it in the cache, and checks the
// name by which a program refers to it.
func check(ctx context.Context, tool serving.Tool, f language.Folder, stderr io.Writer) error {
	spec, err := findSpec(f)
	if err != nil {
		return err
	}
	c, err := tool.Builder(stderr, slog.New(slog.DiscardHandler)).Open(ctx, spec)
	if err != nil {
		return serving.WithFindings(err)
	}
	defer c.Close()
	described, err := c.Provider()
	if err != nil {
		return err
	}
	workingDir, err := os.Getwd()
	if err != nil {
		return err
	}
	return checkName(f.Dir, workingDir, described.Name)
}

// serveArguments returns the arguments with which this binary serves the spec of a folder.
func serveArguments(f language.Folder) ([]string, error) {
	spec, err := findSpec(f)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(spec)
	return []string{serving.SpecCommand, string(text)}, err
}

// SchemaExtension is the extension of files with the JSON Schema of specs. Such a file may be
// next to a spec, and is none itself.
const SchemaExtension = ".schema.json"

// options are those of the runtime in PulumiPlugin.yaml:
//
//	runtime:
//	  name: declprov
//	  options: {spec: ./specs/petstore.cue, tags: [stage=test]}
type options struct {
	// spec is the path of the spec, relative to the folder; "" is the only spec there.
	spec string
	// tags are values of CUE's `@tag`, as key=value.
	tags []string
}

// findSpec returns the spec of the provider in a folder.
func findSpec(f language.Folder) (build.Spec, error) {
	o, err := readOptions(f.Options)
	if err != nil {
		return build.Spec{}, fmt.Errorf("%s: %w", filepath.Join(f.Dir, "PulumiPlugin.yaml"), err)
	}
	path := filepath.Join(f.Dir, o.spec)
	if o.spec == "" {
		if path, err = onlySpec(f.Dir); err != nil {
			return build.Spec{}, err
		}
	}
	return build.Spec{Path: path, Tags: o.tags}, nil
}

// readOptions returns the options of the runtime, or an error for others.
func readOptions(given map[string]any) (o options, err error) {
	for name, v := range given {
		switch name {
		case "spec":
			path, ok := v.(string)
			if !ok || path == "" || filepath.IsAbs(path) {
				return o, fmt.Errorf("runtime option spec: expected a path relative to the folder of PulumiPlugin.yaml, got %v", v)
			}
			o.spec = path
		case "tags":
			list, ok := v.([]any)
			for _, item := range list {
				tag, isText := item.(string)
				ok = ok && isText && strings.Contains(tag, "=")
				o.tags = append(o.tags, tag)
			}
			if !ok {
				return o, fmt.Errorf("runtime option tags: expected a list of key=value, got %v", v)
			}
		default:
			return o, fmt.Errorf("unknown runtime option %q; the options are spec and tags", name)
		}
	}
	return o, nil
}

// onlySpec returns the spec in a folder: its CUE files, which are one package, or else its
// only YAML or JSON file.
func onlySpec(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	var cue, data []string
	for _, e := range entries {
		name := e.Name()
		switch strings.ToLower(filepath.Ext(name)) {
		case ".cue":
			cue = append(cue, name)
		case ".yaml", ".yml", ".json":
			if !isPulumiFile(name) && !strings.HasSuffix(name, SchemaExtension) {
				data = append(data, name)
			}
		}
	}
	switch {
	case len(cue) == 1:
		return filepath.Join(dir, cue[0]), nil
	case len(cue) > 1:
		return dir, nil
	case len(data) == 1:
		return filepath.Join(dir, data[0]), nil
	case len(data) > 1:
		return "", fmt.Errorf("%s contains %s: name the spec in PulumiPlugin.yaml: `runtime: {name: declprov, options: {spec: %s}}`",
			dir, strings.Join(data, " and "), data[0])
	}
	return "", fmt.Errorf("%s contains no spec: add provider.cue or provider.yaml beside PulumiPlugin.yaml, "+
		"or name the spec there: `runtime: {name: declprov, options: {spec: PATH}}`", dir)
}

// isPulumiFile reports whether Pulumi itself reads a file: PulumiPlugin.yaml, Pulumi.yaml, or
// the configuration of a stack.
func isPulumiFile(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	return slices.Contains([]string{"Pulumi", "PulumiPlugin", "PulumiPolicy"}, stem)
}
