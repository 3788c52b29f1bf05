package mistakes

import (
	"slices"
	"testing"
)

// TestAuthor tries the mistakes of an author, one by one. Each is found, with the code that its case names,
// at its line. If the case says what was meant, the edits result in it, and nothing is left to find.
func TestAuthor(t *testing.T) {
	cases := changes(t, "author.txt")
	paths := writeWrong(t, cases)
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
