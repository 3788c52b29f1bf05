package odd

import (
	"fmt"
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
	folder := provider.Folder(t, "odd", "tests/servers/odd/testdata/odd.cue")
	return s, pulumitest.New(t, pulumitest.Providers{"odd": folder}, "ODD_ENDPOINT="+s.URL)
}

// program is one resource, `x`.
func program(kind, properties string) string {
	return "resources:\n  x: {type: odd:" + kind + ", properties: {" + properties + "}}\n"
}

func changed(t *testing.T, s *server, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.changes()); diff != "" {
		t.Errorf("what the server was asked (-want +got):\n%s", diff)
	}
}

func TestBase64AndNumbersAsText(t *testing.T) {
	server, s := open(t)
	s.Program(program("Note", "name: a, text: Grüße, size: 7"))
	s.Up("create=1")
	changed(t, server, `PUT /notes/a {"data":"R3LDvMOfZQ==","size":"7"}`)
	if got := s.Recorded("x").Outputs; got["revision"] != 1.0 || strings.Contains(fmt.Sprint(got), "Grüße") {
		t.Errorf("outputs %v", got)
	}
	s.Up("same=1")
	s.Program(program("Note", "name: a, text: Grüße, size: 8"))
	s.Up("update=1")
	changed(t, server, `PUT /notes/a {"data":"R3LDvMOfZQ==","size":"8"}`)
	s.Up("same=1")
	server.alter("/notes/a", map[string]any{"data": "eA=="})
	s.Refresh("update Note x")
	s.Up("update=1")
	changed(t, server, `PUT /notes/a {"data":"R3LDvMOfZQ==","size":"8"}`)
	s.Destroy("delete=1")
}

func TestPostForEverything(t *testing.T) {
	server, s := open(t)
	const number = "90071992547409931"
	s.Program(program("Job", "title: dig"))
	s.Up("create=1")
	if got := s.Recorded("x"); string(got.ID) != number || got.Outputs["number"] != number {
		t.Errorf("id %q, outputs %v", got.ID, got.Outputs)
	}
	server.changes()
	s.Up("same=1")
	s.Program(program("Job", "title: dig, priority: 3"))
	s.Up("update=1")
	// The find before it says whose the job is that a lost response leads to.
	changed(t, server, `POST /rpc {"call":"job.find","with":{"title":"dig"}}`, `POST /rpc {"call":"job.change","with":{"number":"`+number+`","priority":3}}`)
	s.Up("same=1")
	server.alter("/jobs/"+number, map[string]any{"priority": 9})
	s.Refresh("update Job x")
	s.Up("update=1")
	server.alter("/jobs/"+number, nil)
	s.Refresh("delete Job x")
	s.Up("create=1")
	s.Destroy("delete=1")
}

func TestAnErrorInASuccess(t *testing.T) {
	server, s := open(t)
	s.Program(program("Job", `title: ""`))
	said := strings.Join(s.Fails(s.Project.Up(t.Context())), "\n")
	if !strings.Contains(said, "empty: a job needs a title") {
		t.Errorf("the error is not the server's:\n%s", said)
	}
	s.Unrecorded("x")
	s.Program(program("Job", "title: dig"))
	s.Up("create=1")
	s.Up("same=1")
	if server.thing("/jobs/90071992547409931") == nil {
		t.Error("there is no job")
	}
	s.Destroy("delete=1")
}

func TestAnIDThatChanges(t *testing.T) {
	server, s := open(t)
	s.Program(program("Document", "text: one"))
	s.Up("create=1")
	for i, text := range []string{"two", "three"} {
		s.Program(program("Document", "text: "+text))
		s.Up("update=1")
		s.Up("same=1")
		s.Refresh("same Document x")
		if got := s.Recorded("x").Outputs["version"]; got != float64(i+2) {
			t.Errorf("version %v", got)
		}
	}
	changed(t, server, `POST /documents {"text":"one"}`,
		`POST /documents/doc-1/versions {"text":"two"}`, `POST /documents/doc-2/versions {"text":"three"}`)
	s.Destroy("delete=1")
	changed(t, server, "DELETE /documents/doc-3")
	if server.thing("/documents/doc-3") != nil {
		t.Error("the document is still there")
	}
}

func TestFormsAndADeleteThatMarks(t *testing.T) {
	server, s := open(t)
	s.Program(program("Account", `owner: "Ada & Bob"`))
	s.Up("create=1")
	changed(t, server, "POST /accounts owner=Ada%20%26%20Bob&tags%5B%5D=a&tags%5B%5D=b%20c%26d")
	s.Up("same=1")
	s.Program(program("Account", "owner: Cy"))
	s.Up("update=1")
	changed(t, server, "POST /accounts/acc-1 owner=Cy")
	s.Up("same=1")

	server.alter("/accounts/acc-1", map[string]any{"state": "deleted"})
	s.Refresh("delete Account x")
	s.Up("create=1")
	s.Destroy("delete=1")
	if got := server.thing("/accounts/acc-2")["state"]; got != "deleted" {
		t.Errorf("destroy came back when the account was %v", got)
	}
}

func TestAnUploadByLocation(t *testing.T) {
	server, s := open(t)
	s.Program(program("Upload", "title: letter, content: Hello"))
	s.Up("create=1")
	changed(t, server, `POST /uploads {"title":"letter"}`, "PUT /inbox/up-1 Hello")
	got := s.Recorded("x")
	if got.ID != "up-1" || got.Outputs["location"] != "/files/up-1" ||
		got.Outputs["sha256"] != "185f8db32271fe25f561a6fc938b2e264306ec304eda518007d1764826381969" {
		t.Errorf("id %q, outputs %v", got.ID, got.Outputs)
	}
	s.Up("same=1")
	s.Program(program("Upload", "title: letter, content: Bye"))
	s.Up("create-replacement=1 delete-replaced=1 replace=1")
	s.Up("same=1")
	s.Destroy("delete=1")
	if server.thing("/uploads/up-1") != nil || server.thing("/uploads/up-2") != nil {
		t.Error("uploads are left")
	}
}

func TestValuesThatTheServerRewrites(t *testing.T) {
	server, s := open(t)
	s.Program(program("Offer", "until: 2001-01-01"))
	s.Up("create=1")
	changed(t, server, `POST /offers {"until":"2001-01-01"}`)
	s.Refresh("same Offer x")
	s.Up("same=1")
	server.alter("/offers/off-1", map[string]any{"until": "2026-12-31", "terms": "special"})
	s.Refresh("update Offer x")
	s.Up("update=1")
	changed(t, server, `PATCH /offers/off-1 {"terms":null,"until":"2001-01-01"}`)
	s.Refresh("same Offer x")
	s.Program(program("Offer", "until: 2001-01-01, terms: ours"))
	s.Up("update=1")
	changed(t, server, `PATCH /offers/off-1 {"terms":"ours"}`)
	s.Refresh("same Offer x")
	s.Program(program("Offer", "until: 2001-01-01"))
	s.Up("update=1")
	changed(t, server, `PATCH /offers/off-1 {"terms":null}`)
	s.Destroy("delete=1")
}
