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

// seen is what a step of the scenario shows of a provider, by aspect.
type seen map[string]string

// The aspects.
const (
	ops     = "steps"   // what the CLI did, in its order
	files   = "files"   // what is on the disk afterwards
	fault   = "error"   // what went wrong, in kind
	outputs = "outputs" // the stack's outputs
	state   = "state"   // the recorded inputs and outputs
)

// step is one thing that a user does, and then looks.
type step struct {
	name string
	do   func(s *side) seen
}

// scenario is a file's whole life; each step goes on from the one before it.
func scenario() []step {
	return []step{
		{"preview of a create", func(s *side) seen {
			s.program(greeting("sub/dir/a.txt", "hello"))
			return s.look(s.Project.Preview(s.t.Context()))
		}},
		{"create, with parent folders", func(s *side) seen {
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"up again", func(s *side) seen { return s.look(s.Project.Up(s.t.Context())) }},
		{"preview of an update", func(s *side) seen {
			s.program(greeting("sub/dir/a.txt", "hello again"))
			return s.look(s.Project.Preview(s.t.Context()))
		}},
		{"update", func(s *side) seen { return s.look(s.Project.Up(s.t.Context())) }},
		{"update of force alone", func(s *side) seen {
			s.program(greeting("sub/dir/a.txt", "hello again") + "      force: true\n")
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"preview of a replacement", func(s *side) seen {
			s.program(greeting("b.txt", "hello again"))
			return s.look(s.Project.Preview(s.t.Context()))
		}},
		{"replacement", func(s *side) seen { return s.look(s.Project.Up(s.t.Context())) }},
		{"create where a file exists", func(s *side) seen {
			s.Write("taken.txt", "precious")
			// One after the other, so that what is told of the first does not
			// depend on when the second fails.
			s.program(greeting("b.txt", "hello again") + file("taken", "taken.txt", "mine") +
				"    options:\n      dependsOn:\n        - ${greeting}\n")
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"create where a file exists, with force", func(s *side) seen {
			s.program(greeting("b.txt", "hello again") + file("taken", "taken.txt", "mine") + "      force: true\n")
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"refresh without a change", func(s *side) seen { return s.refresh() }},
		{"refresh after an edit by hand", func(s *side) seen {
			s.Write("b.txt", "edited by hand")
			return s.refresh()
		}},
		{"repair of the edit", func(s *side) seen { return s.look(s.Project.Up(s.t.Context())) }},
		{"refresh after the file vanished", func(s *side) seen {
			s.remove("b.txt")
			return s.refresh()
		}},
		{"create again what vanished", func(s *side) seen { return s.look(s.Project.Up(s.t.Context())) }},
		{"removal from the program", func(s *side) seen {
			s.program(greeting("b.txt", "hello again"))
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"a file that depends on another", func(s *side) seen {
			s.program(greeting("b.txt", "hello again") + file("copy", "copy.txt", "${greeting.content}, twice"))
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"preview of a change that runs through", func(s *side) seen {
			s.program(greeting("b.txt", "bye") + file("copy", "copy.txt", "${greeting.content}, twice"))
			return s.look(s.Project.Preview(s.t.Context()))
		}},
		{"a change that runs through", func(s *side) seen { return s.look(s.Project.Up(s.t.Context())) }},
		{"import of a file", func(s *side) seen {
			s.Write("found.txt", "found")
			return s.look(s.Project.Import(s.t.Context(), s.pkg+":index:File", "found", filepath.Join(s.Dir, "found.txt")))
		}},
		{"import of a file that is not there", func(s *side) seen {
			return s.look(s.Project.Import(s.t.Context(), s.pkg+":index:File", "nothing", filepath.Join(s.Dir, "nothing.txt")))
		}},
		{"secret content", func(s *side) seen {
			s.program(greeting("b.txt", "bye") + file("copy", "copy.txt", "${greeting.content}, twice") + file("found", "found.txt", "found") +
				file("hidden", "hidden.txt", "{fn::secret: swordfish}"))
			return s.look(s.Project.Up(s.t.Context()))
		}},
		{"destroy, one file gone already", func(s *side) seen {
			s.remove("copy.txt")
			return s.look(s.Project.Destroy(s.t.Context()))
		}},
	}
}

// greeting is the head of a program and its first resource.
func greeting(name, content string) string {
	return "outputs:\n  path: ${greeting.path}\n  content: ${greeting.content}\nresources:\n" + file("greeting", name, content)
}

// file is one resource. Further properties may follow it.
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

func (s *side) refresh() seen {
	s.t.Helper()
	r, err := s.Project.Refresh(s.t.Context())
	got := s.look(r, err)
	got[ops] = strings.Join(r.Outcomes(), "\n")
	return got
}

// look is what a command shows, with what belongs to one side only (its
// folder, its package's name) made equal.
func (s *side) look(r *pulumicli.Result, err error) seen {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
	got := seen{ops: did(r), files: lines(s.Files()), outputs: s.outputs(), state: s.state()}
	if r.ExitCode != 0 {
		got[fault] = kind(r.Errors())
	}
	for aspect, text := range got {
		text = strings.ReplaceAll(text, s.Dir, "DIR")
		got[aspect] = strings.ReplaceAll(text, s.pkg, "PKG")
	}
	return got
}

// did is what was done, resource by resource: the CLI works on several at a
// time, but on each of them in a meaningful order.
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

// state is every recorded resource: id, inputs and outputs. A secret is shown
// as what it is, since its ciphertext differs from run to run.
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
		if slices.Contains(oursAlone(), name) || strings.HasPrefix(name, "__") {
			continue // the last are a provider's own part of the state
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

// kind sorts error messages by what they tell the user; their words are each
// provider's own.
func kind(messages []string) string {
	all := strings.Join(messages, "\n")
	var tells []string
	for _, k := range []struct{ word, tells string }{
		{"already exists", "something exists already"},
		{"taken.txt", "it is taken.txt"},
		{"force", "force overwrites it"},
		{"does not exist", "the thing to import does not exist"},
		{"Exception calling application", "the provider crashed"},
	} {
		if strings.Contains(all, k.word) {
			tells = append(tells, k.tells)
		}
	}
	if len(tells) == 0 {
		return all
	}
	return strings.Join(tells, "\n")
}

func lines[V any](m map[string]V) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		all = append(all, fmt.Sprintf("%s: %v", name, m[name]))
	}
	return strings.Join(all, "\n")
}
