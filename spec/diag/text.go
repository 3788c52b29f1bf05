package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/declprov/declprov/spec/screen"
)

// TextOptions are the options of WriteText.
type TextOptions struct {
	// Sources are the files for snippets.
	Sources Sources
	// Color enables colors, for terminals.
	Color bool
}

// WriteText writes diagnostics for people: each with its position and the source line
// with carets, followed by the number of diagnostics. A long explanation that is the same for
// several is written once. It writes nothing if there are none.
func WriteText(w io.Writer, list List, o TextOptions) error {
	if len(list) == 0 {
		return nil
	}
	t := text{TextOptions: o, explained: map[string]string{}}
	for _, d := range list {
		t.diagnostic(d)
		t.WriteByte('\n')
	}
	t.WriteString(list.Tally())
	t.WriteByte('\n')
	_, err := w.Write(t.Bytes())
	return err
}

// Tally returns the number of diagnostics and their files: "2 errors, 1 warning in
// petstore.cue".
func (l List) Tally() string {
	count := map[Severity]int{}
	files := map[string]bool{}
	last := ""
	for _, d := range l {
		count[d.Severity]++
		if d.Subject.File != "" {
			files[d.Subject.File], last = true, d.Subject.File
		}
	}
	var parts []string
	for _, s := range []Severity{Error, Warning, Note} {
		if count[s] > 0 {
			parts = append(parts, Count(count[s], s.String()))
		}
	}
	switch tally := strings.Join(parts, ", "); len(files) {
	case 0:
		return tally
	case 1:
		return tally + " in " + screen.Exact(last)
	default:
		return fmt.Sprintf("%s in %d files", tally, len(files))
	}
}

type text struct {
	TextOptions
	bytes.Buffer
	// explained has the long details that were written, with their places.
	explained map[string]string
}

// repeatable is how many bytes a detail may have to be written again for each diagnostic.
const repeatable = 100

// The attributes of text in a terminal (ECMA-48).
const (
	bold   = "1"
	red    = "1;31"
	yellow = "1;33"
	blue   = "1;34"
)

func (t *text) paint(attribute, s string) string {
	if !t.Color || s == "" {
		return s
	}
	return "\x1b[" + attribute + "m" + s + "\x1b[0m"
}

func (t *text) diagnostic(d Diagnostic) {
	hue := red
	switch d.Severity {
	case Warning:
		hue = yellow
	case Note:
		hue = blue
	}
	head := d.Severity.String()
	if d.Code != "" {
		head += "[" + d.Code + "]"
	}
	fmt.Fprintf(t, "%s%s\n", t.paint(hue, head), t.paint(bold, ": "+screen.Exact(d.Summary)))
	if place := placeOf(d); place != "" {
		fmt.Fprintf(t, "  %s %s\n", t.paint(blue, "-->"), place)
	}
	t.snippet(d.Subject, hue)
	switch first := t.explained[d.Detail]; {
	case first != "":
		fmt.Fprintf(t, "  See the explanation at %s.\n", first)
	case d.Detail != "":
		if len(d.Detail) > repeatable && d.Subject.Start.Line > 0 {
			t.explained[d.Detail] = screen.Exact(d.Subject.String())
		}
		for line := range strings.Lines(screen.Visible(d.Detail)) {
			fmt.Fprintf(t, "  %s\n", strings.TrimRight(line, "\n"))
		}
	}
	t.suggestion(d)
}

// suggestion writes the line that edits result in, unless the detail names the new text.
func (t *text) suggestion(d Diagnostic) {
	if len(d.Edits) == 0 || strings.Contains(d.Detail, "Did you mean") {
		return
	}
	at := d.Edits[0].At
	for _, e := range d.Edits {
		if e.At.File != at.File || e.At.Start.Line != at.Start.Line || e.At.End.Line != at.Start.Line || strings.Contains(e.Text, "\n") {
			return
		}
	}
	edited, err := Apply(t.Sources, d.Edits)
	if err != nil {
		return
	}
	if line, ok := Sources(edited).line(at.File, at.Start.Line); ok && strings.TrimSpace(line) != "" {
		cells := layOut(strings.TrimLeft(line, " \t"))
		shown, _, _ := cropLine(cells, cells.start(at.Start.Column-(len(line)-len(strings.TrimLeft(line, " \t")))), 1)
		fmt.Fprintf(t, "  Suggested: %s\n", shown)
	}
}

// placeOf returns the place of a diagnostic, `file:line:column, in CONTEXT`, without
// the unknown parts.
func placeOf(d Diagnostic) string {
	var parts []string
	switch at := d.Subject; {
	case at.File != "" && at.Start.Line > 0:
		parts = append(parts, at.String())
	case at.File != "":
		parts = append(parts, at.File)
	}
	if d.Context != "" {
		parts = append(parts, "in "+d.Context)
	}
	return screen.Exact(strings.Join(parts, ", "))
}
