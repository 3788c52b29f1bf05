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

// observation is what one aspect of one step showed of both.
type observation struct{ Step, Aspect, Guide, Ours string }

func TestSameProgramAgainstTheGuidesProvider(t *testing.T) {
	guide := guideProvider(t)
	ours := provider.Folder(t, "files", "examples/files.cue")
	all := map[string]map[string]seen{"myfiles": {}, "files": {}}
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
	seen := differing(all["myfiles"], all["files"])
	if diff := cmp.Diff(tabled(), seen); diff != "" {
		for _, o := range seen {
			t.Logf("%#v", o)
		}
		t.Errorf("differences between the two (-in the table +seen now):\n%s", diff)
	}
}

// TestOursRecordsMore keeps oursAlone true: what it names is in our state and
// not in the guide's.
func TestOursRecordsMore(t *testing.T) {
	guide := guideProvider(t)
	for pkg, folder := range map[string]string{"myfiles": guide, "files": provider.Folder(t, "files", "examples/files.cue")} {
		s := &side{Stack: pulumitest.New(t, pulumitest.Providers{pkg: folder}), t: t, pkg: pkg}
		s.program(greeting("a.txt", "hello"))
		s.Up("create=1")
		recorded := s.Recorded("greeting").Outputs
		for _, name := range oursAlone() {
			if _, has := recorded[name]; has != (pkg == "files") {
				t.Errorf("%s: recorded outputs have %q: %t, which docs/internals/python-provider.md says otherwise", pkg, name, has)
			}
		}
	}
}

// differing are the observations in which the two sides are not equal.
func differing(guide, ours map[string]seen) []observation {
	var out []observation
	for _, step := range scenario() {
		g, o := guide[step.name], ours[step.name]
		aspects := maps.Clone(g)
		maps.Copy(aspects, o)
		for _, aspect := range slices.Sorted(maps.Keys(aspects)) {
			if g[aspect] != o[aspect] {
				guides, own := apart(g[aspect], o[aspect])
				out = append(out, observation{step.name, aspect, guides, own})
			}
		}
	}
	return out
}

// apart are the lines that only one of two texts has; where they differ in the
// order of their lines, all of them.
func apart(a, b string) (onlyA, onlyB string) {
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

// tabled are the observations of the table, in the scenario's order.
func tabled() []observation {
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

var _ = flag.Bool("update", false, "write docs/internals/python-provider.md anew")

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

// page is the comparison for people.
func page() string {
	var b strings.Builder
	b.WriteString(`<!-- Generated from tests/compare; run "make generate". -->

# Beside a provider written by hand

Pulumi's guide "Implement a provider in Python" writes a provider for files by hand, some three hundred lines.
` + "`examples/files.cue`" + ` is the same provider as a spec. A test runs one program, through one life, against both with the real
Pulumi CLI, and compares what the CLI did, the files, the errors, the outputs and the recorded state after every step:

`)
	for _, step := range scenario() {
		fmt.Fprintf(&b, "- %s\n", step.name)
	}
	b.WriteString("\nEverything is equal but for what follows; the test fails if anything else differs, and if any of this stops differing.\n\n")
	fmt.Fprintf(&b, "At every step our state also holds `%s`, which the guide's provider does not have.\n", strings.Join(oursAlone(), "`, `"))
	for _, d := range differences() {
		fmt.Fprintf(&b, "\n## %s: %s\n\n%s\n\n| the guide's | ours |\n|---|---|\n| %s | %s |\n", d.Step, d.Aspect, d.why, cell(d.Guide), cell(d.Ours))
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
