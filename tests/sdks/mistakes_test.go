package sdks

import (
	"maps"
	"regexp"
	"slices"
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
			correct := map[string]string{"a program": program(t, l, "garden")}
			if l.Name == "Python" { // the tests of a user and the driver, an Automation API program, are fully typed
				correct["tests"], correct["the driver"] = program(t, l, "test_garden"), sdk.Driver(t, "driver.py")
			}
			wrong := program(t, l, "mistakes")
			for _, c := range l.Checkers {
				names := []string{"mistakes"}
				programs := []string{wrong}
				if !c.Builds { // TestLife builds this program
					for _, name := range slices.Sorted(maps.Keys(correct)) {
						names, programs = append(names, name), append(programs, correct[name])
					}
				}
				found, printed := w.Check(t, c, programs...)
				if want := wanted(wrong, c.Name); want == nil && len(found[0]) == 0 || want != nil && !cmp.Equal(want, found[0]) {
					t.Errorf("%s (-want +got):\n%s\n%s", c.Name, cmp.Diff(want, found[0]), printed)
				}
				for i, name := range names[1:] {
					if len(found[1+i]) > 0 {
						t.Errorf("%s finds mistakes in what is correct, %s:\n%s", c.Name, name, printed)
					}
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
