package load

import (
	"fmt"
	"slices"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
)

// misplacedKeys finds keys of `rest` that are written next to it, in the resource.
type misplacedKeys struct {
	*resourceReader
	place    source.Place
	siblings []walk.Item
	rest     walk.Item
	ok       bool
	// found are the keys, which count as keys of rest: what follows from their absence is not a mistake.
	found []walk.Item
}

// misplacedKeys returns what finds keys of `rest` among those of a resource.
func (l *resourceReader) misplacedKeys(it walk.Item, p source.Place) *misplacedKeys {
	b := &misplacedKeys{resourceReader: l, place: p}
	if l.Kind(it) != cue.StructKind || l.IsHole(it.Expr) {
		return b
	}
	b.siblings = l.Values(it)
	if i := slices.IndexFunc(b.siblings, func(m walk.Item) bool { return m.Name == "rest" }); i >= 0 {
		b.rest, b.ok = b.siblings[i], true
	}
	return b
}

// reportKey reports a key that only rest has.
func (b *misplacedKeys) reportKey(m walk.Item) bool {
	if !b.ok || block.Rest.Key(m.Name) == nil || m.Optional || m.Required {
		return false
	}
	b.report(m, source.CodeUnknownKey, m.NameAt)
	return true
}

// reportRequests reports operations whose values are those of the keys of rest with their names: a method,
// or a method and a path. They do not count as operations, nor as missing.
func (b *misplacedKeys) reportRequests(s *section) {
	for _, name := range []string{"create", "read", "update", "delete", "find", "list"} {
		m, ok := s.get(name)
		if !b.ok || !ok || b.Kind(m) != cue.StringKind || b.IsHole(m.Expr) {
			continue
		}
		b.report(m, source.CodeWrongShape, m.At)
		delete(s.members, name)
		s.order = slices.DeleteFunc(s.order, func(o walk.Item) bool { return o.Name == name })
	}
}

func (b *misplacedKeys) report(m walk.Item, code string, at diag.Range) {
	value := b.Files.TextAt(m.At)
	if n, ok := m.Value.String(); ok == nil {
		value = (&spec.Node{Kind: spec.StringNode, Text: n}).Written()
	}
	shown := value
	if shown == "" {
		shown = "…"
	}
	d := b.Report(code, at, b.place.Member(m.Name).AddContext(m.Name), fmt.Sprintf("%s belongs in rest", m.Name),
		fmt.Sprintf("This is a key of rest: write it there, `rest: {…, %s: %s}`.", m.Name, shown))
	insert, remove := b.into(fmt.Sprintf("%s: %s", m.Name, value)), without(m, b.siblings)
	// Each edit would put a rest without braces into braces, so that one is made after the other.
	if value != "" && len(insert) > 0 && len(remove) > 0 && len(b.found) == 0 {
		d.Suggest(append(insert, remove...)...)
	}
	b.found = append(b.found, m)
}

// addTo adds the keys to the section of rest, or of the path that it consists of.
func (b *misplacedKeys) addTo(s *section) {
	for _, m := range b.found {
		if !s.has(m.Name) {
			s.members[m.Name], s.order = m, append(s.order, m)
		}
	}
}

// into returns the edits that add a member to rest.
func (b *misplacedKeys) into(member string) []diag.Edit {
	if path, err := b.rest.Value.String(); err == nil {
		return []diag.Edit{{At: b.rest.At, Text: fmt.Sprintf("{path: %q, %s}", path, member)}}
	}
	if b.Kind(b.rest) != cue.StructKind {
		return nil
	}
	inner := b.Values(b.rest)
	if len(inner) == 0 {
		return nil
	}
	return (&spec.Node{Range: b.rest.At, Fields: []spec.Field{{NameRange: inner[0].NameAt}}}).With(member, member)
}

// without returns the edit that removes a key from its siblings: the line of one that has its own.
func without(m walk.Item, siblings []walk.Item) []diag.Edit {
	at := diag.Range{File: m.NameAt.File, Start: m.NameAt.Start, End: m.At.End}
	if m.At.File != at.File || at.Start.Line != at.End.Line {
		return nil
	}
	i := slices.IndexFunc(siblings, func(o walk.Item) bool { return o.Name == m.Name })
	switch {
	case i > 0 && siblings[i-1].At.End.Line == at.Start.Line:
		at.Start = siblings[i-1].At.End
	case i+1 < len(siblings) && siblings[i+1].NameAt.Start.Line == at.Start.Line:
		at.End = siblings[i+1].NameAt.Start
	default:
		at.Start.Column, at.End = 1, diag.Position{Line: at.End.Line + 1, Column: 1}
	}
	return []diag.Edit{{At: at}}
}
