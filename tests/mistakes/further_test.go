package mistakes

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// change is a case of testdata/further: a change of one of the two base specs.
type change struct {
	Name, Lang, Origin string
	// Given are lines of the base, Place counts the places that have them. Wrong replaces
	// them; Repaired is what the author meant, by default the given lines.
	Given, Wrong, Repaired []string
	Place                  int
	// At is the index of the line in Wrong that has the mistake.
	At int
	// NoRepair says that no edit is suggested. Several is the number of findings.
	NoRepair bool
	Several  int
}

// changes are the cases of a file.
func changes(t *testing.T, name string) []change {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "further", name))
	if err != nil {
		t.Fatal(err)
	}
	var list []change
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		kind, rest, _ := strings.Cut(line, " ")
		if kind == "==" {
			parts := strings.Split(rest, " | ")
			list = append(list, change{Name: parts[0], Lang: parts[1], Origin: parts[2], Place: 1, Several: 1})
			continue
		}
		c := &list[len(list)-1]
		switch kind {
		case "=":
			if place, after, ok := strings.Cut(rest, "] "); ok && strings.HasPrefix(place, "[") && len(place) == 2 {
				if c.Place, err = strconv.Atoi(place[1:]); err != nil {
					t.Fatalf("%s: %v", c.Name, err)
				}
				rest = after
			}
			c.Given = append(c.Given, rest)
		case ">!":
			c.At = len(c.Wrong)
			c.Wrong = append(c.Wrong, rest)
		case ">":
			c.Wrong = append(c.Wrong, rest)
		case "-":
			c.NoRepair = true
		case "*":
			if c.Several, err = strconv.Atoi(rest); err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
		case "<":
			c.Repaired = append(c.Repaired, rest)
		default:
			t.Fatalf("%s: cannot read %q", name, line)
		}
	}
	for i := range list {
		if list[i].Repaired == nil {
			list[i].Repaired = list[i].Given
		}
	}
	return list
}

// apply gives the base with other lines in the place of the given ones, and the number of the
// first of them.
func (c change) apply(t *testing.T, lines []string) (text string, first int) {
	t.Helper()
	base, err := os.ReadFile(filepath.Join("testdata", "further", "base."+c.Lang))
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(string(base), "\n")
	place := 0
	for i := range all {
		if !c.begins(all[i:]) {
			continue
		}
		if place++; place < c.Place {
			continue
		}
		indent := all[i][:len(all[i])-len(strings.TrimLeft(all[i], " \t"))]
		var changed []string
		for _, line := range lines {
			changed = append(changed, indent+line)
		}
		return strings.Join(slices.Concat(all[:i], changed, all[i+len(c.Given):]), "\n"), i + 1
	}
	t.Fatalf("%s: the base has no place %d with %q", c.Name, c.Place, c.Given)
	return "", 0
}

func (c change) begins(lines []string) bool {
	if len(lines) < len(c.Given) {
		return false
	}
	for i, given := range c.Given {
		if strings.TrimSpace(lines[i]) != strings.TrimSpace(given) {
			return false
		}
	}
	return true
}

// writeWrong writes the specs of cases as their authors wrote them, and returns the paths.
func writeWrong(t *testing.T, cases []change) []string {
	t.Helper()
	dir := t.TempDir()
	paths := make([]string, len(cases))
	for i, c := range cases {
		text, _ := c.apply(t, c.Wrong)
		paths[i] = filepath.Join(dir, fmt.Sprintf("%03d.%s", i, c.Lang))
		if err := os.WriteFile(paths[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return paths
}

// TestFurther measures the further mistakes: how many vet finds at their line, and how many have
// a suggested edit that, applied mechanically, results in what was meant.
func TestFurther(t *testing.T) {
	var all []change
	for _, file := range []string{"cue.txt", "yaml.txt", "models.txt"} {
		all = append(all, changes(t, file)...)
	}
	paths := writeWrong(t, all)
	before := vet(t, paths)
	after := fix(t, paths)
	repaired := contents(t, paths)
	found, meant := 0, 0
	var missed, notMeant strings.Builder
	for i, c := range all {
		path := paths[i]
		_, first := c.apply(t, c.Wrong)
		atLine := slices.ContainsFunc(before[path], func(f finding) bool { return f.Line == first+c.At })
		want, _ := c.apply(t, c.Repaired)
		isMeant := len(after[path]) == 0 && plainText(repaired[path]) == plainText(want)
		if atLine {
			found++
		} else {
			fmt.Fprintf(&missed, "%s (%s), line %d:\n%s", c.Name, c.Lang, first+c.At, described(before[path]))
		}
		if isMeant {
			meant++
		} else {
			got := strings.Split(repaired[path], "\n")
			fmt.Fprintf(&notMeant, "%s (%s): %s\n%s", c.Name, c.Lang, strings.TrimSpace(got[min(first+c.At, len(got))-1]), described(after[path]))
		}
	}
	t.Logf("%d mistakes: %d found at their line, %d repaired as meant by their edits", len(all), found, meant)
	if len(all) != 120 || found*100 < len(all)*95 {
		t.Errorf("not found at their line:\n%s", missed.String())
	}
	if meant*100 < len(all)*80 {
		t.Errorf("not repaired as meant:\n%s", notMeant.String())
	}
}

// plainText is a spec without what does not matter: blanks, which quotes a string has, and the
// braces around a map type.
func plainText(s string) string {
	s = strings.NewReplacer(" ", "", "\t", "", "\n", "", `"`, "", "'", "", ",", "").Replace(s)
	return strings.ReplaceAll(s, "{[string]:string}", "[string]:string")
}

// TestGood vets tricky specs that are right: there is no finding.
func TestGood(t *testing.T) {
	cases := changes(t, "good.txt")
	paths := writeWrong(t, cases)
	found := vet(t, paths)
	for i, c := range cases {
		if list := found[paths[i]]; len(list) > 0 {
			t.Errorf("%s (%s): %s", c.Name, c.Origin, described(list))
		}
	}
	if len(cases) != 24 {
		t.Errorf("%d cases, want 24", len(cases))
	}
}
