package e2e

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func reading() []point {
	return []point{
		{57, "drift is shown, then repaired", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			s.Write("a.txt", "edited")
			s.Refresh("update File a")
			s.Preview("update=1")
			s.Up("update=1")
			holds(t, s, map[string]string{"a.txt": "hello"})
		}},
		{58, "what is gone is removed, and made again", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			removeFile(t, s.Dir, "a.txt")
			s.Refresh("delete File a")
			s.Unrecorded("a")
			s.Up("create=1")
			holds(t, s, map[string]string{"a.txt": "hello"})
		}},
		{59, "an import by id, then nothing to do", func(t *testing.T) {
			s := files(t)
			s.Write("a.txt", "hello")
			s.Import("files:index:File", "a", "a.txt")
			want := map[string]any{"path": "a.txt", "content": "hello", "mode": "0644", "force": false}
			got := s.Recorded("a").Inputs
			for name, value := range want {
				if diff := cmp.Diff(value, got[name]); diff != "" {
					t.Errorf("input %s: %s", name, diff)
				}
			}
			s.Program(resources(file("a", "hello")))
			s.Preview("same=1")
		}},
		{59, "an import by the program's option", func(t *testing.T) {
			s := files(t)
			s.Write("a.txt", "hello")
			s.Program(resources(file("a", "hello", "options: {import: a.txt}")))
			s.Up("import=1")
			s.Up("same=1")
		}},
		{60, "an import of what is not there fails", func(t *testing.T) {
			s := files(t)
			says(t, s.Fails(s.Project.Import(t.Context(), "files:index:File", "a", "a.txt")), "does not exist")
			s.Unrecorded("a")
		}},
		{61, "a resource that is only looked at", func(t *testing.T) {
			s := files(t)
			s.Write("a.txt", "hello")
			s.Program("outputs:\n  size: ${a.size}\nresources:\n  a:\n    type: files:File\n    get:\n      id: a.txt\n")
			s.Up("read=1")
			out, err := s.Outputs(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]any{"size": 5.0}, out); diff != "" {
				t.Error(diff)
			}
			s.Program(resources(file("b", "hello")))
			s.Up("create=1 discard=1")
			holds(t, s, map[string]string{"a.txt": "hello", "b.txt": "hello"})
		}},
		{62, "a targeted up leaves the others", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello"), file("b", "hello")))
			s.Up("create=2")
			s.Program(resources(file("a", "bye"), file("b", "bye")))
			s.Up("same=1 update=1", "--target", "urn:pulumi:dev::test::files:index:File::a")
			holds(t, s, map[string]string{"a.txt": "bye", "b.txt": "hello"})
		}},
		{63, "a rename by alias does nothing", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			s.Program(resources(resource("b", "files:File", "path: a.txt", "content: hello",
				"options: {aliases: ['urn:pulumi:dev::test::files:index:File::a']}")))
			s.Up("same=1")
			holds(t, s, map[string]string{"a.txt": "hello"})
		}},
		{64, "destroy goes backwards, without the program's resources", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello"), file("b", "${a.sha256}"), file("c", "${b.sha256}")))
			s.Up("create=3")
			s.Program("")
			r := s.Destroy("delete=3")
			var order []string
			for _, step := range r.Steps() {
				order = append(order, step.Name)
			}
			if diff := cmp.Diff([]string{"c", "b", "a"}, order); diff != "" {
				t.Error(diff)
			}
			holds(t, s, map[string]string{})
		}},
	}
}
