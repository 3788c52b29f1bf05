package mistakes

import (
	"os"
	"strings"
	"testing"

	"github.com/declprov/declprov/spec/diag"
)

// TestRemedies checks that the remedy of a mistake says what its author must write, where no single
// edit is right for all of them.
func TestRemedies(t *testing.T) {
	t.Parallel()
	words := map[string]string{
		"attribute-on-inputs":   `update: "none"`,
		"auth-without-kind":     "`basic: {password: …}`",
		"rest-delete-true":      "remove it",
		"template-size-of-list": "len(v: any) int",
		"update-null":           `rest: {…, update: "none"}`,
	}
	var paths []string
	for name := range words {
		paths = append(paths, "testdata/cue/"+name+".cue")
	}
	found := vet(t, paths)
	for name, word := range words {
		list := found["testdata/cue/"+name+".cue"]
		if len(list) != 1 || !strings.Contains(list[0].Detail, word) || len(list[0].suggested()) > 0 {
			t.Errorf("%s: the remedy does not say %q, or an edit is suggested:\n%s", name, word, described(list))
		}
	}
}

// TestSuggestions checks what is in a spec with its mistake after the suggested edit.
func TestSuggestions(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"body-of-text":       `text: "title=${inputs.title}"`,
		"dotted-names":       `read: file: read: path: "things/${id}"`,
		"error-not-template": `error: "${body.fault.message}"`,
	} {
		path := "testdata/cue/" + name + ".cue"
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range vet(t, []string{path})[path] {
			after, err := diag.Apply(diag.Sources{f.File: before}, f.suggested())
			if err != nil || !strings.Contains(string(after[f.File]), text) {
				t.Errorf("%s: it does not suggest %s, %v:\n%s", name, text, err, described([]finding{f}))
			}
		}
	}
}
