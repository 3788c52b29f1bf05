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

// Resolve sets the exact places of all edits. It drops the edits of a diagnostic if the text
// of one of them is not in the sources exactly once, as behind an escape sequence, and
// those for which keep returns false.
func (l List) Resolve(sources Sources, keep func(file string, edited []byte) bool) {
	for i := range l {
		edits := slices.Clone(l[i].Edits)
		ok := true
		for j := range edits {
			ok = ok && edits[j].resolve(sources)
		}
		if ok && len(edits) > 0 {
			edited, err := Apply(sources, edits)
			ok = err == nil
			for file, content := range edited {
				ok = ok && keep(file, content)
			}
		}
		if !ok {
			edits = nil
		}
		l[i].Edits = edits
	}
}

// resolve sets the exact place of the edit, and reports whether there is one.
func (e *Edit) resolve(sources Sources) bool {
	content, ok := sources[e.At.File]
	if !ok {
		return false
	}
	from, to, ok := offsets(content, e.At)
	if !ok || e.Old == "" {
		return ok
	}
	at := wholeWord(content[from:to], e.Old)
	if at < 0 {
		return false
	}
	from += at
	e.At.Start = positionOf(content, from)
	e.At.End = positionOf(content, from+len(e.Old))
	e.Old = ""
	return true
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
	moved := 0
	for _, e := range sorted {
		from, to, ok := offsets(before, e.At)
		if !ok {
			continue
		}
		start := from + moved
		end := start + len(e.Text)
		places = append(places, Range{File: e.At.File, Start: positionOf(edited, start), End: positionOf(edited, end)})
		moved += len(e.Text) - (to - from)
	}
	return places
}

// applyTo applies the sorted edits of one file.
func applyTo(content []byte, edits []Edit) ([]byte, error) {
	var b bytes.Buffer
	done := 0
	for _, e := range edits {
		from, to, ok := offsets(content, e.At)
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

// byteOrderMark is not a part of the first line of a file: positions do not count it.
const byteOrderMark = "\ufeff"

// offsets returns the byte offsets of a range.
func offsets(content []byte, at Range) (from, to int, ok bool) {
	from, ok1 := offsetOf(content, at.Start)
	to, ok2 := offsetOf(content, at.End)
	return from, to, ok1 && ok2 && from <= to
}

func offsetOf(content []byte, p Position) (int, bool) {
	if p.Line < 1 || p.Column < 1 {
		return 0, false
	}
	at := 0
	if bytes.HasPrefix(content, []byte(byteOrderMark)) {
		at = len(byteOrderMark)
	}
	for line := 1; line < p.Line; line++ {
		next := bytes.IndexByte(content[at:], '\n')
		if next < 0 {
			return 0, false
		}
		at += next + 1
	}
	for column := 1; column < p.Column; column++ {
		if at >= len(content) || content[at] == '\n' {
			return 0, false
		}
		_, size := utf8.DecodeRune(content[at:])
		at += size
	}
	return at, true
}

// positionOf returns the position of a byte offset.
func positionOf(content []byte, offset int) Position {
	before := bytes.TrimPrefix(content[:offset], []byte(byteOrderMark))
	line := bytes.Count(before, []byte{'\n'}) + 1
	return Position{Line: line, Column: utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1}
}
