package walk

import (
	"fmt"

	"cuelang.org/go/cue"
	"github.com/declprov/declprov/spec/load/source"
)

// UnusedHelpers reports the hidden fields and definitions in a struct of data or of
// properties that nothing refers to. CUE takes them for helpers and leaves them out, so
// `_id: 6` in a body would never be sent. A helper is referred to.
func (w *Walker) UnusedHelpers(it Item, p source.Place) {
	fields, err := it.Value.Fields(cue.Hidden(true), cue.Definitions(true), cue.Optional(true))
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
		m := w.member(it, fields)
		if m.Field == nil || w.Syntax.Uses[m.Name] || !w.Syntax.IsOwn(m.Field) {
			continue
		}
		if w.FirstTime("helper " + m.NameAt.String()) {
			w.Report(source.CodeHiddenField, m.NameAt, p.Member(m.Name), fmt.Sprintf("%s is %s of CUE, which is no part of the data", m.Name, what),
				fmt.Sprintf("Write %q, in quotes. Only a helper that something refers to may have such a name.", m.Name))
		}
	}
}

// UnusedHelpersWithin reports those at any depth of a value.
func (w *Walker) UnusedHelpersWithin(it Item, p source.Place) {
	switch it.Value.IncompleteKind() {
	case cue.StructKind:
		w.UnusedHelpers(it, p)
		for _, m := range w.Members(it) {
			w.UnusedHelpersWithin(m, p.Member(m.Name))
		}
	case cue.ListKind:
		for i, m := range w.Items(it) {
			w.UnusedHelpersWithin(m, p.Item(i))
		}
	}
}
