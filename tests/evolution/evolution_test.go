// Package evolution_test runs programs whose provider's spec has moved on since
// the stack was made: what an older version recorded works with the newer one,
// or is refused with the remedy, through the real CLI.
package evolution_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// note is a spec of notes in files: its resource's name, and what of it changes.
func note(resource, inputs, content, more string) string {
	return `package notes

name:    "notes"
version: "1.0.0"
permissions: write: ["./**"]
file: root: "."

resources: ` + resource + `: {
	inputs: {
		path: string @replace()
		` + inputs + `
	}
	outputs: size: int
	id: "${inputs.path}"
	create: file: write: {path: "${inputs.path}", content: "` + content + `"}
	read: {file: read: path: "${id}", return: "${merge(inputs, {size: result.size})}"}
	update: file: write: {path: "${id}", content: "` + content + `", overwrite: true}
	delete: file: delete: path: "${id}"
	` + more + `
}
`
}

const (
	split  = "first: string, last: string"
	joined = "fullName: string"
)

var (
	older   = note("Note", split, "${inputs.first} ${inputs.last}", "")
	upgrade = `schemaVersion: 1
	upgrade: "0": "${merge(omit(old, \"first\", \"last\"), {fullName: old.first + \" \" + old.last})}"`
	newer   = note("Note", joined, "${inputs.fullName}", upgrade)
	renamed = note("Memo", joined, "${inputs.fullName}", `aliases: ["Note"]`+"\n\t"+upgrade)
)

const (
	program        = "resources:\n  a: {type: notes:Note, properties: {path: a.txt, first: Ada, last: Lovelace}}\n"
	newerProgram   = "resources:\n  a: {type: notes:Note, properties: {path: a.txt, fullName: Ada Lovelace}}\n"
	renamedProgram = "resources:\n  a: {type: notes:Memo, properties: {path: a.txt, fullName: Ada Lovelace}}\n"
)

// made is a stack that the older spec has made, with the provider's spec then
// replaced.
func made(t *testing.T, spec string) *pulumitest.Stack {
	t.Helper()
	dir := provider.FolderWith(t, "notes", ".cue", older)
	s := pulumitest.New(t, pulumitest.Providers{"notes": dir})
	s.Program(program)
	s.Up("create=1")
	respec(t, dir, spec)
	return s
}

// respec replaces the provider's spec.
func respec(t *testing.T, dir, spec string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "notes.cue"), []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestUpgraded(t *testing.T) {
	t.Parallel()
	t.Run("the next up is empty, and changes are in place", func(t *testing.T) {
		t.Parallel()
		s := made(t, newer)
		s.Program(newerProgram)
		s.Up("same=1")
		s.Program(strings.ReplaceAll(newerProgram, "Lovelace", "King"))
		s.Up("update=1")
		holds(t, s, map[string]string{"a.txt": "Ada King"})
		s.Up("same=1")
		s.Destroy("delete=1")
		holds(t, s, map[string]string{})
	})
	t.Run("refresh", func(t *testing.T) {
		t.Parallel()
		s := made(t, newer)
		s.Program(newerProgram)
		s.Refresh("update Note a") // the state takes its new shape
		s.Refresh("same Note a")
		s.Up("same=1")
	})
	t.Run("destroy at once", func(t *testing.T) {
		t.Parallel()
		s := made(t, newer)
		s.Destroy("delete=1")
		holds(t, s, map[string]string{})
	})
}

func TestRenamed(t *testing.T) {
	t.Parallel()
	t.Run("the schema's alias", func(t *testing.T) {
		t.Parallel()
		s := made(t, renamed)
		s.Program(renamedProgram)
		s.Up("same=1")
		holds(t, s, map[string]string{"a.txt": "Ada Lovelace"})
	})
	t.Run("gone from the program", func(t *testing.T) {
		t.Parallel()
		s := made(t, renamed)
		s.Program("resources: {}\n")
		s.Up("delete=1")
		holds(t, s, map[string]string{})
	})
	t.Run("destroy", func(t *testing.T) {
		t.Parallel()
		s := made(t, renamed)
		s.Destroy("delete=1")
		holds(t, s, map[string]string{})
	})
}

// An older spec refuses what a newer one has written, and a spec whose shape has
// moved without an upgrade what no longer fits; neither touches anything.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, spec, program, want string
	}{
		{
			"no upgrade", note("Note", "first: [...string], last: string", "${join(inputs.first)} ${inputs.last}", ""),
			strings.ReplaceAll(program, "first: Ada", "first: [Ada]"), "raise schemaVersion",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := made(t, tt.spec)
			s.Program(tt.program)
			r, err := s.Project.Up(t.Context())
			if said := strings.Join(s.Fails(r, err), "\n"); !strings.Contains(said, tt.want) {
				t.Errorf("it says %q, want %q", said, tt.want)
			}
			r, err = s.Project.Destroy(t.Context())
			if said := strings.Join(s.Fails(r, err), "\n"); !strings.Contains(said, tt.want) {
				t.Errorf("destroy says %q, want %q", said, tt.want)
			}
			holds(t, s, map[string]string{"a.txt": "Ada Lovelace"})
		})
	}
	t.Run("a state from the future", func(t *testing.T) {
		t.Parallel()
		dir := provider.FolderWith(t, "notes", ".cue", newer)
		s := pulumitest.New(t, pulumitest.Providers{"notes": dir})
		s.Program(newerProgram)
		s.Up("create=1")
		respec(t, dir, older)
		r, err := s.Project.Destroy(t.Context())
		if said := strings.Join(s.Fails(r, err), "\n"); !strings.Contains(said, "newer spec") {
			t.Errorf("it says %q", said)
		}
		holds(t, s, map[string]string{"a.txt": "Ada Lovelace"})
	})
}

func holds(t *testing.T, s *pulumitest.Stack, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, s.Files()); diff != "" {
		t.Errorf("the folder (-want +got):\n%s", diff)
	}
}
