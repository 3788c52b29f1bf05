package mistakes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestShared shares the resource of each spec between two. A mistake in what they share is found once,
// and nothing follows from it: a warning about the second resource, with its edit, would change what
// is right.
func TestShared(t *testing.T) {
	t.Parallel()
	const begins = "\nresources: Thing: {\n"
	differs := map[string]bool{
		"alias-no-name":         true, // two resources must not have one alias
		"attribute-on-argument": true, // these two are only found where it is written in a resource
		"attribute-on-inputs":   true,
	}
	dir := t.TempDir()
	var cases []spec
	var paths []string
	for _, c := range corpus(t, "cue") {
		if !strings.Contains(c.Text, begins) || strings.Count(c.Text, "\nresources: ") != 1 || c.Want.Severity != "error" || differs[c.Name] {
			continue
		}
		c.Text = strings.Replace(c.Text, begins, "\n_shared: {\n", 1) + "\nresources: {Thing: _shared, Other: _shared}\n"
		c.Path = filepath.Join(dir, c.Name+".cue")
		if err := os.WriteFile(c.Path, []byte(c.Text), 0o644); err != nil {
			t.Fatal(err)
		}
		cases, paths = append(cases, c), append(paths, c.Path)
	}
	found := vet(t, paths)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			want := c.Want
			want.Meant = ""
			var got []expectation
			for _, f := range found[c.Path] {
				if m := f.mistake(); !slices.Contains(got, m) { // the message may name the resource
					got = append(got, m)
				}
			}
			if diff := cmp.Diff([]expectation{want}, got); diff != "" {
				t.Errorf("(-want +got):\n%s%s", diff, described(found[c.Path]))
			}
		})
	}
	t.Logf("%d mistakes are shared", len(cases))
}
