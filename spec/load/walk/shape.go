package walk

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
)

// Shape is what the value of a key must be.
type Shape struct {
	// Want describes it in messages: "a list". Remedy is a sentence that says how to write it.
	Want, Remedy string
	// convert returns the edits that make it from a value of another kind, or nil.
	convert func(w *Walker, it Item) []diag.Edit
}

// The shapes of values.
var (
	Text      = Shape{"a string", "Write it in quotes.", (*Walker).quote}
	Boolean   = Shape{"a boolean", "Write true or false, without quotes.", (*Walker).toBoolean}
	Condition = Shape{"a boolean or an expression", "Write true, false or \"${…}\".", (*Walker).toBoolean}
	List      = Shape{"a list", "Write [ … ], also around a single item.", (*Walker).toList}
	// Collection is a list or a struct, also by an expression.
	Collection = Shape{"a list, a struct or an expression", "Write [ … ] or {…}, or \"${…}\".", (*Walker).toList}
	Struct     = Shape{Want: "a struct", Remedy: "Write {key: value, …}."}
	Operation  = Shape{Want: "a step, or steps: […]", Remedy: "Write an action, such as file: write: {…}, or steps: [ … ]."}
	// Versions are templates by the version of the schema that they upgrade from.
	Versions = Shape{"a struct of templates by version", "Write each with the version that it upgrades from: `upgrade: \"0\": \"${…}\"`.", (*Walker).toVersions}
)

// StructWith is a struct with a key that takes a value that is given in place of the struct.
func StructWith(key string) Shape {
	return Shape{"a struct", fmt.Sprintf("Write {%s: …}.", key), func(w *Walker, it Item) []diag.Edit {
		if w.Files.TextAt(it.At) == "" {
			return nil
		}
		from, to := it.At, it.At
		from.End, to.Start = from.Start, to.End
		return []diag.Edit{{At: from, Text: "{" + key + ": "}, {At: to, Text: "}"}}
	}}
}

// Named is the shape of a struct that has the members of a key by name.
func Named(key string) Shape {
	return Shape{Want: "a struct of named " + key, Remedy: fmt.Sprintf("Write a name for each: `%s: name: {…}`.", key)}
}

// As is the shape with a more specific description.
func (s Shape) As(want string) Shape {
	s.Want = want
	return s
}

// By is the shape with a more specific remedy, if it is not "".
func (s Shape) By(remedy string) Shape {
	s.Remedy = cmp.Or(remedy, s.Remedy)
	return s
}

// quote makes a string of a number or a boolean.
func (w *Walker) quote(it Item) []diag.Edit {
	text := w.Files.TextAt(it.At)
	if text == "" || !w.isScalar(it) {
		return nil
	}
	return []diag.Edit{{At: it.At, Text: strconv.Quote(text)}}
}

// isScalar reports whether a value is a certain number or boolean.
func (w *Walker) isScalar(it Item) bool {
	switch w.Kind(it) {
	case cue.IntKind, cue.FloatKind, cue.NumberKind, cue.BoolKind:
		return it.Value.IsConcrete()
	default:
		return false
	}
}

// toBoolean makes a boolean of a word that means one.
func (w *Walker) toBoolean(it Item) []diag.Edit {
	if w.Kind(it) != cue.StringKind || w.Files.TextAt(it.At) == "" {
		return nil
	}
	given, _ := it.Value.String()
	own, ok := foreign.Bool(given)
	if !ok {
		return nil
	}
	return []diag.Edit{{At: it.At, Text: own}}
}

// toList makes a list of a single item.
func (w *Walker) toList(it Item) []diag.Edit {
	text := w.Files.TextAt(it.At)
	isStruct := w.Kind(it) == cue.StructKind
	if isStruct && w.Raw && !strings.HasPrefix(text, "{") {
		return w.itemEdits(it.At)
	}
	isItem := w.isScalar(it) || w.Kind(it) == cue.StringKind && it.Value.IsConcrete() || isStruct && strings.HasPrefix(text, "{")
	if text == "" || !isItem {
		return nil
	}
	from, to := it.At, it.At
	from.End, to.Start = from.Start, to.End
	return []diag.Edit{{At: from, Text: "["}, {At: to, Text: "]"}}
}

// toVersions makes a struct by version of a list, in which the first item is that for version 0.
func (w *Walker) toVersions(it Item) []diag.Edit {
	if w.Kind(it) != cue.ListKind || !strings.HasPrefix(w.Files.TextAt(it.At), "[") {
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
