package typing

import (
	"cmp"
	"fmt"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/walk"
)

// namer gives the definitions that types refer to their names.
type namer struct {
	x     *Extractor
	types spec.Types
	// names are the names by definition: package and path.
	names map[string]string
	// busy are the definitions whose type is being extracted; looped those of
	// them that were met again meanwhile.
	busy, looped map[string]bool
	// plain are the types of definitions that are too simple for a name.
	plain map[string]*spec.Type
	// later is what needs all types to be there.
	later []func()
}

func newNamer(x *Extractor, types spec.Types) *namer {
	return &namer{x: x, types: types, names: map[string]string{}, busy: map[string]bool{}, looped: map[string]bool{}, plain: map[string]*spec.Type{}}
}

// finish runs what needed all types.
func (n *namer) finish() {
	for len(n.later) > 0 {
		run := n.later[0]
		n.later = n.later[1:]
		run()
	}
}

// reference returns the type of a value that is `#Name`, or `pkg.#Name`.
func (x *Extractor) reference(it walk.Item, s Site) (*spec.Type, bool) {
	root, path := it.Value.ReferencePath()
	selectors := path.Selectors()
	if len(selectors) == 0 || !selectors[len(selectors)-1].IsDefinition() {
		return nil, false
	}
	pkg := ""
	if inst := root.BuildInstance(); inst != nil {
		pkg = inst.ImportPath
	}
	last := strings.TrimPrefix(selectors[len(selectors)-1].String(), "#")
	if bare, _, _ := strings.Cut(pkg, "@"); strings.HasSuffix(bare, "/"+block.ModulePath) {
		switch last {
		case "Asset":
			return &spec.Type{Kind: spec.Asset}, true
		case "Archive":
			return &spec.Type{Kind: spec.Archive}, true
		}
	}
	id := pkg + " " + path.String()
	if x.Raw && (last == "Asset" || last == "Archive") {
		return map[string]*spec.Type{"Asset": {Kind: spec.Asset}, "Archive": {Kind: spec.Archive}}[last], true
	}
	if _, known := x.named.names[id]; !known && it.Value.IncompleteKind() == cue.BottomKind && x.Kind(x.Target(it)) == cue.BottomKind {
		x.Broken(it, s.Place)
		return &spec.Type{}, true
	}
	return x.named.refer(id, last, it, s), true
}

// refer returns a reference to a definition, whose type is extracted the first time.
func (n *namer) refer(id, last string, it walk.Item, s Site) *spec.Type {
	if t, ok := n.plain[id]; ok {
		return t
	}
	name, known := n.names[id]
	if known {
		if n.busy[id] {
			n.looped[id] = true
		}
		return &spec.Type{Ref: name}
	}
	name = n.free(last)
	n.names[id] = name
	n.busy[id] = true
	named := &spec.Named{Name: name, Type: &spec.Type{}}
	n.types[name] = named
	target := n.x.Target(it)
	named.At, named.Doc = target.NameAt, n.x.Doc(target)
	where := s.Place
	where.Context = fmt.Sprintf("definition #%s", last)
	where.Path = "#" + last
	rule, outer := definitionRule(target), n.x.Wire
	n.x.Wire = cmp.Or(rule, n.x.SpecWire) // whoever refers to it
	t := n.x.Type(target, Site{Place: where, Role: s.Role, depth: s.depth + 1, named: true})
	n.x.Wire = outer
	delete(n.busy, id)
	t.ApplyWireRule(rule)
	*named.Type = *t
	// A union's tag is found when all types are there: see union.go.
	n.later = append(n.later, func() { named.Type.Tag = t.Tag })
	if !worthAName(t) && !n.looped[id] {
		delete(n.types, name)
		n.plain[id] = t
		return t
	}
	return &spec.Type{Ref: name}
}

// worthAName tells the types that schemas can show by name: structs, unions and
// enums. `#Port: uint16` is written out where it is used.
func worthAName(t *spec.Type) bool {
	return t.Ref == "" && (t.Kind == spec.Object || t.Kind == spec.Union || len(t.Enum) > 1)
}

// free returns a name that no other type has.
func (n *namer) free(base string) string {
	base = strings.Map(func(r rune) rune {
		if r == '_' || r == '$' || r == '#' {
			return -1
		}
		return r
	}, base)
	if base == "" {
		base = "Type"
	}
	base = walk.UpperFirst(base)
	name := base
	for i := 2; n.types[name] != nil; i++ {
		name = fmt.Sprintf("%s%d", base, i)
	}
	return name
}
