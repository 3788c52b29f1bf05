package block_test

import (
	"testing"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
)

// TestKeysAreKept checks that the value of each key is kept: the loader knows its
// member of the model, and no other key has the same one.
func TestKeysAreKept(t *testing.T) {
	for declared, model := range map[*block.Block]any{
		block.Provider: &spec.Provider{}, block.Permissions: &spec.Permissions{}, block.Resource: &spec.Resource{}, block.Check: &spec.Check{},
		block.Diff: &spec.Diff{}, block.DiffRule: &spec.DiffRule{}, block.Lister: &spec.Lister{}, block.Operation: &spec.Operation{}, block.Step: &spec.Step{},
		block.Component: &spec.Component{}, block.Child: &spec.Child{}, block.Ephemeral: &spec.Ephemeral{},
	} {
		kept := map[any]string{}
		for _, key := range declared.Keys {
			if key.Into == nil {
				continue
			}
			into := key.Into(model)
			switch into.(type) {
			case *string, *[]string, *int, *bool, **spec.Node, *[]*spec.Node, **spec.Operation:
			default:
				t.Errorf("%s: %s is kept in a %T", declared.What, key.Name, into)
			}
			if other, taken := kept[into]; taken {
				t.Errorf("%s: %s and %s are kept in one place", declared.What, other, key.Name)
			}
			kept[into] = key.Name
		}
	}
}
