package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/tests/internal/pulumicli"
)

// did is the operations on one resource, in order.
func did(r *pulumicli.Result, name string) []string {
	var ops []string
	for _, s := range r.Steps() {
		if s.Name == name {
			ops = append(ops, s.Op)
		}
	}
	return ops
}

func diffing() []point {
	return []point{
		{34, "unchanged is no diff", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			s.Preview("same=1")
		}},
		{37, "a replacing input replaces", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			s.Program(resources(resource("a", "files:File", "path: b.txt", "content: hello")))
			r := s.Preview("create-replacement=1 delete-replaced=1 replace=1")
			for _, step := range r.Steps() {
				if step.Op == "replace" {
					if diff := cmp.Diff(map[string]string{"path": "update-replace"}, step.Changed); diff != "" {
						t.Error(diff)
					}
				}
			}
		}},
		{37, "a replacing input replaces, by the provider's own word", func(t *testing.T) {
			// The CLI's hosts know it from the schema, too.
			p, _ := filesProcess(t)
			r, in := fileNamed("a", "hello")
			state := created(t, p, r, in)
			in["path"] = property.New("b.txt")
			d, err := p.Diff(t.Context(), r, state, checked(t, p, r, in))
			if err != nil {
				t.Fatal(err)
			}
			if !d.Replace() {
				t.Errorf("another path is no replacement: %+v", d)
			}
		}},
		{40, "ignoreChanges", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			s.Program(resources(file("a", "bye", "options: {ignoreChanges: [content]}")))
			s.Up("same=1")
			holds(t, s, map[string]string{"a.txt": "hello"})
		}},
		{41, "deleteBeforeReplace of the program", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			s.Program(resources(resource("a", "files:File", "path: b.txt", "content: hello", "options: {deleteBeforeReplace: true}")))
			r := s.Up("create-replacement=1 delete-replaced=1 replace=1")
			if diff := cmp.Diff([]string{"delete-replaced", "replace", "create-replacement"}, did(r, "a")); diff != "" {
				t.Error(diff)
			}
		}},
		{42, "replaceOnChanges", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			s.Program(resources(file("a", "bye", "options: {replaceOnChanges: [content], deleteBeforeReplace: true}")))
			s.Up("create-replacement=1 delete-replaced=1 replace=1")
			holds(t, s, map[string]string{"a.txt": "bye"})
		}},
		{43, "dependents of a delete before replace are diffed with unknowns", func(t *testing.T) {
			s := files(t)
			program := func(path string) string {
				return resources(
					resource("a", "files:File", "path: "+path, "content: hello", "options: {deleteBeforeReplace: true}"),
					file("b", "${a.sha256}"),
				)
			}
			s.Program(program("a.txt"))
			s.Up("create=2")
			before := s.Files()["b.txt"]
			s.Program(program("c.txt"))
			s.Up("create-replacement=1 delete-replaced=1 replace=1 same=1")
			holds(t, s, map[string]string{"b.txt": before, "c.txt": "hello"})
		}},
	}
}

