package e2e

import (
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

const moving = `package moving
name: "moving", version: "0.1.0"
config: root: string
permissions: write: ["${config.root}/**"]
file: root: "${config.root}"
resources: Note: {
	inputs: {path: string @replace(), content: string}
	id: "${inputs.path}"
	create: file: write: {path: "${inputs.path}", content: "${inputs.content}"}
	read: file: read: path: "${id}"
	update: file: write: {path: "${id}", content: "${inputs.content}", overwrite: true}
	delete: file: delete: path: "${id}"
}`

// TestMovedObjects: with another value of a setting that says where objects are, nothing is changed or deleted before `pulumi refresh
// --run-program` has looked; with the value of before, all is as before.
func TestMovedObjects(t *testing.T) {
	t.Parallel()
	s := pulumitest.New(t, pulumitest.Providers{"moving": provider.FolderWith(t, "moving", ".cue", moving)})
	program := func(root, content string) {
		s.Program(resources(
			resource("place", "pulumi:providers:moving", "root: "+root),
			resource("note", "moving:Note", "path: a", "content: "+content, "options: {provider: '${place}'}"),
		))
	}
	s.Write("two/a", "theirs")
	program("one", "mine")
	s.Up("create=1")
	program("two", "mine")
	s.Up("same=1")
	says(t, s.Fails(s.Project.Destroy(t.Context())), "root")
	program("two", "changed")
	says(t, s.Fails(s.Project.Preview(t.Context())), "root")
	holds(t, s, map[string]string{"one/a": "mine", "two/a": "theirs"})
	program("one", "changed")
	s.Up("update=1")
	s.Write("three/a", "changed")
	program("three", "changed")
	if r, err := s.Project.Refresh(t.Context(), "--run-program"); err != nil || r.ExitCode != 0 {
		t.Fatalf("%v: %+v", err, r)
	}
	program("three", "again")
	s.Up("update=1")
	s.Destroy("delete=1")
	holds(t, s, map[string]string{"one/a": "changed", "two/a": "theirs"})
}
