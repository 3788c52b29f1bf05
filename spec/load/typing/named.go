package typing

import (
	"cmp"
	"fmt"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/walk"
)

// namer assigns names to the definitions that types refer to.
type namer struct {
	x     *Extractor
	types spec.Types
	// names maps definitions (package and path) to their names.
	names map[string]string
	// extracting are the definitions whose type is being extracted. recursive are those of
	// them that refer to themselves.
	extracting, recursive map[string]bool
	// plain are the types of definitions that are too simple to need a name.
	plain map[string]*spec.Type
	// tasks are the tasks that require all types.
	tasks []func()
}

func newNamer(x *Extractor, types spec.Types) *namer {
	return &namer{x: x, types: types, names: map[string]string{}, extracting: map[string]bool{}, recursive: map[string]bool{}, plain: map[string]*spec.Type{}}
}

// finish runs the tasks that require all types.
func (n *namer) finish() {
	for len(n.tasks) > 0 {
		run := n.tasks[0]
		n.tasks = n.tasks[1:]
		run()
	}
}

// referenceType returns the type of a reference `#Name` or `pkg.#Name`. ok is false for
// other values.
func (x *Extractor) referenceType(it walk.Item, s Site) (*spec.Type, bool) {
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
	return x.named.referTo(id, last, it, s), true
}

// referTo returns a reference to a definition. The first time, it extracts the type.
func (n *namer) referTo(id, last string, it walk.Item, s Site) *spec.Type {
	if t, ok := n.plain[id]; ok {
		return copyOf(t)
	}
	name, known := n.names[id]
	if known {
		if n.extracting[id] {
			n.recursive[id] = true
		}
		return &spec.Type{Ref: name}
	}
	name = n.freeName(last)
	n.names[id] = name
	n.extracting[id] = true
	named := &spec.Named{Name: name, Type: &spec.Type{}}
	n.types[name] = named
	target := n.x.Target(it)
	named.At, named.Doc = target.NameAt, n.x.Doc(target)
	where := s.Place
	where.Context = fmt.Sprintf("definition #%s", last)
	where.Path = "#" + last
	rule, outer := definitionRule(target), n.x.Wire
	n.x.Wire = cmp.Or(rule, n.x.SpecWire) // wherever it is used
	t := n.x.Type(target, Site{Place: where, Role: s.Role, depth: s.depth + 1, named: true})
	n.x.Wire = outer
	delete(n.extracting, id)
	t.ApplyWireRule(rule)
	*named.Type = *t
	// The tag of a union is determined when all types are known.
	n.tasks = append(n.tasks, func() { named.Type.Tag = t.Tag })
	if !worthAName(t) && !n.recursive[id] {
		delete(n.types, name)
		n.plain[id] = t
		return copyOf(t)
	}
	return &spec.Type{Ref: name}
}

// copyOf returns a type of its own for each use of a definition: `null | #Port` changes only its own.
func copyOf(t *spec.Type) *spec.Type {
	out := *t
	return &out
}

// worthAName reports whether schemas can show a type by name, which they can for
// structs, unions and enums. Others, such as `#Port: uint16`, are inlined where they
// are used.
func worthAName(t *spec.Type) bool {
	return t.Ref == "" && (t.Kind == spec.Object || t.Kind == spec.Union || len(t.Enum) > 1)
}

// freeName returns a name, based on base, that no other type has.
func (n *namer) freeName(base string) string {
	base = strings.Map(func(r rune) rune {
		if r == '_' || r == '$' || r == '#' {
			return -1
		}
		return r
	}, base)
	if base == "" {
		base = "Type"
	}
	base = diag.UpperFirst(base)
	name := base
	for i := 2; n.types[name] != nil; i++ {
		name = fmt.Sprintf("%s%d", base, i)
	}
	return name
}
