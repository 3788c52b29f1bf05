package couchdb

import (
	"fmt"
	"testing"

	"github.com/declprov/declprov/tests/internal/faults"
)

func TestCouchDB(t *testing.T) {
	s := start(t)
	s.Must(t, "PUT", "/shared", nil)
	s.Must(t, "PUT", "/foreign", nil)
	s.put(t, "shared", "foreign", map[string]any{"type": "note", "by": "mallory"})
	faults.Table{
		Server: faults.Server{Provider: "couchdb", Spec: "tests/servers/couchdb/testdata/couchdb.cue", URL: s.Base, Env: environment, Things: s.things},
		Steps:  steps(),
		Delete: []faults.Match{faults.Request("DELETE", "/db-NAME-new"), faults.Request("DELETE", "/shared/NAME-new")},
		Taken:  program("NAME", "NAME", "note", "{by: ada}"),
		Takes:  []faults.Match{faults.Request("PUT", "/NAME"), faults.Request("PUT", "/shared/NAME")},
		Plain: faults.Plain{
			Change: func(t testing.TB, name string) {
				s.put(t, "shared", name+"-new", map[string]any{"type": "letter", "by": "mallory"})
			},
			Changed: []string{"same Database plain-db", "update Document plain"},
			Remove: func(t testing.TB, name string) {
				s.remove(t, "shared", name+"-new")
				s.Must(t, "DELETE", "/db-"+name+"-new", nil)
			},
			Imports: []faults.Import{
				{Token: "couchdb:index:Document", Resource: "NAME", Make: func(t testing.TB, name string) string {
					s.put(t, "shared", "old "+name, map[string]any{"type": "note", "by": "mallory", "pages": []int{1, 2}})
					return "shared/old " + name
				}},
				{Token: "couchdb:index:Database", Resource: "NAME-db", Make: func(t testing.TB, name string) string {
					s.Must(t, "PUT", "/db-"+name, nil)
					return "db-" + name
				}},
			},
			Imported: program("db-NAME", "old NAME", "note", "{by: mallory, pages: [1, 2]}"),
		},
	}.Run(t)
}

func steps() []faults.Step {
	return []faults.Step{
		{
			Name: "create", Ops: "create=2",
			Program: program("db-NAME", "NAME", "note", "{by: ada, tags: [x, y]}"),
			Things:  []string{"database db-NAME", `document shared/NAME {"by":"ada","tags":["x","y"],"type":"note"}`},
			Strikes: []faults.Match{faults.Request("PUT", "/db-NAME"), faults.Request("PUT", "/shared/NAME")},
		},
		{
			Name: "update", Ops: "same=1 update=1",
			Program: program("db-NAME", "NAME", "note", "{by: bob}"),
			Things:  []string{"database db-NAME", `document shared/NAME {"by":"bob","type":"note"}`},
			Strikes: []faults.Match{faults.Request("PUT", "/shared/NAME")},
		},
		{
			Name: "rename", Ops: "create-replacement=1 delete-replaced=1 replace=1 update=1",
			Program: program("db-NAME-new", "NAME-new", "note", "{by: cy}"),
			Things:  []string{"database db-NAME-new", `document shared/NAME-new {"by":"cy","type":"note"}`},
			Strikes: []faults.Match{
				faults.Request("PUT", "/db-NAME-new"), faults.Request("DELETE", "/db-NAME"),
				faults.Request("COPY", "/shared/NAME"), faults.Request("PUT", "/shared/NAME-new"), faults.Request("DELETE", "/shared/NAME?"),
			},
		},
		{
			Name: "replace", DeletesFirst: true, Ops: "create-replacement=1 delete-replaced=1 replace=1 same=1",
			Program: program("db-NAME-new", "NAME-new", "letter", "{by: cy}"),
			Things:  []string{"database db-NAME-new", `document shared/NAME-new {"by":"cy","type":"letter"}`},
			Strikes: []faults.Match{faults.Request("DELETE", "/shared/NAME-new"), faults.Request("PUT", "/shared/NAME-new")},
		},
	}
}

func program(database, name, kind, data string) string {
	return fmt.Sprintf(`  NAME-db: {type: couchdb:Database, properties: {name: %s}}
  NAME: {type: couchdb:Document, properties: {database: shared, name: %q, type: %s, data: %s}}
`, database, name, kind, data)
}
