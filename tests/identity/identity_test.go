// Package identity takes resources through imports, renames and replacements by
// the real CLI: what is destroyed in the end is what was made, and nothing else.
package identity

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

func open(t *testing.T) (*server, *pulumitest.Stack) {
	t.Helper()
	t.Parallel()
	s := start(t)
	folder := provider.Folder(t, "names", "tests/identity/testdata/names.cue")
	return s, pulumitest.New(t, pulumitest.Providers{"names": folder}, "NAMES_ENDPOINT="+s.URL)
}

func changed(t *testing.T, s *server, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.changes()); diff != "" {
		t.Errorf("what the server was asked (-want +got):\n%s", diff)
	}
}

func clean(t *testing.T, s *server) {
	t.Helper()
	if n := s.left(); n != 0 {
		t.Errorf("%d addresses are left", n)
	}
}

// TestImportByAnotherName: the text of the import has no id, and the right thing
// is destroyed.
func TestImportByAnotherName(t *testing.T) {
	server, s := open(t)
	for _, owner := range []string{"o", "p"} {
		server.serve(discard{}, post(t, "/things", `{"owner": "`+owner+`", "title": "n"}`))
	}
	server.changes()
	s.Import("names:index:Thing", "x", "p/n")
	if got := s.Recorded("x"); got.ID != "2" || got.Inputs["owner"] != "p" {
		t.Errorf("the id is %q, inputs %v", got.ID, got.Inputs)
	}
	s.Program("resources:\n  x: {type: names:Thing, properties: {owner: p, title: n}}\n")
	s.Up("same=1")
	s.Refresh("same Thing x")
	s.Destroy("delete=1")
	changed(t, server, "DELETE /numbers/2")
	if n := server.left(); n != 2 {
		t.Errorf("%d addresses are left of the other thing", n)
	}
}

// TestImportByTheProgramsOption keeps the text of the import, which is not the id.
func TestImportByTheProgramsOption(t *testing.T) {
	server, s := open(t)
	server.serve(discard{}, post(t, "/things", `{"owner": "o", "title": "n"}`))
	server.changes()
	s.Program("resources:\n  x: {type: names:Thing, properties: {owner: o, title: n}, options: {import: o/n}}\n")
	s.Up("import=1")
	s.Up("same=1")
	s.Destroy("delete=1")
	changed(t, server, "DELETE /numbers/1")
	clean(t, server)
}

// TestLookupByAnotherName: a program that only looks at a thing.
func TestLookupByAnotherName(t *testing.T) {
	server, s := open(t)
	server.serve(discard{}, post(t, "/things", `{"owner": "o", "title": "n"}`))
	s.Program("resources:\n  x: {type: names:Thing, get: {id: o/n}}\n")
	s.Up("read=1")
	s.Refresh("same Thing x")
	if got := s.Recorded("x"); got.ID != "1" {
		t.Errorf("the id is %q", got.ID)
	}
	server.changes()
	s.Destroy("discard=1")
	changed(t, server)
}

// TestARenameByTheServer: the next refresh knows the new id.
func TestARenameByTheServer(t *testing.T) {
	server, s := open(t)
	s.Program("resources:\n  x: {type: names:Page, properties: {text: hello}}\noutputs:\n  id: ${x.id}\n")
	s.Up("create=1")
	server.move("p1", "welcome")
	server.changes()
	if _, err := s.Project.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := s.Recorded("x"); got.ID != "welcome" || got.Outputs["address"] != "welcome" {
		t.Errorf("the id is %q, outputs %v", got.ID, got.Outputs)
	}
	s.Up("same=1")
	out, err := s.Outputs(t.Context())
	if diff := cmp.Diff(map[string]any{"id": "welcome"}, out); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	s.Destroy("delete=1")
	changed(t, server, "DELETE /pages/welcome")
	clean(t, server)
}

