package starter

import (
	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/editor"
)

// Actions returns what editors learn about the actions of declprov.
func Actions() editor.Actions {
	a := editor.Actions{Definitions: builtin.Definitions(block.Defaults.Fields())}
	for _, f := range builtin.Families() {
		action, defaults := builtin.DefinitionsOf(f)
		a.Families = append(a.Families, block.Family{Name: f.Name, Doc: f.Summary, Action: action, Defaults: defaults})
	}
	return a
}
