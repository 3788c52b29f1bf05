package load

import (
	"fmt"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
)

// unusedHelpers reports the hidden fields and definitions in a struct of data or of
// properties that nothing refers to. CUE takes them for helpers and leaves them out, so
// `_id: 6` in a body would never be sent. A helper is referred to.
func (l *loader) unusedHelpers(it item, p place) {
	fields, err := it.value.Fields(cue.Hidden(true), cue.Definitions(true), cue.Optional(true))
	if err != nil {
		return
	}
	for fields.Next() {
		what := "a hidden field"
		switch fields.Selector().LabelType() {
		case cue.HiddenLabel:
		case cue.DefinitionLabel, cue.HiddenDefinitionLabel:
			what = "a definition"
		default:
			continue
		}
		m := l.member(it, fields)
		if m.field == nil || l.syntax.uses[m.name] || !l.syntax.own(m.field) {
			continue
		}
		if key := "helper " + m.nameAt.String(); !l.seen[key] {
			l.seen[key] = true
			l.report(hiddenField, m.nameAt, p.at(m.name), fmt.Sprintf("%s is %s of CUE, which is no part of the data", m.name, what),
				fmt.Sprintf("Write %q, in quotes. Only a helper that something refers to may have such a name.", m.name))
		}
	}
}

// unusedHelpersWithin reports those at any depth of a value.
func (l *loader) unusedHelpersWithin(it item, p place) {
	switch it.value.IncompleteKind() {
	case cue.StructKind:
		l.unusedHelpers(it, p)
		for _, m := range l.members(it) {
			l.unusedHelpersWithin(m, p.at(m.name))
		}
	case cue.ListKind:
		for i, m := range l.items(it) {
			l.unusedHelpersWithin(m, p.item(i))
		}
	}
}

// own reports whether a field is of the files that the spec itself is made of.
func (s *syntax) own(f *ast.Field) bool {
	_, ok := s.order[f.Pos().Filename()]
	return ok
}

// noteUses collects the hidden names and definitions that anything in a file refers to.
func (s *syntax) noteUses(f *ast.File) {
	labels := map[*ast.Ident]bool{}
	label := func(n ast.Node) {
		if id, ok := n.(*ast.Ident); ok {
			labels[id] = true
		}
	}
	ast.Walk(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			label(n.Label)
			if alias, ok := n.Label.(*ast.Alias); ok {
				label(alias.Expr)
				s.uses[labelOf(n)] = true // by its alias, at least
			}
		case *ast.Ident:
			if !labels[n] {
				s.uses[n.Name] = true
			}
		}
		return true
	}, nil)
}
