package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/pulumicli"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// side is one of the two providers, with a stack of its own.
type side struct {
	*pulumitest.Stack
	t   *testing.T
	pkg string
}

// snapshot is the result of a step for one provider, by aspect.
type snapshot map[string]string

// The aspects.
const (
	ops     = "operations" // the operations of the CLI, in order
	files   = "files"      // the files on the disk afterwards
	fault   = "error"      // the kinds of errors
	outputs = "outputs"    // the stack's outputs
	state   = "state"      // the recorded inputs and outputs
)

// step is an action of a user that returns a snapshot.
type step struct {
	name string
	do   func(s *side) snapshot
}

// scenario returns the steps of the life of a file. Each step continues the previous one.
func scenario() []step {
	return []step{
		{"preview of a create", func(s *side) snapshot {
			s.program(greeting("sub/dir/a.txt", "hello"))
			return s.look(s.Project.Preview(s.t.Context()))
		}},
		{"create, with parent folders", func(s *side) snapshot {
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"up again", func(s *side) snapshot { return s.look(s.Project.Up(s.t.Context())) }},
		{"preview of an update", func(s *side) snapshot {
			s.program(greeting("sub/dir/a.txt", "hello again"))
			return s.look(s.Project.Preview(s.t.Context()))
		}},
		{"update", func(s *side) snapshot { return s.look(s.Project.Up(s.t.Context())) }},
		{"update of only `force`", func(s *side) snapshot {
			s.program(greeting("sub/dir/a.txt", "hello again") + "      force: true\n")
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"preview of a replacement", func(s *side) snapshot {
			s.program(greeting("b.txt", "hello again"))
			return s.look(s.Project.Preview(s.t.Context()))
		}},
		{"replacement", func(s *side) snapshot { return s.look(s.Project.Up(s.t.Context())) }},
		{"create over an existing file", func(s *side) snapshot {
			s.Write("taken.txt", "precious")
			// The dependency makes the output about the first file independent of when
			// the second one fails.
			s.program(greeting("b.txt", "hello again") + file("taken", "taken.txt", "mine") +
				"    options:\n      dependsOn:\n        - ${greeting}\n")
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"create over an existing file, with `force`", func(s *side) snapshot {
			s.program(greeting("b.txt", "hello again") + file("taken", "taken.txt", "mine") + "      force: true\n")
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"refresh without a change", func(s *side) snapshot { return s.refresh() }},
		{"refresh after a manual edit", func(s *side) snapshot {
			s.Write("b.txt", "edited by hand")
			return s.refresh()
		}},
		{"repair of the edit", func(s *side) snapshot { return s.look(s.Project.Up(s.t.Context())) }},
		{"refresh after the file was deleted", func(s *side) snapshot {
			s.remove("b.txt")
			return s.refresh()
		}},
		{"recreation of the file", func(s *side) snapshot { return s.look(s.Project.Up(s.t.Context())) }},
		{"removal from the program", func(s *side) snapshot {
			s.program(greeting("b.txt", "hello again"))
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"file that depends on another file", func(s *side) snapshot {
			s.program(greeting("b.txt", "hello again") + file("copy", "copy.txt", "${greeting.content}, twice"))
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"preview of a change that affects the dependent file", func(s *side) snapshot {
			s.program(greeting("b.txt", "bye") + file("copy", "copy.txt", "${greeting.content}, twice"))
			return s.look(s.Project.Preview(s.t.Context()))
		}},
		{"change that affects the dependent file", func(s *side) snapshot { return s.look(s.Project.Up(s.t.Context())) }},
		{"import of a file", func(s *side) snapshot {
			s.Write("found.txt", "found")
			return s.look(s.Project.Import(s.t.Context(), s.pkg+":index:File", "found", filepath.Join(s.Dir, "found.txt")))
		}},
		{"import of a file that does not exist", func(s *side) snapshot {
			return s.look(s.Project.Import(s.t.Context(), s.pkg+":index:File", "nothing", filepath.Join(s.Dir, "nothing.txt")))
		}},
		{"secret content", func(s *side) snapshot {
			s.program(greeting("b.txt", "bye") + file("copy", "copy.txt", "${greeting.content}, twice") + file("found", "found.txt", "found") +
				file("hidden", "hidden.txt", "{fn::secret: swordfish}") +
				"    options:\n      dependsOn:\n      - ${copy}\n      - ${found}\n") // a provider that crashes here has handled the others
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"destroy after one file was deleted", func(s *side) snapshot {
			s.remove("copy.txt")
			return s.look(s.Project.Destroy(s.t.Context()))
		}},
	}
}

// greeting returns the beginning of a program, with its first resource.
func greeting(name, content string) string {
	return "outputs:\n  path: ${greeting.path}\n  content: ${greeting.content}\nresources:\n" + file("greeting", name, content)
}

// file returns one resource. Further properties may be appended.
func file(resource, name, content string) string {
	return fmt.Sprintf("  %s:\n    type: PKG:index:File\n    properties:\n      path: ${pulumi.cwd}/%s\n      content: %s\n", resource, name, content)
}

func (s *side) program(body string) {
	s.t.Helper()
	s.Program(strings.ReplaceAll(body, "PKG", s.pkg))
}

func (s *side) remove(name string) {
	s.t.Helper()
	if err := os.Remove(filepath.Join(s.Dir, name)); err != nil {
		s.t.Fatal(err)
	}
}

func (s *side) refresh() snapshot {
	s.t.Helper()
	r, err := s.Project.Refresh(s.t.Context())
	got := s.look(r, err)
	got[ops] = strings.Join(r.Outcomes(), "\n")
	return got
}

// look returns the snapshot after a command. It replaces the folder and the package name,
// which differ between the two sides.
func (s *side) look(r *pulumicli.Result, err error) snapshot {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	got := snapshot{ops: did(r), files: lines(s.Files()), outputs: s.outputs(), state: s.state()}
	if r.ExitCode != 0 {
		got[fault] = kind(r.Errors())
	}
	for aspect, text := range got {
		text = strings.ReplaceAll(text, s.Dir, "DIR")
		got[aspect] = strings.ReplaceAll(text, s.pkg, "PKG")
	}
	return got
}

// did returns the operations, sorted by resource. The CLI processes several resources
// concurrently, but the operations of each one in order.
func did(r *pulumicli.Result) string {
	steps := r.Steps()
	slices.SortStableFunc(steps, func(a, b pulumicli.Step) int { return strings.Compare(a.Name, b.Name) })
	texts := make([]string, len(steps))
	for i, step := range steps {
		texts[i] = step.String()
	}
	return strings.Join(texts, "\n")
}

func (s *side) outputs() string {
	s.t.Helper()
	d, err := s.Export()
	if err != nil {
		s.t.Fatal(err)
	}
	for _, r := range d.Resources {
		if r.Type == "pulumi:pulumi:Stack" {
			return lines(r.Outputs)
		}
	}
	return ""
}

// state returns the id, inputs and outputs of every recorded resource. A secret becomes
// "(secret)", because its ciphertext differs from run to run.
func (s *side) state() string {
	s.t.Helper()
	d, err := s.Export()
	if err != nil {
		s.t.Fatal(err)
	}
	var all []string
	for _, r := range d.Resources {
		if strings.HasPrefix(string(r.Type), "pulumi:") {
			continue
		}
		all = append(all, fmt.Sprintf("%s %s: inputs %s, outputs %s", r.URN.Name(), r.ID, properties(r.Inputs), properties(r.Outputs)))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

func properties(m map[string]any) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if slices.Contains(onlyOurs(), name) || strings.HasPrefix(name, "__") {
			continue // properties with __ are internal to a provider
		}
		text := "(secret)"
		if object, ok := m[name].(map[string]any); !ok || object["ciphertext"] == nil {
			raw, err := json.Marshal(m[name])
			if err != nil {
				raw = []byte(err.Error())
			}
			text = string(raw)
		}
		all = append(all, name+"="+text)
	}
	return strings.Join(all, " ")
}

// kind returns what error messages mean, because the two providers use different
// words.
func kind(messages []string) string {
	all := strings.Join(messages, "\n")
	var meanings []string
	for _, k := range []struct{ word, meaning string }{
		{"already exists", "an object already exists"},
		{"taken.txt", "the object is taken.txt"},
		{"force", "force overwrites the object"},
		{"does not exist", "the object to import does not exist"},
		{"Exception calling application", "the provider crashed"},
	} {
		if strings.Contains(all, k.word) {
			meanings = append(meanings, k.meaning)
		}
	}
	if len(meanings) == 0 {
		return all
	}
	return strings.Join(meanings, "\n")
}

func lines[V any](m map[string]V) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		all = append(all, fmt.Sprintf("%s: %v", name, m[name]))
	}
	return strings.Join(all, "\n")
}
