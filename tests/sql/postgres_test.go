// Package sql tests the sql family against real databases, through the Pulumi CLI.
package sql

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/database"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// folder makes the folder of a provider that becomes declprov-sql.
func folder(t *testing.T, name, spec string) string {
	t.Helper()
	dir := provider.Folder(t, name, spec)
	provider.AddSQL(t, dir)
	return dir
}

// program is a role, a database that belongs to it, and a schema, table and grant in it.
const program = `resources:
  app:
    type: postgres:Role
    properties: {name: 'app "one"', login: true, password: {fn::secret: %q}, comment: "it's \\ theirs", connectionLimit: %d}
  reader:
    type: postgres:Role
    properties: {name: reader}
  db:
    type: postgres:Database
    properties: {name: "%s", owner: "${app.name}"}
  schema:
    type: postgres:Schema
    properties: {database: "${db.name}", name: sales, owner: "${app.name}"}
  table:
    type: postgres:Table
    properties: {database: "${db.name}", schema: "${schema.name}", name: "Orders; drop table x", key: uuid, comment: "%s"}
  grant:
    type: postgres:Grant
    properties: {database: "${db.name}", schema: "${schema.name}", role: "${reader.name}", privileges: [%s]}
`

const rolePassword = "s3cret-canary-of-the-rôle"

func TestPostgreSQL(t *testing.T) {
	t.Parallel()
	server := database.StartPostgres(t)
	s := pulumitest.New(t, pulumitest.Providers{"postgres": folder(t, "postgres", "examples/postgres.cue")},
		fmt.Sprintf("PGPORT=%d", server.Port), "PGPASSWORD="+database.Password)

	s.Program(fmt.Sprintf(program, rolePassword, 5, "shop", "first", "usage"))
	s.Up("create=6")
	s.Up("same=6")
	admin, shop := server.Open(t, "postgres"), server.Open(t, "shop")
	expect(t, admin, `select rolcanlogin || ' ' || rolconnlimit || ' ' || shobj_description(oid, 'pg_authid') from pg_roles where rolname = 'app "one"'`, `true 5 it's \ theirs`)
	expect(t, shop, `select format_type(a.atttypid, null) from pg_attribute a where attrelid = 'sales."Orders; drop table x"'::regclass and attname = 'id'`, "uuid")
	login(t, server, `app "one"`, rolePassword)

	// Changes by somebody else are found and repaired.
	do(t, admin, `alter role "app ""one""" connection limit 77`)
	do(t, shop, `comment on table sales."Orders; drop table x" is 'theirs'`)
	do(t, shop, `grant create on schema sales to reader`)
	s.Refresh("same Database db", "same Role reader", "same Schema schema", "update Grant grant", "update Role app", "update Table table")
	s.Up("same=3 update=3")
	expect(t, admin, `select rolconnlimit from pg_roles where rolname = 'app "one"'`, "5")
	do(t, shop, `drop table sales."Orders; drop table x"`)
	s.Refresh("delete Table table", "same Database db", "same Grant grant", "same Role app", "same Role reader", "same Schema schema")
	s.Up("create=1 same=5")

	s.Program(fmt.Sprintf(program, rolePassword+"2", 6, "shop", "second's", "create, usage"))
	s.Up("same=3 update=3")
	login(t, server, `app "one"`, rolePassword+"2")
	expect(t, shop, `select has_schema_privilege('reader', 'sales', 'create')`, "true")
	s.Program(fmt.Sprintf(program, rolePassword+"2", 6, "shop two", "second's", "create, usage"))
	s.Up("create-replacement=4 delete-replaced=4 replace=4 same=2")
	s.Up("same=6")
	s.Destroy("delete=6")
	expect(t, admin, `select count(*) from pg_roles where rolname in ('app "one"', 'reader')`, "0")
	expect(t, admin, `select count(*) from pg_database where datname like 'shop%'`, "0")
	if log := server.Log(t); strings.Contains(log, rolePassword) {
		t.Error("the log of the server contains the password of the role")
	}
}

func TestPostgreSQLImports(t *testing.T) {
	t.Parallel()
	server := database.StartPostgres(t)
	admin := server.Open(t, "postgres")
	do(t, admin, `create role "old role" login`)
	do(t, admin, `create database "old db" owner "old role"`)
	do(t, server.Open(t, "old db"), `create schema old authorization "old role"`)
	s := pulumitest.New(t, pulumitest.Providers{"postgres": folder(t, "postgres", "examples/postgres.cue")},
		fmt.Sprintf("PGPORT=%d", server.Port), "PGPASSWORD="+database.Password)
	s.Import("postgres:index:Role", "role", "old role")
	s.Import("postgres:index:Database", "db", "old db")
	s.Import("postgres:index:Schema", "schema", "old db/old")
	s.Program(`resources:
  role: {type: postgres:Role, properties: {name: old role, login: true}}
  db: {type: postgres:Database, properties: {name: old db, owner: old role}}
  schema: {type: postgres:Schema, properties: {database: old db, name: old, owner: old role}}
`)
	s.Up("same=3")

	// What exists is not taken.
	s.Program(`resources: {another: {type: postgres:Role, properties: {name: old role}}}`)
	messages := s.Fails(s.Project.Up(t.Context()))
	if !strings.Contains(strings.Join(messages, "\n"), "exists") {
		t.Errorf("a create of a role that exists says: %q", messages)
	}
}

func do(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// expect checks the only value of a query, as text.
func expect(t *testing.T, db *sql.DB, query, want string) {
	t.Helper()
	var got string
	if err := db.QueryRowContext(t.Context(), query).Scan(&got); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", query, diff)
	}
}

// login checks that a role can log in with its password.
func login(t *testing.T, server *database.Postgres, role, password string) {
	t.Helper()
	db := server.OpenAs(t, "postgres", role, password)
	if err := db.PingContext(t.Context()); err != nil {
		t.Errorf("log in as %s: %v", role, err)
	}
}
