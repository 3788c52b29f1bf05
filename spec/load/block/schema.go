package block

import (
	_ "embed"
	"fmt"
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
//	@experiment(explicitopen)
//	package pets
//
//	import "declprov.dev/spec"
//
//	spec.#Provider...
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

// Schema returns the text of SchemaCUE for a binary with these families of actions.
// The schema is closed, so that editors find misspelt keys. Therefore it must name
// the families.
func Schema(families []string) string {
	var text strings.Builder
	text.WriteString(schemaHead)
	for _, b := range []*Block{Provider, Permissions, Resource, Rest, Operation, Step, Function, Component, Ephemeral} {
		text.WriteString("\n")
		if b.Doc != "" {
			fmt.Fprintf(&text, "// %s\n", b.Doc)
		}
		fmt.Fprintf(&text, "#%s: ", b.Name)
		b.write(&text, 1, families)
		text.WriteString("\n")
	}
	return text.String()
}

// CUE returns a block as a CUE struct.
func (b *Block) CUE() string {
	var text strings.Builder
	b.write(&text, 1, nil)
	return text.String()
}

func (b *Block) write(text *strings.Builder, depth int, families []string) {
	indent := strings.Repeat("\t", depth)
	text.WriteString("{\n")
	for _, other := range b.Has {
		fmt.Fprintf(text, "%s#%s\n", indent, other)
	}
	for _, k := range b.Keys {
		if k.InData {
			continue
		}
		mark := "?"
		if k.Required {
			mark = "!"
		}
		fmt.Fprintf(text, "%s// %s\n%s%s%s: ", indent, k.Doc, indent, k.Name, mark)
		k.write(text, depth)
		text.WriteString("\n")
	}
	if b == Provider || b == Step {
		for _, name := range families {
			if b == Provider {
				fmt.Fprintf(text, "%s// Defaults for every %s action.\n", indent, name)
			}
			fmt.Fprintf(text, "%s%s?: {...}\n", indent, name)
		}
	}
	text.WriteString(indent[1:] + "}")
}

// write writes the CUE type of the value of a key.
func (k *Key) write(text *strings.Builder, depth int) {
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
	case k.Kind != Struct:
		text.WriteString(cueTypes[k.Kind])
		return
	}
	if k.Of.Name != "" {
		text.WriteString("#" + k.Of.Name)
		return
	}
	k.Of.write(text, depth+1, nil)
}
