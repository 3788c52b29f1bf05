package mistakes

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/tests/internal/provider"
)

// TestEdits checks the suggested edits of all mistakes: each is in its file and leaves
// it with valid syntax. `vet --fix` never makes a spec worse, and changes nothing the
// second time.
func TestEdits(t *testing.T) {
	for _, lang := range []string{"cue", "yaml"} {
		t.Run(lang, func(t *testing.T) {
			dir := t.TempDir()
			cases, paths := corpus(t, lang), []string{}
			for i := range cases {
				cases[i].Path = filepath.Join(dir, filepath.Base(cases[i].Path))
				if err := os.WriteFile(cases[i].Path, []byte(cases[i].Text), 0o600); err != nil {
					t.Fatal(err)
				}
				paths = append(paths, cases[i].Path)
			}
			before := vet(t, paths)
			edits := 0
			for _, c := range cases {
				edits += c.checkEdits(t, before[c.Path])
			}
			after := fix(t, paths)
			once := contents(t, paths)
			for _, c := range cases {
				if was, is := before[c.Path], after[c.Path]; len(is) > len(was) {
					t.Errorf("%s is worse after its repair:\n%s", c.Name, described(is))
				}
				if after[c.Path] == nil && len(before[c.Path]) > 0 && once[c.Path] == c.Text {
					t.Errorf("%s has no findings, but was not changed", c.Name)
				}
			}
			fix(t, paths)
			for path, text := range contents(t, paths) {
				if text != once[path] {
					t.Errorf("the second repair changed %s", path)
				}
			}
			t.Logf("%d of %d mistakes have an edit", edits, len(cases))
		})
	}
}

// checkEdits checks the edits of the findings in a case, and returns how many findings
// have one.
func (s spec) checkEdits(t *testing.T, found []finding) (n int) {
	sources := diag.Sources{s.Path: []byte(s.Text)}
	for _, f := range found {
		if len(f.Edits) == 0 {
			continue
		}
		n++
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
	out, err := run(provider.Binary(t), append([]string{"vet", "--fix", "--format", "json"}, paths...)...)
	var list []finding
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil {
		t.Fatalf("vet --fix: %v\n%s", err, out)
	}
	found := map[string][]finding{}
	for _, f := range list {
		found[f.File] = append(found[f.File], f)
	}
	return found
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
