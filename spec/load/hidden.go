package load

import (
	"fmt"

	"cuelang.org/go/cue"
	"github.com/declprov/declprov/spec/load/source"
)

// unusedHelpers reports the hidden fields and definitions in a struct of data or of
// properties that nothing refers to. CUE takes them for helpers and leaves them out, so
// `_id: 6` in a body would never be sent. A helper is referred to.
func (w *walker) unusedHelpers(it item, p source.Place) {
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
		m := w.member(it, fields)
		if m.field == nil || w.Syntax.Uses[m.name] || !w.Syntax.Own(m.field) {
			continue
		}
		if w.Once("helper " + m.nameAt.String()) {
			w.Report(source.CodeHiddenField, m.nameAt, p.At(m.name), fmt.Sprintf("%s is %s of CUE, which is no part of the data", m.name, what),
				fmt.Sprintf("Write %q, in quotes. Only a helper that something refers to may have such a name.", m.name))
		}
	}
}

// unusedHelpersWithin reports those at any depth of a value.
func (w *walker) unusedHelpersWithin(it item, p source.Place) {
	switch it.value.IncompleteKind() {
	case cue.StructKind:
		w.unusedHelpers(it, p)
		for _, m := range w.members(it) {
			w.unusedHelpersWithin(m, p.At(m.name))
		}
	case cue.ListKind:
		for i, m := range w.items(it) {
			w.unusedHelpersWithin(m, p.Item(i))
		}
	}
}
