package sql

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/declprov/declprov/tests/internal/database"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	s := pulumitest.New(t, pulumitest.Providers{"shelves": folder(t, "shelves", "tests/sql/testdata/shelves.cue")})
	shelf := func(properties string) string {
		return "resources: {shelf: {type: shelves:Shelf, properties: {" + properties + "}}}\n"
	}
	data := filepath.Join(s.Dir, "data")
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}
	s.Program(shelf(`name: "it's; drop table shelves"`))
	s.Up("create=1")
	s.Up("same=1")
	db, err := sql.Open("sqlite", filepath.Join(data, "library.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	expect(t, db, `select name || size || ifnull(owner, 'nobody') from shelves`, "it's; drop table shelves10nobody")
	do(t, db, "update shelves set size = 99")
	s.Refresh("update Shelf shelf")
	s.Up("update=1")
	expect(t, db, `select size from shelves`, "10")
	s.Program(shelf(`name: "it's; drop table shelves", size: 11, owner: me`))
	s.Up("update=1")
	s.Program(shelf(`name: other, size: 11, owner: me`))
	s.Up("create-replacement=1 delete-replaced=1 replace=1")
	do(t, db, "delete from shelves")
	s.Refresh("delete Shelf shelf")
	s.Up("create=1")
	do(t, db, "insert into shelves (name, size) values ('old', 3)")
	s.Destroy("delete=1")
	s.Import("shelves:index:Shelf", "shelf", "old")
	s.Program(shelf(`name: old, size: 3`))
	s.Up("same=1")
	db.Close()
	away := data + "-unmounted"
	if err := os.Rename(data, away); err != nil {
		t.Fatal(err)
	}
	s.Fails(s.Project.Refresh(t.Context())) // the rows may still exist
	s.Recorded("shelf")
	if err := os.Rename(away, data); err != nil {
		t.Fatal(err)
	}
	s.Up("same=1")
}

func TestMariaDB(t *testing.T) {
	t.Parallel()
	server := database.StartMariaDB(t)
	s := pulumitest.New(t, pulumitest.Providers{"mariadb": folder(t, "mariadb", "tests/sql/testdata/mariadb.cue")},
		fmt.Sprintf("MARIADB_PORT=%d", server.Port), "MARIADB_PASSWORD="+database.Password)
	program := func(password, db, collation string, write bool) string {
		return fmt.Sprintf(`resources:
  user: {type: mariadb:User, properties: {name: "it's \\ me", password: {fn::secret: %q}}}
  db: {type: mariadb:Database, properties: {name: %q, collation: %s}}
  grant: {type: mariadb:Grant, properties: {database: "${db.name}", user: "${user.name}", write: %t}}
`, password, db, collation, write)
	}
	admin := server.Open(t, "")
	s.Program(program(rolePassword, "a`b", "utf8mb4_bin", false))
	s.Up("create=3")
	s.Up("same=3")
	expect(t, server.OpenAs(t, "a`b", `it's \ me`, rolePassword), "select database()", "a`b")
	do(t, admin, "alter database `a``b` collate utf8mb4_general_ci")
	do(t, admin, "grant insert on `a``b`.* to 'it''s \\\\ me'")
	s.Refresh("same User user", "update Database db", "update Grant grant")
	s.Up("same=1 update=2")
	s.Program(program(rolePassword+"2", "a`b", "utf8mb4_general_ci", true))
	s.Up("update=3")
	expect(t, server.OpenAs(t, "a`b", `it's \ me`, rolePassword+"2"), "select database()", "a`b")
	s.Program(program(rolePassword+"2", "other", "utf8mb4_general_ci", true))
	s.Up("create-replacement=2 delete-replaced=2 replace=2 same=1")
	s.Destroy("delete=3")
	expect(t, admin, "select count(*) from mysql.user where User like 'it%'", "0")
	do(t, admin, "create database old collate utf8mb4_bin")
	s.Import("mariadb:index:Database", "db", "old")
	s.Program("resources: {db: {type: mariadb:Database, properties: {name: old}}}\n")
	s.Up("same=1")
}
