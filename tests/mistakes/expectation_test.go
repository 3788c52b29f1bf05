// Package mistakes shows what vet finds. The corpus in testdata has one mistake a
// file, with a comment on its line that says what must be found, and where; each
// is vetted alone, and all that can coexist in one document. The mutation test
// breaks every part of the examples in turn. A new kind of mistake is a new file
// there, in each language that can have it.
package mistakes

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// expectation is what a comment in a spec says that vet must find on its line.
// It is written by hand, from what the language promises, before vet is asked:
//
//	«mistake|warning»: CODE `SUBJECT` [#N] [, did you mean NAME]
//
// The subject is the text that the caret must stand under: the Nth such text of
// the line, where there are several.
type expectation struct {
	Severity, Code string
	// Line, and the columns of the subject: from, and one after its end, in
	// code points from 1.
	Line, Column, EndColumn int
	// Meant is the name that the remedy must offer, if any.
	Meant string
}

var (
	comment = regexp.MustCompile("(?://|#) (mistake|warning): ([a-z-]+) `([^`]+)`(?: #([0-9]))?(?:, did you mean (\\S+))?$")
	alone   = regexp.MustCompile(`(?m)^(?://|#) alone: (.+)$`)
)

// expectations are those that the comments of a spec name.
func expectations(t *testing.T, text string) []expectation {
	t.Helper()
	var list []expectation
	for i, line := range strings.Split(text, "\n") {
		at := comment.FindStringSubmatchIndex(line)
		if at == nil {
			continue
		}
		m := comment.FindStringSubmatch(line)
		column, err := subject(line[:at[0]], m[3], m[4])
		if err != nil {
			t.Fatalf("line %d: %v", i+1, err)
		}
		severity := "error"
		if m[1] == "warning" {
			severity = "warning"
		}
		list = append(list, expectation{
			Severity: severity, Code: m[2], Line: i + 1, Column: column, EndColumn: column + len([]rune(m[3])), Meant: m[5],
		})
	}
	return list
}

// subject is the column of the nth such text in a line, which is the only one
// where n is empty.
func subject(line, text, nth string) (column int, err error) {
	want, _ := strconv.Atoi(nth)
	var found []int
	for from := range line {
		if strings.HasPrefix(line[from:], text) {
			found = append(found, len([]rune(line[:from]))+1)
		}
	}
	switch {
	case nth == "" && len(found) == 1:
		return found[0], nil
	case want > 0 && want <= len(found):
		return found[want-1], nil
	}
	return 0, fmt.Errorf("%q is %d times in %q, and the comment wants number %q", text, len(found), line, nth)
}

// spec is a case of the corpus.
type spec struct {
	// Name is that of the kind of mistake; a kind has one name in both languages.
	Name, Lang, Path, Text string
	Want                   expectation
	// Alone is why the mistake cannot stand beside others in one document, if so.
	Alone string
}

// corpus are the cases of one language, each with its one mistake.
func corpus(t *testing.T, lang string) []spec {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", lang, "*."+lang))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(paths)
	var list []spec
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		s := spec{Name: strings.TrimSuffix(filepath.Base(path), "."+lang), Lang: lang, Path: path, Text: string(raw)}
		wants := expectations(t, s.Text)
		if len(wants) != 1 {
			t.Errorf("%s expects %d mistakes; a case has one", path, len(wants))
			continue
		}
		s.Want = wants[0]
		if m := alone.FindStringSubmatch(s.Text); m != nil {
			s.Alone = m[1]
		}
		list = append(list, s)
	}
	return list
}
