package mistakes

import (
	"flag"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// legal says why a mutant is a program like any other; "" where it is not.
// These are rules of the language, not results.
func legal(m mutant) string {
	last := ""
	if n := len(m.Site.Path); n > 0 {
		last = m.Site.Path[n-1]
	}
	switch s := m.Site; {
	case m.unused():
		return "what nothing uses may have any name and type"
	case s.Part == packageKey:
		return "a CUE package may have any name while nobody imports it"
	case s.Part == aKey && m.What == "misspelt" && len(s.Path) == 2 && (s.Path[0] == "resources" || s.Path[0] == "functions"):
		return "a resource or function may have any name, and nothing in a spec refers to it"
	case s.Part == aKey && m.What == "misspelt" && len(s.Path) == 4 && s.Path[2] == "examples":
		return "an example may have any title"
	case s.Part == text && len(s.Path) == 5 && s.Path[2] == "examples" && m.What == "emptied":
		return "an example may pass whatever the type of the input allows"
	case s.Part == text && s.Unary == "=~" && m.What == "emptied":
		return "an empty pattern matches every text"
	case s.Part == text && s.Unary == "*" && m.What == "emptied" && !strings.Contains(m.ownLine(), "=~"):
		return "an empty text is a default like any other, where no pattern says more"
	case s.Part == text && last == "content" && m.What == "emptied":
		return "a file may be empty"
	case s.Part == text && slices.Contains(s.Path, "return") && m.What == "emptied":
		return "an output may be an empty text"
	case s.Part == text && last == "progress" && m.What == "emptied":
		return "progress may say nothing"
	case s.Part == aType && slices.Contains(s.Path, "outputs") && m.Of == "int" && m.What == "retyped":
		return "a number that is declared as text becomes text, which keeps all its digits"
	}
	return ""
}

func (m mutant) ownLine() string { return strings.Split(m.Text, "\n")[m.Line-1] }

var every = flag.Int("every", 3, "which part of the mutants is vetted: one in so many, and the first of each class; 1 vets all")

// sample returns a function that reports whether to vet a mutant. A class is what was done to
// which part of a spec.
func sample() func(mutant) bool {
	met := map[string]bool{}
	return func(m mutant) bool {
		class := fmt.Sprint(m.What, " ", m.Site.Part)
		first := !met[class]
		met[class] = true
		h := fnv.New32a()
		fmt.Fprint(h, m.What, m.Of, m.After, m.Line)
		return first || h.Sum32()%uint32(*every) == 0
	}
}

// TestMutants breaks each key, name, value, attribute and expression of the
// examples of files in turn, or a sample of them (see -every). It wants each break
// found on its line, or, where a declaration was renamed or retyped, on a line that
// uses it.
func TestMutants(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range []string{"cue", "yaml"} {
		// The examples for HTTP servers are not here: nothing is known of what
		// an untyped answer has, so a misspelt member of one is no mistake that
		// vet could find.
		examples, err := filepath.Glob(filepath.Join(root, "examples", "files."+lang))
		if err != nil || len(examples) == 0 {
			t.Fatalf("no examples in %s: %v", lang, err)
		}
		for _, path := range examples {
			t.Run(filepath.Base(path), func(t *testing.T) { breakAll(t, path, lang) })
		}
	}
}

// breakAll vets all mutants of an example.
func breakAll(t *testing.T, path, lang string) {
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	src := string(raw)
	sites, err := yamlSites(src)
	if lang == "cue" {
		sites, err = cueSites(src, 0, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	broken := map[string]mutant{}
	var paths []string
	spared := map[string]int{}
	all, take := mutants(src, sites, lang), sample()
	for i, m := range all {
		if why := legal(m); why != "" {
			spared[why]++
			continue
		}
		if !take(m) {
			continue
		}
		path := filepath.Join(dir, fmt.Sprintf("%04d.%s", i, lang))
		if err := os.WriteFile(path, []byte(m.Text), 0o600); err != nil {
			t.Fatal(err)
		}
		broken[path], paths = m, append(paths, path)
	}
	whole := filepath.Join(dir, "whole."+lang)
	if err := os.WriteFile(whole, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	found := vet(t, append(paths, whole))
	missed := 0
	for _, path := range paths {
		news := slices.DeleteFunc(found[path], func(f finding) bool {
			// What vet warns of in the example itself, it warns of in its mutants.
			return f.Severity == "warning" && slices.ContainsFunc(found[whole], func(w finding) bool {
				return w.Code == f.Code && w.Message == f.Message
			})
		})
		if err := broken[path].found(news); err != nil {
			missed++
			t.Error(err)
		}
	}
	t.Logf("%d of %d mutants found", len(paths)-missed, len(paths))
	for why, n := range spared {
		t.Logf("%d are legal: %s", n, why)
	}
}

// found says what is wrong with the findings in a mutant.
func (m mutant) found(list []finding) error {
	lines := m.lines()
	hit := false
	var elsewhere []finding
	for _, f := range list {
		here := slices.Contains(lines, f.Line)
		hit = hit || here && f.Severity == "error"
		if !here {
			elsewhere = append(elsewhere, f)
		}
	}
	what := fmt.Sprintf("%s %s %q -> %q on line %d:\n\t%s", m.What, m.Site.Part, m.Of, m.After, m.Line, strings.TrimSpace(m.ownLine()))
	switch {
	case !hit:
		return fmt.Errorf("not found there: %s\n%s", what, described(list))
	case m.Site.Part == aKey && m.What == "emptied":
		return nil // what the key was for is missing, and that is said where it is
	case len(elsewhere) > 0:
		return fmt.Errorf("found elsewhere, too: %s\n%s", what, described(elsewhere))
	}
	return nil
}
