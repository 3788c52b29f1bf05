package load

import _ "embed"

// SchemaCUE is the package declprov.dev/spec: #Asset and #Archive, which specs
// import, and the shape of a spec, for editors.
//
//go:embed schema.cue
var SchemaCUE []byte
