package block

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

// ModulePath is the CUE module that contains #Asset, #Archive and the schema of
// specs. `import "declprov.dev/spec"` works without a cue.mod.
const ModulePath = "declprov.dev/spec"

// SchemaCUE is the package declprov.dev/spec: #Asset and #Archive, which specs
// import, and the shape of a spec, for editors.
//
//go:generate go test . -run ^TestGenerated$ -update
//go:embed schema.cue
var SchemaCUE []byte

const schemaHead = `// Package spec has the types that a declprov spec may import, and the shape of
// a spec, for editors and for ` + "`cue vet -c=false`" + `:
//
//	package pets
//
//	import "declprov.dev/spec"
//
//	spec.#Provider
//	resources: Pet: spec.#Resource & {…}
//
// ` + "`declprov vet`" + ` does not need it: it checks more than CUE can.
// It is generated from the declarations in spec/load/block.
package spec

// A file that the user passes.
#Asset: {...}

// A folder or an archive file that the user passes.
#Archive: {...}

// A string that may contain ${expr}, or {literal: "…"} for one that does not.
#Text: string | {literal!: string}
`

// Schema describes specs in CUE. It is closed, so that editors find misspelt keys.
// Therefore it must name the families of actions.
type Schema struct {
	Families []Family
	// Data means that it is for specs in YAML and JSON: it has their keys, and is written so
	// that a JSON Schema can be generated from it (cuelang.org/go/encoding/jsonschema 0.17
	// closes both sides of an embedding, and takes {...} for an empty struct).
	Data bool
}

// Family is a family of actions. Doc is a sentence about its actions. Defaults and Action
// are the CUE types of its block of defaults and of its actions; "" is any struct.
type Family struct{ Name, Doc, Defaults, Action string }

// CUE returns the package declprov.dev/spec.
func (s Schema) CUE() string {
	var text strings.Builder
	text.WriteString(schemaHead)
	for _, b := range definitions() {
		text.WriteString("\n")
		if b.Doc != "" {
			fmt.Fprintf(&text, "// %s\n", b.Doc)
		}
		fmt.Fprintf(&text, "#%s: ", b.Name)
		b.write(&text, 1, s)
		text.WriteString("\n")
	}
	if s.Data {
		return strings.ReplaceAll(text.String(), "{...}", "{[string]: _}")
	}
	return text.String()
}

// definitions are the blocks that are definitions of the schema.
func definitions() []*Block {
	return []*Block{Provider, Permissions, Resource, Rest, RestWait, RestDefaults, Operation, Step, Function, Component, Ephemeral}
}

// Fields returns the fields of the CUE struct of a block, without braces.
func (b *Block) Fields() string {
	var text strings.Builder
	b.writeKeys(&text, 1, Schema{})
	return text.String()
}

func (b *Block) write(text *strings.Builder, depth int, s Schema) {
	indent := strings.Repeat("\t", depth)
	text.WriteString("{\n")
	b.writeKeys(text, depth, s)
	text.WriteString(indent[1:] + "}")
}

// writeKeys writes the keys of a block and, for data, those of the blocks that it includes.
func (b *Block) writeKeys(text *strings.Builder, depth int, s Schema) {
	indent := strings.Repeat("\t", depth)
	written := map[string]bool{}
	for _, name := range b.Has {
		if !s.Data {
			fmt.Fprintf(text, "%s#%s\n", indent, name)
			continue
		}
		all := definitions()
		included := all[slices.IndexFunc(all, func(other *Block) bool { return other.Name == name })]
		included.writeKeys(text, depth, s)
		for _, k := range included.Keys {
			written[k.Name] = true
		}
	}
	for _, k := range b.Keys {
		if k.InData && !s.Data || written[k.Name] {
			continue
		}
		mark := "?"
		if k.Required {
			mark = "!"
		}
		fmt.Fprintf(text, "%s// %s\n%s%s%s: ", indent, k.Doc, indent, k.Name, mark)
		k.write(text, depth, s)
		text.WriteString("\n")
	}
	for _, f := range s.Families {
		switch b {
		case Provider:
			fmt.Fprintf(text, "%s// Defaults for every %s action.\n%s%s?: %s\n", indent, f.Name, indent, f.Name, cmp.Or(f.Defaults, "{...}"))
		case Step:
			fmt.Fprintf(text, "%s// %s\n%s%s?: %s\n", indent, f.Doc, indent, f.Name, cmp.Or(f.Action, "{...}"))
		}
	}
}

// write writes the CUE type of the value of a key.
func (k *Key) write(text *strings.Builder, depth int, s Schema) {
	if k.Null {
		text.WriteString("null | ")
	}
	switch {
	case k.CUE != "":
		text.WriteString(k.CUE)
		return
	case k.Kind == List:
		text.WriteString("[...")
		if k.Or != "" {
			text.WriteString(k.Or + " | ")
		}
		defer text.WriteString("]")
	case k.Kind == Members:
		fmt.Fprintf(text, "[=~%q]: ", k.Members.Pattern.String())
	case k.Kind == Short:
		text.WriteString("string | ")
	case k.Kind == Types && s.Data:
		text.WriteString("{...}") // in CUE, it would open the blocks of types
		return
	case k.Kind != Struct:
		text.WriteString(cueTypes[k.Kind])
		return
	}
	if k.Of.Name != "" {
		text.WriteString("#" + k.Of.Name)
		return
	}
	k.Of.write(text, depth+1, s)
}
