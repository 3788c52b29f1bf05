package walk

import (
	"fmt"

	"cuelang.org/go/cue"
	"github.com/declprov/declprov/spec/load/source"
)

// UnusedHelpers reports unused hidden fields and definitions in a data struct or a
// struct of properties. CUE treats them as helpers and leaves them out of the value,
// so `_id: 6` in a body would never be sent. A helper is only useful if something
// refers to it.
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
			w.Report(source.CodeHiddenField, m.NameAt, p.Member(m.Name), fmt.Sprintf("%s is %s in CUE, which is not part of the data", m.Name, what),
				fmt.Sprintf("Quote the name: %q. Without quotes, the name is only allowed for a helper that is used.", m.Name))
		}
	}
}

// UnusedHelpersWithin is like UnusedHelpers, at any depth of a value.
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
