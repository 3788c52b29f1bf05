package mistakes

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestAuthor tries the mistakes of an author, one by one. Each is found, with the code that its case names,
// at its line. If the case says what was meant, the edits result in it, and nothing is left to find.
func TestAuthor(t *testing.T) {
	dir := t.TempDir()
	cases, paths := changes(t, "author.txt"), []string{}
	for i, c := range cases {
		text, _ := c.apply(t, c.Wrong)
		path := filepath.Join(dir, fmt.Sprintf("%03d.%s", i, c.Lang))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	before := vet(t, paths)
	after := fix(t, paths)
	repaired := contents(t, paths)
	for i, c := range cases {
		list := before[paths[i]]
		_, first := c.apply(t, c.Wrong)
		if !slices.ContainsFunc(list, func(f finding) bool { return f.Line == first+c.At && f.Code == c.Origin }) {
			t.Errorf("%s (%s) is not found at line %d:\n%s", c.Name, c.Lang, first+c.At, described(list))
		}
		if c.Several != len(list) {
			t.Errorf("%s (%s) has %d findings, want %d:\n%s", c.Name, c.Lang, len(list), c.Several, described(list))
		}
		wrong, _ := c.apply(t, c.Wrong)
		want, _ := c.apply(t, c.Repaired)
		switch {
		case c.NoRepair && repaired[paths[i]] != wrong:
			t.Errorf("%s (%s) was repaired, although no edit is certain:\n%s", c.Name, c.Lang, repaired[paths[i]])
		case !c.NoRepair && plainText(repaired[paths[i]]) != plainText(want):
			t.Errorf("%s (%s) was not repaired as meant:\n%s\n%s", c.Name, c.Lang, repaired[paths[i]], described(after[paths[i]]))
		case !c.NoRepair && len(after[paths[i]]) > 0:
			t.Errorf("%s (%s) has findings after its repair:\n%s", c.Name, c.Lang, described(after[paths[i]]))
		}
	}
}
