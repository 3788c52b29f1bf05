package typing

import (
	"fmt"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/source"
)

// CheckNested reports @noRead of members of a resource's inputs or outputs, which only the inputs and outputs
// themselves can have: what a read leaves out of a struct counts as removed. A definition may be the type
// of whole inputs elsewhere, so that its own attributes do not tell.
func CheckNested(x *Extractor, of *spec.Type, types spec.Types, p source.Place) {
	if of == nil {
		return
	}
	w := nestedWalk{x, types, p, map[string]bool{}}
	for _, f := range of.Fields {
		w.walk(f.Type)
	}
}

// nestedWalk goes through the types of inputs or outputs.
type nestedWalk struct {
	*Extractor
	types spec.Types
	place source.Place
	seen  map[string]bool // the definitions that were visited, which may refer to themselves
}

func (w nestedWalk) walk(t *spec.Type) {
	if t == nil || w.seen[t.Ref] {
		return
	}
	w.seen[t.Ref] = t.Ref != ""
	t = w.types.Resolve(t)
	for _, f := range t.Fields {
		if f.NoRead {
			w.Report(source.CodeMisplacedAttribute, f.Range, w.place, fmt.Sprintf("@noRead of %s has no effect inside a nested struct", f.Name),
				fmt.Sprintf("Put it on the input or output that holds the struct, or make %s an input of its own, which the requests put into the struct.", f.Name))
		}
		w.walk(f.Type)
	}
	w.walk(t.Elem)
	for _, v := range t.Variants {
		w.walk(v)
	}
}
