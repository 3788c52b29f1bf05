// Package editor generates what editors need to check, complete and explain specs: a CUE
// package, and a JSON Schema for specs in YAML and JSON.
package editor

import (
	"bytes"
	"encoding/json"
	"fmt"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/encoding/jsonschema"

	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
)

// DefinitionsPath is the file of the definitions in a folder with a spec in CUE. CUE's tools
// find packages there without a registry.
const DefinitionsPath = "cue.mod/pkg/" + block.ModulePath + "/spec.cue"

// Modeline returns the comment by which a spec in YAML names its JSON Schema to editors.
func Modeline(path string) string { return "# yaml-language-server: $schema=" + path }

// Module returns a cue.mod/module.cue. The version of the language is that in which declprov
// reads specs without a module.
func Module(name string) string {
	return fmt.Sprintf("module: \"spec.example/%s\"\nlanguage: version: %q\n", name, source.LanguageVersion)
}

// Actions are the families of actions that specs can use. Definitions are those to which
// the types of the families refer, in CUE.
type Actions struct {
	Families    []block.Family
	Definitions string
}

// CUE returns the CUE package declprov.dev/spec. Its #Provider describes specs, with the
// arguments of all actions.
func (a Actions) CUE() ([]byte, error) {
	text, err := format.Source([]byte(a.definitions(false)))
	if err != nil {
		return nil, fmt.Errorf("the CUE definitions of declprov are invalid: %w", err)
	}
	return text, nil
}

// definitions describes specs in CUE, or those in YAML and JSON.
func (a Actions) definitions(data bool) string {
	return block.Schema{Families: a.Families, Data: data}.CUE() + "\n" + a.Definitions
}

// JSONSchema returns the JSON Schema of specs in YAML and JSON.
func (a Actions) JSONSchema() ([]byte, error) {
	ctx := cuecontext.New()
	provider := ctx.CompileString(a.definitions(true)).LookupPath(cue.ParsePath("#Provider"))
	expr, err := jsonschema.Generate(provider, nil)
	if err != nil {
		return nil, fmt.Errorf("the definitions of declprov have no JSON Schema: %w", err)
	}
	compact, err := ctx.BuildExpr(expr).MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("writing the JSON Schema: %w", err)
	}
	var text bytes.Buffer
	if err := json.Indent(&text, compact, "", "  "); err != nil {
		return nil, fmt.Errorf("writing the JSON Schema: %w", err)
	}
	text.WriteByte('\n')
	return text.Bytes(), nil
}
