package diag_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/spec/diag"
)

// TestResolve finds the text that edits replace, and drops edits whose text is not there
// exactly once.
func TestResolve(t *testing.T) {
	const source = "\ufeffnaem: \"x\"\nid: \"${inputs.paht ?? paht2}\"\nwide: \"日本 raed\"\n\"quoted\": 1\n"
	tests := map[string]struct {
		edit diag.Edit
		want diag.Range // zero if the edit is dropped
	}{
		"the whole range":          {diag.Edit{At: at(1, 1, 1, 5), Old: "naem", Text: "name"}, at(1, 1, 1, 5)},
		"a part of the range":      {diag.Edit{At: at(2, 1, 2, 30), Old: "paht", Text: "path"}, at(2, 15, 2, 19)},
		"behind wide characters":   {diag.Edit{At: at(3, 7, 3, 16), Old: "raed", Text: "read"}, at(3, 11, 3, 15)},
		"without its quotes":       {diag.Edit{At: at(4, 1, 4, 9), Old: "quoted", Text: "q"}, at(4, 2, 4, 8)},
		"an insertion":             {diag.Edit{At: at(1, 5, 1, 5), Text: "?"}, at(1, 5, 1, 5)},
		"a deletion":               {diag.Edit{At: at(1, 5, 1, 6)}, at(1, 5, 1, 6)},
		"text that is not there":   {diag.Edit{At: at(1, 1, 1, 5), Old: "nmea", Text: "name"}, diag.Range{}},
		"text that is there twice": {diag.Edit{At: at(3, 1, 4, 9), Old: "\"", Text: "'"}, diag.Range{}},
		"a part of a word":         {diag.Edit{At: at(2, 24, 2, 29), Old: "paht", Text: "path"}, diag.Range{}},
		"a column after the end":   {diag.Edit{At: at(1, 3, 1, 99), Text: "x"}, diag.Range{}},
		"a line after the end":     {diag.Edit{At: at(99, 1, 99, 2), Text: "x"}, diag.Range{}},
		"an unknown position":      {diag.Edit{At: diag.Range{File: "petstore.cue"}, Text: "x"}, diag.Range{}},
		"an unknown file":          {diag.Edit{At: diag.Point("other.cue", 1, 1), Text: "x"}, diag.Range{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			list := diag.List{{Edits: []diag.Edit{test.edit}}}
			list.Resolve(diag.Sources{"petstore.cue": []byte(source)}, func(string, []byte) bool { return true })
			var want []diag.Edit
			if !test.want.IsZero() {
				want = []diag.Edit{{At: test.want, Text: test.edit.Text}}
			}
			if diff := cmp.Diff(want, list[0].Edits); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestResolveKeep(t *testing.T) {
	list := diag.List{
		{Edits: []diag.Edit{{At: at(1, 1, 1, 2), Text: "b"}}},
		{Edits: []diag.Edit{{At: at(1, 1, 1, 2), Text: "{"}}},
	}
	list.Resolve(diag.Sources{"petstore.cue": []byte("a: 1\n")}, func(_ string, edited []byte) bool { return !bytes.Contains(edited, []byte("{")) })
	if len(list[0].Edits) != 1 || list[1].Edits != nil {
		t.Errorf("kept %v and %v, want only the first", list[0].Edits, list[1].Edits)
	}
}

// TestResolveTogether checks that Resolve decides about each edit as if it were the only one, and asks about few texts: one for
// all that can be kept together, and two for each halving that leads to a bad one.
func TestResolveTogether(t *testing.T) {
	const lines = 1024
	source := strings.Repeat("a: 1\n", lines)
	of := func(line int, text string) diag.Diagnostic {
		return diag.Diagnostic{Edits: []diag.Edit{{At: at(line, 1, line, 2), Text: text}}}
	}
	var all diag.List
	for line := 1; line <= lines; line++ {
		all = append(all, of(line, "b"))
	}
	same := slices.Repeat(diag.List{of(7, "b")}, lines) // as if all remedies were in one place
	with := func(more ...diag.Diagnostic) diag.List { return slices.Concat(all, more) }
	tests := map[string]struct {
		list  diag.List
		most  int
		wrong map[int]bool
	}{
		"all are good":          {with(), 1, nil},
		"one is bad":            {with(of(lines, "{")), 24, map[int]bool{lines: true}},
		"the same in one place": {same, 1, nil},
		"bad ones in one place": {slices.Repeat(diag.List{of(7, "{")}, lines), 1, func() map[int]bool {
			m := map[int]bool{}
			for i := range lines {
				m[i] = true
			}
			return m
		}()},
		"two write the same place": {with(of(9, "c")), 24, nil},
		"good only together":       {with(of(lines, "{"), of(lines, "}")), 24, map[int]bool{lines: true, lines + 1: true}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			asked := 0
			test.list.Resolve(diag.Sources{"petstore.cue": []byte(source)}, func(_ string, edited []byte) bool {
				asked++
				return !bytes.ContainsAny(edited, "{}")
			})
			if asked > test.most {
				t.Errorf("asked about %d texts, want at most %d", asked, test.most)
			}
			for i, d := range test.list {
				if (len(d.Edits) == 0) != test.wrong[i] {
					t.Errorf("diagnostic %d has %d edits", i, len(d.Edits))
				}
			}
		})
	}
}

func TestApply(t *testing.T) {
	sources := diag.Sources{"petstore.cue": []byte("a: 1\r\nb: 2\n")}
	tests := map[string]struct {
		edits []diag.Edit
		want  string // "" if they cannot be applied
	}{
		"in any order":  {[]diag.Edit{{At: at(2, 1, 2, 2), Text: "c"}, {At: at(1, 4, 1, 5), Text: "10"}}, "a: 10\r\nc: 2\n"},
		"a line":        {[]diag.Edit{{At: at(1, 1, 2, 1)}}, "b: 2\n"},
		"side by side":  {[]diag.Edit{{At: at(1, 1, 1, 2), Text: "x"}, {At: at(1, 2, 1, 3), Text: "?:"}}, "x?: 1\r\nb: 2\n"},
		"overlapping":   {[]diag.Edit{{At: at(1, 1, 1, 3), Text: "x"}, {At: at(1, 2, 1, 4), Text: "y"}}, ""},
		"out of range":  {[]diag.Edit{{At: at(7, 1, 7, 2), Text: "x"}}, ""},
		"a second file": {[]diag.Edit{{At: diag.Point("b.cue", 1, 1), Text: "x"}}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := diag.Apply(sources, test.edits)
			if (err != nil) != (test.want == "") {
				t.Fatalf("error is %v, want text %q", err, test.want)
			}
			if err == nil && string(got["petstore.cue"]) != test.want {
				t.Errorf("got %q, want %q", got["petstore.cue"], test.want)
			}
		})
	}
}

// TestEditLaws checks for any text and any range: an edit that resolves is in its file,
// changes only its range, and the reverse edit restores the text.
func TestEditLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		source := rapid.StringOf(rapid.RuneFrom([]rune("ab_1:\"${}\n\t日\u0301😀"))).Draw(t, "source")
		position := func(name string) diag.Position {
			return diag.Position{Line: rapid.IntRange(0, 5).Draw(t, name+" line"), Column: rapid.IntRange(0, 9).Draw(t, name+" column")}
		}
		edit := diag.Edit{
			At:   diag.Range{File: "petstore.cue", Start: position("start"), End: position("end")},
			Old:  rapid.StringOfN(rapid.RuneFrom([]rune("ab日")), 0, 2, -1).Draw(t, "old"),
			Text: rapid.StringOf(rapid.RuneFrom([]rune("xy日\n"))).Draw(t, "text"),
		}
		sources := diag.Sources{"petstore.cue": []byte(source)}
		list := diag.List{{Edits: []diag.Edit{edit}}}
		list.Resolve(sources, func(string, []byte) bool { return true })
		if len(list[0].Edits) == 0 {
			return
		}
		resolved := list[0].Edits[0]
		edited, err := diag.Apply(sources, list[0].Edits)
		if err != nil {
			t.Fatalf("a resolved edit cannot be applied: %v", err)
		}
		got := edited["petstore.cue"]
		if !utf8.Valid(got) {
			t.Fatalf("the edit cut a character: %q", got)
		}
		removed := len(source) + len(edit.Text) - len(got)
		if removed < 0 || edit.Old != "" && removed != len(edit.Old) {
			t.Fatalf("%d bytes were removed for %q", removed, edit.Old)
		}
		if resolved.At.Start.Compare(edit.At.Start) < 0 || resolved.At.End.Compare(edit.At.End) > 0 {
			t.Fatalf("%v is outside of %v", resolved.At, edit.At)
		}
		again := diag.List{{Edits: list[0].Edits}}
		again.Resolve(sources, func(string, []byte) bool { return true })
		if diff := cmp.Diff(list, again); diff != "" {
			t.Fatalf("resolving twice differs:\n%s", diff)
		}
	})
}
