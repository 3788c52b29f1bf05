package mistakes

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
)

// TestAlone vets each kind of mistake in a spec of its own: it is found, at its
// place, with a remedy, and nothing else is.
func TestAlone(t *testing.T) {
	kinds := map[string]bool{}
	for _, lang := range []string{"cue", "yaml"} {
		t.Run(lang, func(t *testing.T) {
			cases := corpus(t, lang)
			var paths []string
			for _, c := range cases {
				paths = append(paths, c.Path)
				kinds[c.Name] = true
			}
			if len(cases) < 60 {
				t.Errorf("the corpus has %d kinds of mistakes in %s, and should have 60", len(cases), lang)
			}
			found := vet(t, paths)
			for _, c := range cases {
				t.Run(c.Name, func(t *testing.T) { c.check(t, of(found, c.Path)) })
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

// place is where the text form says that a finding is.
var place = regexp.MustCompile(`(?m)^ +--> (.+?):(\d+):(\d+)`)

// TestText reads what a person sees of each case: the line at fault, with the
// caret under its subject, and a remedy below.
func TestText(t *testing.T) {
	binary := provider.Binary(t)
	for _, lang := range []string{"cue", "yaml"} {
		cases := corpus(t, lang)
		args := []string{"vet"}
		for _, c := range cases {
			args = append(args, c.Path)
		}
		out, err := run(binary, args...)
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		blocks := map[string]string{}
		for _, block := range regexp.MustCompile(`(?m)^(?:error|warning)\[`).Split(string(out), -1) {
			if m := place.FindStringSubmatch(block); m != nil {
				blocks[m[1]] = block
			}
		}
		for _, c := range cases {
			t.Run(lang+"/"+c.Name, func(t *testing.T) { c.seen(t, blocks[c.Path]) })
		}
	}
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
