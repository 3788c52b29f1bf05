package mistakes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/diag"
)

// TestAlone vets each kind of mistake in a spec of its own: it is found, at its
// place, with a remedy, and nothing else is. A person sees the line at fault, with the
// caret under its subject, and the remedy below.
func TestAlone(t *testing.T) {
	kinds := map[string]bool{}
	for _, lang := range []string{"cue", "yaml"} {
		t.Run(lang, func(t *testing.T) {
			cases, found := vetted(t, lang)
			for _, c := range cases {
				kinds[c.Name] = true
			}
			if len(cases) < 60 {
				t.Errorf("the corpus has %d kinds of mistakes in %s, and should have 60", len(cases), lang)
			}
			for _, c := range cases {
				t.Run(c.Name, func(t *testing.T) {
					list := of(found, c.Path)
					c.check(t, list)
					c.seen(t, c.printed(t, list))
				})
			}
		})
	}
	t.Logf("%d kinds of mistakes", len(kinds))
}

// check compares what vet found in a case with what the case says.
func (s spec) check(t *testing.T, found []finding) {
	want := s.Want
	want.Meant = ""
	var got []expectation
	for _, f := range found {
		got = append(got, f.mistake())
	}
	if diff := cmp.Diff([]expectation{want}, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s%s", s.Path, diff, described(found))
		return
	}
	f := found[0]
	switch {
	case f.Message == "" || f.Detail == "":
		t.Errorf("%s says no remedy: %s", s.Path, described(found))
	case s.Want.Meant != "" && !asks(f.Detail, s.Want.Meant):
		t.Errorf("%s does not ask whether %q was meant: %s", s.Path, s.Want.Meant, described(found))
	case strings.Contains(f.Detail, "Did you mean") && len(f.Edits) == 0:
		t.Errorf("%s suggests a name, but no edit: %s", s.Path, described(found))
	}
}

// asks reports whether a remedy offers a name, or a function by its signature.
func asks(detail, name string) bool {
	return strings.Contains(detail, fmt.Sprintf("Did you mean %q?", name)) || strings.Contains(detail, "Did you mean "+name+"(")
}

func described(found []finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%s:%d:%d-%d:%d %s[%s]: %s. %s (%s)\n", f.File, f.Line, f.Column, f.EndLine, f.EndColumn, f.Severity, f.Code, f.Message, f.Detail, f.Path)
	}
	return b.String()
}

// printed is the text form of findings in a case. It is written here, of their JSON
// form: vet runs a process for each spec, and would run all of them again.
func (s spec) printed(t *testing.T, found []finding) string {
	t.Helper()
	var list diag.List
	sources := diag.Sources{}
	for _, f := range found {
		d := diag.Diagnostic{Severity: diag.Error, Code: f.Code, Summary: f.Message, Detail: f.Detail, Path: f.Path, Subject: diag.Range{
			File: f.File, Start: diag.Position{Line: f.Line, Column: f.Column}, End: diag.Position{Line: f.EndLine, Column: f.EndColumn},
		}}
		if f.Severity == diag.Warning.String() {
			d.Severity = diag.Warning
		}
		list, sources[f.File] = append(list, d), []byte(s.Text)
	}
	var text strings.Builder
	if err := diag.WriteText(&text, list, diag.TextOptions{Sources: sources}); err != nil {
		t.Fatal(err)
	}
	return text.String()
}

// seen checks the text of one finding.
func (s spec) seen(t *testing.T, block string) {
	lines := strings.Split(block, "\n")
	source := strings.TrimRight(strings.Split(s.Text, "\n")[s.Want.Line-1], " ")
	for i, line := range lines {
		number, text, ok := strings.Cut(line, " | ")
		if !ok || strings.TrimSpace(number) != fmt.Sprint(s.Want.Line) || i+1 == len(lines) {
			continue
		}
		if !strings.Contains(squeezed(source), squeezed(strings.Trim(text, "…"))) {
			t.Errorf("the snippet is %q, and the line is %q", text, source)
		}
		_, under, _ := strings.Cut(lines[i+1], "| ")
		from := strings.Index(under, "^")
		if from < 0 {
			t.Fatalf("no caret below the line:\n%s", block)
		}
		want := string([]rune(source)[s.Want.Column-1 : s.Want.EndColumn-1])
		shown := []rune(text)
		at := len([]rune(under[:from]))
		got := string(shown[at:min(at+strings.Count(under, "^"), len(shown))])
		if cut := strings.TrimSuffix(got, "…"); got != plain(want) && (cut == got || !strings.HasPrefix(plain(want), cut)) {
			t.Errorf("the caret is under %q, and should be under %q:\n%s", got, want, block)
		}
		if strings.TrimSpace(strings.Join(lines[i+2:], "")) == "" {
			t.Errorf("no remedy below the snippet:\n%s", block)
		}
		return
	}
	t.Errorf("line %d is not shown:\n%s", s.Want.Line, block)
}

// squeezed is text without the blanks in it.
func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }

// plain is text as the snippet shows it: tabs are spaces. What is too wide is cut
// there, with an ellipsis.
func plain(s string) string { return strings.ReplaceAll(s, "\t", "    ") }
