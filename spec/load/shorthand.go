package load

import (
	"fmt"
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
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

// readRest reads the shorthand for the operations of a resource, with the keys that are written next to it.
func (l *resourceReader) readRest(it walk.Item, p source.Place, r *spec.Resource, misplaced *misplacedKeys) {
	s := &spec.Rest{Range: it.At}
	b := &section{declared: block.Rest, place: p, item: it, raw: l.Raw, members: map[string]walk.Item{"path": it}, order: []walk.Item{{Name: "path", At: it.At}}}
	switch {
	case l.Broken(it, p):
	case l.Kind(it) == cue.StructKind:
		var ok bool
		if b, ok = l.openSection(it, p, block.Rest, nil); ok {
			l.fillRest(b, s, misplaced)
		}
	default:
		s.Path = l.readKinds(it, p, walk.Text.As("a path, or a struct with a path"), spec.StringNode)
		if len(misplaced.found) > 0 {
			l.fillRest(b, s, misplaced)
		}
	}
	l.shorthands = append(l.shorthands, shorthand{r, s, p})
}

// fillRest reads the keys of the shorthand.
func (l *resourceReader) fillRest(b *section, s *spec.Rest, misplaced *misplacedKeys) {
	for _, key := range []string{"create", "read", "update", "delete", "list"} {
		if m, ok := b.get(key); ok && (l.isNull(m) || isFalse(m)) {
			remedy, text := rest.WithoutRemedy(key)
			got := "null"
			if isFalse(m) {
				got = "a boolean"
			}
			d := l.Report(source.CodeWrongShape, m.At, b.at(key), key+" must be a string, got "+got, remedy)
			if text != "" {
				d.Suggest(diag.Edit{At: m.At, Text: text})
			}
			delete(b.members, key)
		} else if ok && isBool(m) {
			l.Report(source.CodeWrongShape, m.At, b.at(key), key+" must be a string, got a boolean",
				fmt.Sprintf("`rest` has the %s without this key: remove it. If the API has another request for it, write its method, and its path if that differs: `%s: \"POST /pets/${id}/%s\"`.", key, key, key))
			delete(b.members, key)
		}
	}
	misplaced.addTo(b)
	l.fill(b, s)
	s.Without = map[string][]diag.Edit{}
	for _, m := range b.order {
		s.Without[m.Name] = without(m, b.order)
	}
	if m, ok := b.get("returns"); ok {
		s.Returns = l.readField(m, b.place).Value
	}
}

// isBool reports whether a value is a boolean.
func isBool(m walk.Item) bool {
	_, err := m.Value.Bool()
	return err == nil
}

// isFalse reports whether a value is false.
func isFalse(m walk.Item) bool {
	value, err := m.Value.Bool()
	return err == nil && !value
}

// readRestDefaults reads the options for all shorthands.
func (l *resourceReader) readRestDefaults(it walk.Item, p source.Place) {
	s := &spec.Rest{Range: it.At}
	if b, ok := l.openSection(it, p, block.RestDefaults, nil); ok {
		l.fill(b, s)
		for _, n := range []*spec.Node{s.Create, s.Read, s.Update, s.Delete, s.List} {
			if n != nil && strings.Contains(n.Text, " ") {
				method, _, _ := strings.Cut(n.Text, " ")
				l.Report(source.CodeBadValue, n.Range, p, fmt.Sprintf("%q would be the request of each resource", n.Text), "A path belongs to one resource: write the request into its `rest`. A default is a word, such as "+strconv.Quote(method)+".")
			}
		}
	}
	l.restDefaults = &rest.Defaults{Options: s, Place: p}
}

// expandShorthands adds the operations for which shorthands stand to their resources.
func (l *resourceReader) expandShorthands(p *spec.Provider) {
	var settings []rest.Settings
	for _, s := range l.shorthands {
		rest.Expand(l.Document, s.place, p, s.resource, s.rest, l.restDefaults)
		if s.rest.Singleton {
			settings = append(settings, rest.Settings{Resource: s.resource, Rest: s.rest, Rule: p.Wire, Place: s.place})
		}
	}
	rest.ReportShared(l.Document, settings)
	l.restDefaults.ReportUnused(l.Document)
}
