package typing

import (
	"fmt"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
)

// inner is a definition to which a part of the type of a property refers. Its attributes hold for that part.
type inner struct {
	walk.Item
	// part says which values are of the definition, if not each value of the property is: "an alternative", "the
	// items of a list" or "the values of a map".
	part string
	name string // such as #Port
}

// inners returns the definitions in the type of a property, also those in a disjunction, in a conjunction, and in lists
// and maps. The members of structs are properties of their own.
func (r *attributeReader) inners() []inner {
	i := &innerDefinitions{attributeReader: r, seen: map[string]bool{}}
	i.add(r.item, "")
	return i.found
}

type innerDefinitions struct {
	*attributeReader
	seen  map[string]bool
	found []inner
}

// add adds the definitions in a type.
func (i *innerDefinitions) add(it walk.Item, part string) {
	for hops := 0; hops < source.MaxDepth; hops++ {
		_, path := it.Value.ReferencePath()
		if len(path.Selectors()) == 0 {
			break
		}
		key := path.String() + " " + part
		if i.seen[key] {
			return
		}
		i.seen[key] = true
		it = i.Target(it)
		i.found = append(i.found, inner{it, part, path.String()})
	}
	v := cue.Dereference(it.Value)
	switch op, args := v.Expr(); {
	case op == cue.OrOp:
		i.addAlternatives(it, i.flattenDisjuncts(it, args, 0), part)
	case op == cue.AndOp:
		for _, a := range args {
			i.add(i.Part(it, a), part)
		}
	case op == cue.NoOp && len(args) == 1 && isDisjunction(it.Expr, v):
		i.add(i.Part(it, args[0]), part)
	case v.IncompleteKind() == cue.ListKind:
		if elem := v.LookupPath(cue.MakePath(cue.AnyIndex)); elem.Exists() {
			i.add(i.Part(it, elem), "the items of a list")
		}
	case v.IncompleteKind() == cue.StructKind:
		i.addValues(it, v)
	}
}

// addAlternatives adds the definitions in a disjunction. Beside null and literals, a single one is the type of each value.
func (i *innerDefinitions) addAlternatives(it walk.Item, parts []walk.Item, part string) {
	var kinds []walk.Item
	for _, p := range parts {
		if k := p.Value.IncompleteKind(); k != cue.NullKind && (!p.Value.IsConcrete() || k == cue.StructKind || k == cue.ListKind) {
			kinds = append(kinds, p)
		}
	}
	if len(kinds) > 1 && part == "" {
		part = "an alternative"
	}
	for _, p := range kinds {
		i.add(p, part)
	}
}

// addValues adds the definitions in the values of a map.
func (i *innerDefinitions) addValues(it walk.Item, v cue.Value) {
	for _, m := range i.Members(walk.Item{Value: v, Expr: it.Expr}, cue.Patterns(true)) {
		if m.Pattern {
			i.add(m, "the values of a map")
		}
	}
}

// readInner reads an attribute of a definition to which a part of the type refers. What is secret makes the whole
// property secret, and a type on the wire holds for all scalars in it; other attributes would have no effect.
func (c *attrCall) readInner(of inner) {
	switch name := c.attr.Name(); {
	case of.part == "", name == "secret", name == "ephemeral", isTypeOnWire(c.attr):
		c.read()
	case name == "doc", name == "deprecated":
	default:
		c.Report(source.CodeMisplacedAttribute, c.item.At, c.site.Place, fmt.Sprintf("@%s of %s has no effect on %s", name, of.name, of.part),
			fmt.Sprintf("It holds for whole properties. Write the type of %s itself here; and if it is meant for this property, @%s behind it.", of.name, name))
	}
}

// isTypeOnWire reports whether an attribute only sets the type on the wire, as in @wire(type=int).
func isTypeOnWire(a cue.Attribute) bool {
	key, _ := a.Arg(0)
	return a.Name() == "wire" && a.NumArgs() == 1 && key == "type"
}
