// Package builtin lists the families of actions in this binary, and generates documentation
// and definitions from them.
package builtin

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/exec"
	"github.com/declprov/declprov/actions/file"
	"github.com/declprov/declprov/actions/http"
	"github.com/declprov/declprov/actions/sql"
	"github.com/declprov/declprov/spec"
)

//go:generate go test . -run ^TestGenerated$ -update

// Families returns all families, in the order of the documentation.
func Families() []*actions.Family {
	commands := exec.Family()
	return []*actions.Family{file.Family(), http.Family(commands), commands, sql.Family(openSQL())}
}

// Variant returns the variant of the serving binary that a spec needs, or "": that of a
// family for which it has a block of defaults.
func Variant(p *spec.Provider) string {
	for _, block := range p.Families {
		for _, f := range Families() {
			if f.Name == block.Name && f.Variant != "" {
				return f.Variant
			}
		}
	}
	return ""
}
