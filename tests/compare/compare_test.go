package compare

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// observation is one aspect of one step, for both providers.
type observation struct{ Step, Aspect, Guide, Ours string }

func TestSameProgramAgainstTheGuidesProvider(t *testing.T) {
	guide := guideProvider(t)
	ours := provider.Folder(t, "files", "examples/files.cue")
	all := map[string]map[string]snapshot{"myfiles": {}, "files": {}}
	t.Run("play", func(t *testing.T) {
		for pkg, folder := range map[string]string{"myfiles": guide, "files": ours} {
			t.Run(pkg, func(t *testing.T) {
				t.Parallel()
				s := &side{Stack: pulumitest.New(t, pulumitest.Providers{pkg: folder}), t: t, pkg: pkg}
				for _, step := range scenario() {
					all[pkg][step.name] = step.do(s)
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	found := findDifferences(all["myfiles"], all["files"])
	if diff := cmp.Diff(expectedDifferences(), found); diff != "" {
		for _, o := range found {
			t.Logf("%#v", o)
		}
		t.Errorf("differences between the two providers (-expected +found):\n%s", diff)
	}
}

// TestOursRecordsMore checks that the properties of onlyOurs are in our state and not in
// that of the guide's provider.
func TestOursRecordsMore(t *testing.T) {
	guide := guideProvider(t)
	for pkg, folder := range map[string]string{"myfiles": guide, "files": provider.Folder(t, "files", "examples/files.cue")} {
		s := &side{Stack: pulumitest.New(t, pulumitest.Providers{pkg: folder}), t: t, pkg: pkg}
		s.program(greeting("a.txt", "hello"))
		s.Up("create=1")
		recorded := s.Recorded("greeting").Outputs
		for _, name := range onlyOurs() {
			if _, has := recorded[name]; has != (pkg == "files") {
				t.Errorf("%s: recorded outputs have %q: %t, which contradicts docs/internals/python-provider.md", pkg, name, has)
			}
		}
	}
}

// findDifferences returns the observations in which the two sides differ.
func findDifferences(guide, ours map[string]snapshot) []observation {
	var out []observation
	for _, step := range scenario() {
		g, o := guide[step.name], ours[step.name]
		aspects := maps.Clone(g)
		maps.Copy(aspects, o)
		for _, aspect := range slices.Sorted(maps.Keys(aspects)) {
			if g[aspect] != o[aspect] {
				guides, own := differentLines(g[aspect], o[aspect])
				out = append(out, observation{step.name, aspect, guides, own})
			}
		}
	}
	return out
}

// differentLines returns the lines that only one of two texts has. If only the order of the
// lines differs, it returns both texts.
func differentLines(a, b string) (onlyA, onlyB string) {
	left, right := strings.Split(a, "\n"), strings.Split(b, "\n")
	without := func(lines, others []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return slices.Contains(others, l) }), "\n")
	}
	onlyA, onlyB = without(left, right), without(right, left)
	if onlyA == "" && onlyB == "" {
		return a, b
	}
	return onlyA, onlyB
}

// expectedDifferences returns the observations of differences, in the order of the
// scenario.
func expectedDifferences() []observation {
	var out []observation
	for _, d := range differences() {
		out = append(out, d.observation)
	}
	order := map[string]int{}
	for i, step := range scenario() {
		order[step.name] = i
	}
	slices.SortStableFunc(out, func(a, b observation) int {
		if a.Step != b.Step {
			return order[a.Step] - order[b.Step]
		}
		return strings.Compare(a.Aspect, b.Aspect)
	})
	return out
}

func updating() bool { return flag.Lookup("update").Value.String() == "true" }

var _ = flag.Bool("update", false, "update docs/internals/python-provider.md")

//go:generate go test . -count=1 -run ThePageIsFresh -args -update

func TestThePageIsFresh(t *testing.T) {
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "docs", "internals", "python-provider.md")
	if updating() {
		if err := os.WriteFile(path, []byte(page()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(page(), string(got)); diff != "" {
		t.Errorf("docs/internals/python-provider.md is stale, run `make generate` (-want +got):\n%s", diff)
	}
}

// page returns docs/internals/python-provider.md.
func page() string {
	var b strings.Builder
	b.WriteString(`<!-- Generated from tests/compare; run "make generate". -->

# Comparison with a provider written by hand

Pulumi's guide "Implement a provider in Python" contains a provider for files, of about three hundred lines.
` + "`examples/files.cue`" + ` is the same provider as a spec. A test runs the same program with both providers and the real Pulumi CLI.
After every step, it compares the operations of the CLI, the files, the errors, the outputs and the recorded state:

`)
	for _, step := range scenario() {
		fmt.Fprintf(&b, "- %s\n", step.name)
	}
	b.WriteString("\nThe following differences are expected. The test fails if there is any other difference, or if one of these no longer exists. A table shows the lines that only one of the two has or, if only the order differs, all lines.\n\n")
	fmt.Fprintf(&b, "After every step, our state also contains `%s`, which the guide's provider does not have.\n", strings.Join(onlyOurs(), "`, `"))
	before := ""
	for _, d := range differences() {
		why := d.why
		if why == before {
			why = "The reason is the same as above."
		}
		before = d.why
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s\n\n| the guide's provider | ours |\n|---|---|\n| %s | %s |\n", d.Step, d.Aspect, why, cell(d.Guide), cell(d.Ours))
	}
	return b.String()
}

func cell(text string) string {
	if text == "" {
		return "nothing"
	}
	text = strings.ReplaceAll(text, "|", `\|`)
	return "`" + strings.ReplaceAll(text, "\n", "`<br>`") + "`"
}
