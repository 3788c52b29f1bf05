// Package schema generates the documents from which hosts generate SDKs,
// documentation and checks of programs. It does not depend on a protocol.
package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/encode"
	"github.com/declprov/declprov/spec/names"
)

// codeSchema: the Pulumi schema of the spec cannot be generated.
const codeSchema = "schema"

// Pulumi returns the Pulumi package schema of a spec as JSON. Equal specs have equal
// schemas, regardless of the order of their resources and properties. names.Lint must
// find no errors in the spec.
//
// The schema describes what the engine serves: resources with their methods,
// components, functions including those that open ephemerals, and configuration. It
// omits what is not served yet, so that a program that uses it fails when it is
// compiled, and not when it runs.
func Pulumi(p *spec.Provider) ([]byte, diag.List) {
	g := generator{typeGenerator: &typeGenerator{
		name:  p.Name,
		named: p.Types,
		shown: names.SchemaTypes(p),
		types: map[string]complexType{},
		names: newTypeNames(p),
		refs:  map[string]string{},
		open:  map[string]bool{},
	}, modules: modulesOf(p)}
	doc := g.metadata(p.Metadata)
	g.nameTypes()
	doc.Config, doc.Provider = g.provider(p)
	doc.Resources = map[string]resource{}
	doc.Functions = map[string]function{}
	for _, r := range slices.SortedFunc(slices.Values(p.Resources), byName) {
		described := g.resource(r)
		described.Methods = g.methods(r, doc.Functions)
		doc.Resources[g.token(r.Name)] = described
	}
	for _, m := range slices.SortedFunc(slices.Values(p.Components), func(a, b *spec.Component) int { return compareNames(a.Name, b.Name) }) {
		doc.Resources[g.token(m.Name)] = g.component(m)
	}
	for _, f := range slices.SortedFunc(slices.Values(names.Functions(p)), func(a, b *spec.Function) int { return compareNames(a.Name, b.Name) }) {
		doc.Functions[g.token(f.Name)] = g.function(f)
	}
	doc.Types = g.types
	text, err := encode.JSON(doc)
	if err != nil {
		return nil, diag.List{{
			Severity: diag.Error, Code: codeSchema, Subject: p.Range, Path: "language",
			Summary: fmt.Sprintf("the schema cannot be written: %v", err),
		}}
	}
	return text, nil
}

func byName(a, b *spec.Resource) int { return strings.Compare(a.Name, b.Name) }

// generator is the state of the generation of a schema. It describes resources and functions; its
// typeGenerator describes their types.
type generator struct {
	*typeGenerator
	modules modules
}

// typeGenerator is the state of the generation of types.
type typeGenerator struct {
	// name is the name of the package.
	name  string
	named spec.Types
	// shown are the named types that the schema describes.
	shown spec.Types
	types map[string]complexType
	names *typeNames
	// refs are the names in the schema of the author's definitions. open are the
	// definitions that are being described; it ends the recursion of definitions without
	// a name in the schema, such as a list of itself.
	refs map[string]string
	open map[string]bool
}

// token returns the full name of a resource or type.
func (g *typeGenerator) token(name string) string { return g.name + ":index:" + name }

func (g generator) metadata(m spec.Metadata) pkg {
	doc := pkg{
		Name: m.Name, DisplayName: m.DisplayName, Version: m.Version, Description: m.Description,
		Keywords: slices.Clone(m.Keywords), Homepage: m.Homepage, License: m.License,
		Repository: m.Repository, LogoURL: m.Logo, Publisher: m.Publisher,
		Namespace: m.Namespace, PluginDownloadURL: m.PluginDownloadURL,
		Meta: meta{ModuleFormat: "(.*)"}, Language: languages(m.Language),
	}
	// Pulumi's registry classifies packages by this keyword.
	if !slices.ContainsFunc(doc.Keywords, func(k string) bool { return strings.HasPrefix(k, "kind/") }) {
		doc.Keywords = append(doc.Keywords, "kind/native")
	}
	return doc
}

// generatorOptions returns the options for SDK generators that a spec may override. Without
// respectSchemaVersion, an SDK does not contain the provider's version, and accepts any
// version of the plugin. Without pyproject, a Python SDK has no pyproject.toml, and uv
// refuses to install it.
func generatorOptions() map[string]map[string]any {
	return map[string]map[string]any{
		"go":     {"respectSchemaVersion": true},
		"nodejs": {"respectSchemaVersion": true},
		"python": {"respectSchemaVersion": true, "pyproject": map[string]any{"enabled": true}},
	}
}

// languages returns the author's options for SDK generators, completed by ours.
func languages(author map[string]any) map[string]any {
	all := maps.Clone(author)
	if all == nil {
		all = map[string]any{}
	}
	for name, options := range generatorOptions() {
		given, _ := all[name].(map[string]any)
		maps.Copy(options, given)
		all[name] = options
	}
	return all
}

// provider returns the configuration, as variables of a stack and as inputs of an
// explicit provider.
func (g generator) provider(p *spec.Provider) (config, resource) {
	t := p.Config
	if t == nil {
		t = &spec.Type{Kind: spec.Object}
	}
	variables, required := g.properties(t, "Config", input)
	outputs, _ := g.properties(t, "Config", output)
	for _, f := range t.Fields {
		if f.Ephemeral {
			delete(outputs, f.Name)
		}
	}
	return config{Variables: variables, Required: required}, resource{
		objectType:      objectType{Description: "The provider of " + title(p.Metadata) + ".", Properties: outputs},
		InputProperties: variables,
		RequiredInputs:  required,
	}
}

func title(m spec.Metadata) string {
	if m.DisplayName != "" {
		return m.DisplayName
	}
	return m.Name
}

type parameterization struct {
	BaseProvider baseProvider `json:"baseProvider"`
	// Parameter is encoded as base64.
	Parameter []byte `json:"parameter"`
}

type baseProvider struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Parameterized adds a parameterization to a schema: the package is then served by
// the provider with the name and version when it gets the parameter. It is added when
// a schema is requested, because the compiled spec, which contains the schema, is the same
// without parameters.
func Parameterized(text []byte, name, version string, parameter []byte) ([]byte, error) {
	block, err := json.Marshal(parameterization{baseProvider{name, version}, parameter})
	if err != nil {
		return nil, err
	}
	open, ok := bytes.CutSuffix(bytes.TrimSpace(text), []byte("}"))
	if !ok || len(open) < 2 {
		return nil, errors.New("the text to parameterize is not a schema")
	}
	out := make([]byte, 0, len(open)+len(block)+len(`,"parameterization":}`))
	out = append(append(out, open...), `,"parameterization":`...)
	return append(append(out, block...), '}'), nil
}
