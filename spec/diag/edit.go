package diag

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/declprov/declprov/spec/stable"
)

// Edit replaces text in a file of the spec.
type Edit struct {
	// At is the text to replace. Text is inserted where At is empty.
	At Range
	// Old is the part of the text at At that is to be replaced, such as a name without its
	// quotes. "" is the whole text. Resolve sets At to its place.
	Old string `json:",omitempty"`
	// Text is the new text.
	Text string
	// Declared is where Text is declared, if the edit writes it because a use differs from it. If several uses agree, the
	// declaration is the mistake.
	Declared Range `json:"-"`
}

// Meant adds to the detail which of the known names was meant, with the edit that writes
// it; or else the list of known names.
func (d *Diagnostic) Meant(given string, known []string) *Diagnostic {
	d.Detail = strings.TrimSpace(d.Detail + " " + Remedy(given, known))
	if name := DidYouMean(given, known); name != "" {
		d.Replace(given, name)
	}
	return d
}

// MeantOf is like Meant with another edit.
func (d *Diagnostic) MeantOf(given string, known []string, edit func(name string) Edit) *Diagnostic {
	d.Detail = strings.TrimSpace(d.Detail + " " + Remedy(given, known))
	if name := DidYouMean(given, known); name != "" {
		d.Suggest(edit(name))
	}
	return d
}

// Replace suggests writing text in place of old, which is a part of the subject.
func (d *Diagnostic) Replace(old, text string) *Diagnostic {
	return d.Suggest(Edit{At: d.Subject, Old: old, Text: text})
}

// Suggest adds edits. All edits of a diagnostic belong together.
func (d *Diagnostic) Suggest(edits ...Edit) *Diagnostic {
	d.Edits = append(d.Edits, edits...)
	return d
}

// wholeWord returns the offset of the only occurrence of word that is not a part of a longer
// word, or -1.
func wholeWord(text []byte, word string) int {
	found := -1
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte(word))
		if i < 0 {
			return found
		}
		at := from + i
		before, _ := utf8.DecodeLastRune(text[:at])
		after, _ := utf8.DecodeRune(text[at+len(word):])
		first, _ := utf8.DecodeRuneInString(word)
		last, _ := utf8.DecodeLastRuneInString(word)
		if !(isWord(before) && isWord(first)) && !(isWord(after) && isWord(last)) {
			if found >= 0 {
				return -1
			}
			found = at
		}
		from = at + 1
	}
}

func isWord(r rune) bool {
	return r == '_' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// Apply returns the contents of the files that edits change. It returns an error if edits
// overlap, or are outside of their file.
func Apply(sources Sources, edits []Edit) (map[string][]byte, error) {
	out := map[string][]byte{}
	sorted := slices.Clone(edits)
	stable.Sort(sorted, func(a, b Edit) int {
		return cmp.Or(cmp.Compare(a.At.File, b.At.File), a.At.Start.Compare(b.At.Start))
	})
	for len(sorted) > 0 {
		file := sorted[0].At.File
		n := slices.IndexFunc(sorted, func(e Edit) bool { return e.At.File != file })
		if n < 0 {
			n = len(sorted)
		}
		edited, err := applyTo(sources[file], sorted[:n])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		out[file], sorted = edited, sorted[n:]
	}
	return out, nil
}

// Written returns the places of the texts that edits of one file have written, in the edited
// content.
func Written(before, edited []byte, edits []Edit) []Range {
	sorted := slices.Clone(edits)
	stable.Sort(sorted, func(a, b Edit) int { return a.At.Start.Compare(b.At.Start) })
	var places []Range
	moved, was, is := 0, newContent(before), newContent(edited)
	for _, e := range sorted {
		from, to, ok := was.offsets(e.At)
		if !ok {
			continue
		}
		start := from + moved
		end := start + len(e.Text)
		places = append(places, Range{File: e.At.File, Start: is.position(start), End: is.position(end)})
		moved += len(e.Text) - (to - from)
	}
	return places
}

// applyTo applies the sorted edits of one file.
func applyTo(content []byte, edits []Edit) ([]byte, error) {
	var b bytes.Buffer
	done, places := 0, newContent(content)
	for _, e := range edits {
		from, to, ok := places.offsets(e.At)
		if !ok || from < done {
			return nil, fmt.Errorf("the edit at %d:%d overlaps another one, or is outside of the file", e.At.Start.Line, e.At.Start.Column)
		}
		b.Write(content[done:from])
		b.WriteString(e.Text)
		done = to
	}
	b.Write(content[done:])
	return b.Bytes(), nil
}
