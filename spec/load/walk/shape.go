package walk

import (
	"fmt"
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
)

// shapeEdits returns the edits that convert a value to the kind that want describes.
func (w *Walker) shapeEdits(it Item, want string) []diag.Edit {
	text := w.Files.TextAt(it.At)
	kind := w.Kind(it)
	switch scalar := kind == cue.IntKind || kind == cue.FloatKind || kind == cue.NumberKind || kind == cue.BoolKind; {
	case strings.HasPrefix(want, "a list") && kind == cue.StructKind && w.Raw && !strings.HasPrefix(text, "{"):
		return w.itemEdits(it.At)
	case want == "a struct of templates by version" && kind == cue.ListKind:
		return w.versionEdits(it, text)
	case text == "" || !it.Value.IsConcrete():
	case strings.HasPrefix(want, "a list") && (scalar || kind == cue.StringKind || kind == cue.StructKind && strings.HasPrefix(text, "{")):
		from, to := it.At, it.At
		from.End, to.Start = from.Start, to.End
		return []diag.Edit{{At: from, Text: "["}, {At: to, Text: "]"}}
	case want == "a string" && scalar:
		return []diag.Edit{{At: it.At, Text: strconv.Quote(text)}}
	case strings.HasPrefix(want, "a boolean") && kind == cue.StringKind:
		given, _ := it.Value.String()
		if own, ok := foreign.Bool(given); ok {
			return []diag.Edit{{At: it.At, Text: own}}
		}
	}
	return nil
}

// versionEdits returns the edits that make a struct by version from a list, in which the first item is that
// for version 0.
func (w *Walker) versionEdits(it Item, text string) []diag.Edit {
	if !strings.HasPrefix(text, "[") {
		return nil
	}
	open, end := it.At, it.At
	open.End = diag.Position{Line: open.Start.Line, Column: open.Start.Column + 1}
	end.Start = diag.Position{Line: end.End.Line, Column: end.End.Column - 1}
	edits := []diag.Edit{{At: open, Text: "{"}}
	for i, m := range w.Items(it) {
		at := m.At
		at.End = at.Start
		edits = append(edits, diag.Edit{At: at, Text: fmt.Sprintf("%q: ", strconv.Itoa(i))})
	}
	return append(edits, diag.Edit{At: end, Text: "}"})
}

// itemEdits returns the edits that make an item of a list from a struct of YAML in lines of its own.
func (w *Walker) itemEdits(at diag.Range) []diag.Edit {
	var edits []diag.Edit
	for line := at.Start.Line; line <= at.End.Line; line++ {
		p := diag.Position{Line: line, Column: at.Start.Column}
		mark := "  "
		if line == at.Start.Line {
			mark = "- "
		}
		edits = append(edits, diag.Edit{At: diag.Range{File: at.File, Start: p, End: p}, Text: mark})
	}
	return edits
}

// shapeRemedy returns the remedy for a value that should be as want describes.
func shapeRemedy(name, want string) string {
	switch {
	case want == "a struct of templates by version":
		return "Write each with the version that it upgrades from: `upgrade: \"0\": \"${…}\"`."
	case want == "a struct of named examples":
		return "Write a title for each example: `examples: \"A pet\": {name: \"Rex\"}`."
	case strings.HasPrefix(want, "a struct of named "):
		return fmt.Sprintf("Write a name for each: `%s: name: {…}`.", name)
	case name == "paginate" && strings.HasPrefix(want, "a struct"):
		return "Say how the next page is found: `paginate: link: true`, `paginate: page: {param: \"page\"}` or `paginate: cursor: {param: \"after\", next: \"${body.next}\"}`."
	case strings.HasPrefix(want, "a struct"):
		return "Write {key: value, …}."
	case strings.HasPrefix(want, "a step"):
		return "Write an action, such as file: write: {…}, or steps: [ … ]."
	case strings.HasPrefix(want, "a list, "):
		return "Write [ … ] or {…}, or \"${…}\"."
	case strings.HasPrefix(want, "a list"):
		return "Write [ … ], also around a single item."
	case strings.HasPrefix(want, "a boolean or"):
		return "Write true, false or \"${…}\"."
	case strings.HasPrefix(want, "a boolean"):
		return "Write true or false, without quotes."
	default:
		return "Write it in quotes."
	}
}