func changing() []point {
	return []point{
		{45, "a preview has no effect", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello")))
			s.Preview("create=1")
			holds(t, s, map[string]string{})
			s.Up("create=1")
			s.Program(resources(resource("a", "files:File", "path: b.txt", "content: bye")))
			s.Preview("create-replacement=1 delete-replaced=1 replace=1")
			holds(t, s, map[string]string{"a.txt": "hello"})
		}},
		{46, "outputs are unknown in a preview, downstream too", func(t *testing.T) {
			s := files(t)
			s.Program("outputs:\n  sum: ${b.sha256}\n  path: ${b.path}\n" + resources(file("a", "hello"), file("b", "${a.sha256}")))
			r := s.Preview("create=2")
			if !strings.Contains(r.Stdout, "sum") || !strings.Contains(r.Stdout, "b.txt") {
				t.Errorf("the preview shows no outputs:\n%s", r.Stdout)
			}
			for _, step := range r.Steps() {
				if step.Name == "b" && step.New["content"] != "04da6b54-80e4-46f7-96ec-b56ff0331ba9" {
					t.Errorf("content of b in the preview: %v", step.New["content"])
				}
			}
		}},
		{47, "after up a preview is empty", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello"), file("b", "${a.sha256}", `mode: "0600"`, "force: true")))
			s.Up("create=2")
			s.Preview("same=2")
		}},
		{48, "a create that failed leaves no state", func(t *testing.T) {
			s := files(t)
			s.Write("a.txt", "precious")
			s.Program(resources(file("a", "hello")))
			says(t, s.Fails(s.Project.Up(t.Context())), "a.txt", "exists")
			s.Unrecorded("a")
			holds(t, s, map[string]string{"a.txt": "precious"})
		}},
		{49, "a create that failed halfway is kept, goes on, and is whole again", func(t *testing.T) {
			s := testdata(t, "pair")
			s.Write("x.b", "precious")
			s.Program(resources(resource("x", "pair:Kept", "name: x", "content: hello")))
			says(t, s.Fails(s.Project.Up(t.Context())), "x.b", "exists")
			if errs := s.Recorded("x").InitErrors; len(errs) == 0 {
				t.Fatal("the state does not say that the create failed")
			}
			holds(t, s, map[string]string{"x.a": "hello", "x.b": "precious"})
			removeFile(t, s.Dir, "x.b")
			s.Up("update=1")
			holds(t, s, map[string]string{"x.a": "hello", "x.b": "hello"})
			if errs := s.Recorded("x").InitErrors; len(errs) != 0 {
				t.Errorf("the state still says that it failed: %v", errs)
			}
			s.Up("same=1")
		}},
		{49, "a create that failed halfway, with new inputs", func(t *testing.T) {
			s := testdata(t, "pair")
			s.Write("x.b", "precious")
			s.Program(resources(resource("x", "pair:Kept", "name: x", "content: hello")))
			s.Fails(s.Project.Up(t.Context()))
			s.Program(resources(resource("x", "pair:Kept", "name: x", "content: bye")))
			says(t, s.Fails(s.Project.Up(t.Context())), "x.b")
			holds(t, s, map[string]string{"x.a": "hello", "x.b": "precious"})
			removeFile(t, s.Dir, "x.b")
			s.Up("update=1")
			holds(t, s, map[string]string{"x.a": "bye", "x.b": "bye"})
			s.Up("same=1")
		}},
		{49, "a create that is undone leaves nothing", func(t *testing.T) {
			s := testdata(t, "pair")
			s.Write("x.b", "precious")
			s.Program(resources(resource("x", "pair:Undone", "name: x", "content: hello")))
			s.Fails(s.Project.Up(t.Context()))
			s.Unrecorded("x")
			holds(t, s, map[string]string{"x.b": "precious"})
		}},
		{50, "an update that failed keeps the old inputs", func(t *testing.T) {
			s := testdata(t, "pair")
			s.Program(resources(resource("x", "pair:Kept", "name: x", "content: hello")))
			s.Up("create=1")
			// A folder where the file was: no write can replace it.
			removeFile(t, s.Dir, "x.b")
			s.Write("x.b/in-the-way", "")
			s.Program(resources(resource("x", "pair:Kept", "name: x", "content: bye")))
			says(t, s.Fails(s.Project.Up(t.Context())), "x.b")
			if got := s.Recorded("x").Inputs["content"]; got != "hello" {
				t.Errorf("recorded content = %v, want the old one", got)
			}
			if err := os.RemoveAll(filepath.Join(s.Dir, "x.b")); err != nil {
				t.Fatal(err)
			}
			s.Up("update=1")
			holds(t, s, map[string]string{"x.a": "bye", "x.b": "bye"})
		}},
		{51, "the program's timeout is honoured", func(t *testing.T) {
			s := testdata(t, "pair")
			s.Program(resources(resource("x", "pair:Awaited", "path: never", "options: {customTimeouts: {create: 1s}}")))
			r, err := s.Project.Up(t.Context())
			says(t, s.Fails(r, err), "1s")
			if got := s.Recorded("x").InitErrors; len(got) == 0 {
				t.Error("what was asked for is not kept as failed")
			}
		}},
		{52, "a replacement creates, then deletes", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			s.Program(resources(resource("a", "files:File", "path: b.txt", "content: hello")))
			r := s.Up("create-replacement=1 delete-replaced=1 replace=1")
			if diff := cmp.Diff([]string{"create-replacement", "replace", "delete-replaced"}, did(r, "a")); diff != "" {
				t.Error(diff)
			}
			holds(t, s, map[string]string{"b.txt": "hello"})
		}},
		{53, "a delete of what is gone works", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			removeFile(t, s.Dir, "a.txt")
			s.Destroy("delete=1")
		}},
		{54, "a delete that failed stays in the state", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			removeFile(t, s.Dir, "a.txt")
			s.Write("a.txt/in-the-way", "")
			says(t, s.Fails(s.Project.Destroy(t.Context())), "a.txt")
			s.Recorded("a")
			holds(t, s, map[string]string{"a.txt/in-the-way": ""})
		}},
		{55, "a secret is encrypted in the state", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "{fn::secret: swordfish}")))
			s.Up("create=1")
			holds(t, s, map[string]string{"a.txt": "swordfish"})
			s.Up("same=1")
			state, err := s.Export()
			if err != nil {
				t.Fatal(err)
			}
			raw, err := json.Marshal(state)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(raw), "swordfish") {
				t.Errorf("the state shows the secret:\n%s", raw)
			}
			s.Refresh("same File a")
		}},
		{56, "a refresh without drift finds nothing", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello"), file("b", "hello", `mode: "0600"`, "force: true")))
			s.Up("create=2")
			s.Refresh("same File a", "same File b")
			s.Preview("same=2")
		}},
	}
}

func removeFile(t *testing.T, elem ...string) {
	t.Helper()
	if err := os.Remove(filepath.Join(elem...)); err != nil {
		t.Fatal(err)
	}
}
