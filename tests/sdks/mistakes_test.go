package sdks

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/sdk"
)

// TestCheckers runs the type checkers of each language on a program without mistakes, and on
// one with every mistake that the SDK makes visible: each line says what is found in it.
func TestCheckers(t *testing.T) {
	t.Parallel()
	for _, l := range sdk.Languages() {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			w := gardenIn(t, l)
			wrong := program(t, l, "mistakes")
			for _, c := range l.Checkers {
				if !c.Builds { // TestLife builds this program
					if found, printed := w.Check(t, c, program(t, l, "garden")); len(found) > 0 {
						t.Errorf("%s finds mistakes in a correct program:\n%s", c.Name, printed)
					}
				}
				found, printed := w.Check(t, c, wrong)
				if want := wanted(wrong, c.Name); want == nil && len(found) == 0 || want != nil && !cmp.Equal(want, found) {
					t.Errorf("%s (-want +got):\n%s\n%s", c.Name, cmp.Diff(want, found), printed)
				}
			}
		})
	}
}

// wanted returns the findings that a program names in its comments.
func wanted(program, checker string) (found []sdk.Finding) {
	pattern := regexp.MustCompile(`want.* ` + checker + `:([^:]+?)(?: \w+:|$)`)
	for i, line := range strings.Split(program, "\n") {
		if m := pattern.FindStringSubmatch(line); m != nil {
			found = append(found, sdk.Finding{Line: i + 1, Code: m[1]})
		}
	}
	return found
}
