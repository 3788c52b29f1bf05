package load

import (
	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/rest"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
)

// shorthand is a shorthand `rest` that was read.
type shorthand struct {
	resource *spec.Resource
	rest     *spec.Rest
	place    source.Place
}

// readRest reads the shorthand for the operations of a resource.
func (l *resourceReader) readRest(it walk.Item, p source.Place, r *spec.Resource) {
	s := &spec.Rest{Range: it.At}
	switch {
	case l.Broken(it, p):
	case l.Kind(it) == cue.StructKind:
		if b, ok := l.openSection(it, p, block.Rest, nil); ok {
			if m, ok := b.get("delete"); ok && l.isNull(m) {
				l.Report(source.CodeWrongShape, m.At, b.at("delete"), "delete must be a string, got null", rest.KeptRemedy)
				delete(b.members, "delete")
			}
			l.fill(b, s)
			if m, ok := b.get("returns"); ok {
				s.Returns = l.readField(m, p).Value
			}
		}
	default:
		s.Path = l.readKinds(it, p, walk.Text.As("a path, or a struct with a path"), spec.StringNode)
	}
	l.shorthands = append(l.shorthands, shorthand{r, s, p})
}

// expandShorthands adds the operations for which shorthands stand to their resources.
func (l *resourceReader) expandShorthands(p *spec.Provider) {
	for _, s := range l.shorthands {
		rest.Expand(l.Document, s.place, p, s.resource, s.rest)
	}
}
