package load

import _ "embed"

// SchemaCUE is the package declprov.dev/spec: #Asset and #Archive, which specs
// import, and the shape of a spec, for editors.
//
//go:embed schema.cue
var SchemaCUE []byte

// ModulePath is the CUE module that has #Asset, #Archive and the shape of a
// spec; `import "declprov.dev/spec"` finds it without a cue.mod.
const ModulePath = "declprov.dev/spec"