// TestOneContentTwice: what was imported is replaced by one with the same id,
// which stays. The first note replaces nothing, because the import did not show that there is none.
func TestOneContentTwice(t *testing.T) {
	server, s := open(t)
	server.serve(discard{}, post(t, "/blobs", `{"text": "hello"}`))
	const id = "2cf24dba"
	server.changes()
	s.Program("resources:\n  x: {type: names:Blob, properties: {text: hello}, options: {import: " + id + "}}\n")
	s.Up("import=1")
	s.Program("resources:\n  x: {type: names:Blob, properties: {text: hello, note: two}}\n")
	s.Up("update=1")
	changed(t, server)
	s.Program("resources:\n  x: {type: names:Blob, properties: {text: hello, note: three}}\n")
	s.Up("create-replacement=1 delete-replaced=1 replace=1")
	changed(t, server, "POST /blobs")
	s.Up("same=1")
	s.Destroy("delete=1")
	changed(t, server, "DELETE /blobs/"+id)
	clean(t, server)
}

// TestAFileThatStoppedHalfway goes on, and is not replaced by one of its name.
func TestAFileThatStoppedHalfway(t *testing.T) {
	server, s := open(t)
	server.refuse = "PUT /published/f"
	s.Program("resources:\n  x: {type: names:File, properties: {title: f, content: {fn::stringAsset: hello}}}\n")
	s.Fails(s.Project.Up(t.Context()))
	changed(t, server, "PUT /files/f", "PUT /published/f")
	s.Up("update=1")
	changed(t, server, "PUT /published/f")
	s.Up("same=1")
	s.Destroy("delete=1")
	changed(t, server, "DELETE /files/f")
}

// TestAFunctionThatWaits: a preview does not ask about what is not there yet.
func TestAFunctionThatWaits(t *testing.T) {
	server, s := open(t)
	s.Program(`resources:
  x: {type: names:Page, properties: {text: hello}}
variables:
  page: {fn::invoke: {function: names:getPage, arguments: {address: "${x.id}"}}}
outputs:
  text: ${page.text}
`)
	s.Preview("create=1")
	s.Up("create=1")
	out, err := s.Outputs(t.Context())
	if diff := cmp.Diff(map[string]any{"text": "hello"}, out); diff != "" || err != nil {
		t.Errorf("%v %s", err, diff)
	}
	s.Preview("same=1")
	s.Destroy("delete=1")
	clean(t, server)
}

// TestAReplacementOfWhatIsKept changes a label that Pulumi keeps (`retainOnDelete`), so that its name is
// taken. The error says what to do, and that works: another name, or first a run without the option.
func TestAReplacementOfWhatIsKept(t *testing.T) {
	server, s := open(t)
	label := func(name, note, options string) {
		s.Program("resources:\n  x: {type: names:Label, properties: {name: " + name + ", note: " + note + "}, options: {" + options + "}}\n")
	}
	const kept = "retainOnDelete: true"
	label("a", "one", kept)
	s.Up("create=1")
	changed(t, server, "PUT /labels/a")
	for _, options := range []string{kept, kept + ", deleteBeforeReplace: true", ""} {
		label("a", "two", options)
		said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
		for _, remedy := range []string{"retainOnDelete", "choose another name", "first"} {
			if !strings.Contains(said, remedy) {
				t.Errorf("options {%s}: the error does not say %q:\n%s", options, remedy, said)
			}
		}
		changed(t, server)
	}
	label("b", "two", kept)
	s.Up("create-replacement=1 delete-replaced=1 replace=1")
	changed(t, server, "PUT /labels/b")
	label("b", "two", "")
	s.Up("same=1")
	label("b", "three", "")
	s.Up("create-replacement=1 delete-replaced=1 replace=1")
	changed(t, server, "DELETE /labels/b", "PUT /labels/b")
	s.Destroy("delete=1")
	changed(t, server, "DELETE /labels/b")
	if n := server.left(); n != 1 {
		t.Errorf("%d labels are left, want the one that is kept", n)
	}
}
