package mistakes

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
)

// TestEdits checks the suggested edits of all mistakes: each is in its file and leaves
// it with valid syntax. `vet --fix` never makes a spec worse, and changes nothing the
// second time.
func TestEdits(t *testing.T) {
	for _, lang := range []string{"cue", "yaml"} {
		t.Run(lang, func(t *testing.T) {
			dir := t.TempDir()
			cases, before := vetted(t, lang)
			copies := make([]string, len(cases))
			edits := 0
			for i, c := range cases {
				edits += c.checkEdits(t, of(before, c.Path))
				copies[i] = filepath.Join(dir, filepath.Base(c.Path))
				if err := os.WriteFile(copies[i], []byte(c.Text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			after := fix(t, copies)
			once := contents(t, copies)
			var changed []string // vet says the same of the others again
			for i, c := range cases {
				was, is, text := of(before, c.Path), after[copies[i]], once[copies[i]]
				if len(is) > len(was) {
					t.Errorf("%s is worse after its repair:\n%s", c.Name, described(is))
				}
				if is == nil && len(was) > 0 && text == c.Text {
					t.Errorf("%s has no findings, but was not changed", c.Name)
				}
				if text != c.Text {
					changed = append(changed, copies[i])
				}
			}
			fix(t, changed)
			for path, text := range contents(t, changed) {
				if text != once[path] {
					t.Errorf("the second repair changed %s", path)
				}
			}
			if len(changed) == 0 {
				t.Error("no file was repaired")
			}
			t.Logf("%d of %d mistakes have an edit", edits, len(cases))
		})
	}
}

// checkEdits checks the edits of the findings in a case, and returns how many findings
// have one.
func (s spec) checkEdits(t *testing.T, found []finding) (n int) {
	for _, f := range found {
		if len(f.Edits) == 0 {
			continue
		}
		n++
		sources := diag.Sources{f.File: []byte(s.Text)}
		edited, err := diag.Apply(sources, f.suggested())
		if err != nil {
			t.Errorf("%s: %v", s.Name, err)
			continue
		}
		for _, text := range edited {
			if string(text) == s.Text {
				t.Errorf("%s: the edit changes nothing: %s", s.Name, described([]finding{f}))
			}
			if load.Parses(s.Path, "", []byte(s.Text)) && !load.Parses(s.Path, "", text) {
				t.Errorf("%s: the edit breaks the syntax:\n%s", s.Name, text)
			}
		}
	}
	return n
}

// suggested are the edits of a finding.
func (f finding) suggested() []diag.Edit {
	var list []diag.Edit
	for _, e := range f.Edits {
		list = append(list, diag.Edit{Text: e.Text, At: diag.Range{
			File: e.File, Start: diag.Position{Line: e.Line, Column: e.Column}, End: diag.Position{Line: e.EndLine, Column: e.EndColumn},
		}})
	}
	return list
}

// fix repairs the files, and gives the findings that are left.
func fix(t *testing.T, paths []string) map[string][]finding {
	t.Helper()
	return vet(t, paths, "--fix")
}

func contents(t *testing.T, paths []string) map[string]string {
	t.Helper()
	texts := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[path] = string(text)
	}
	return texts
}
