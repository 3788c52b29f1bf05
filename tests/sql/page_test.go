package sql

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/declprov/declprov/tests/internal/database"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// TestPage runs the spec in docs/apis/sql.md.
func TestPage(t *testing.T) {
	t.Parallel()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs/apis/sql.md"))
	if err != nil {
		t.Fatal(err)
	}
	spec := regexp.MustCompile("(?ms)^```cue\n(.*?)^```$").FindSubmatch(page)
	if spec == nil {
		t.Fatal("the page has no spec")
	}
	server := database.StartPostgres(t)
	admin := server.Open(t, "postgres")
	do(t, admin, "create table members (name text primary key, email text, since timestamptz not null default now(), active bool not null)")
	dir := provider.FolderWith(t, "members", ".cue", string(spec[1]))
	provider.AddSQL(t, dir)
	s := pulumitest.New(t, pulumitest.Providers{"members": dir}, fmt.Sprintf("MEMBERS_PORT=%d", server.Port), "MEMBERS_PASSWORD="+database.Password)
	s.Program("resources: {one: {type: members:Member, properties: {name: \"O'Neil\", email: o@example.com}}}\n")
	s.Up("create=1")
	s.Up("same=1")
	do(t, admin, "update members set email = 'x', active = false")
	s.Refresh("update Member one")
	s.Up("update=1")
	expect(t, admin, "select name || email || active from members", "O'Neilo@example.comtrue")
	s.Program("resources: {one: {type: members:Member, properties: {name: \"O'Neil\"}}}\n")
	s.Up("update=1")
	expect(t, admin, "select email is null from members", "true")
	s.Destroy("delete=1")
	do(t, admin, "insert into members values ('old', null, now(), true)")
	s.Import("members:index:Member", "one", "old")
	s.Program("resources: {one: {type: members:Member, properties: {name: old}}}\n")
	s.Up("same=1")
}
