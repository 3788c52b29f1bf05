package sql

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// TestStatementsThatAffectNoRow: an update or a delete that affects no row succeeds only if the row is as the
// program wants it, and fails otherwise, until the reason is gone. `kept` is a trigger that keeps the row as it is,
// as a policy of PostgreSQL does; `view` is a view whose trigger changes the row, of which SQLite counts nothing.
func TestStatementsThatAffectNoRow(t *testing.T) {
	t.Parallel()
	updates := map[string]string{
		"alone":            `statement: "update TABLE set size = {size} where name = {name}"`,
		"returning":        `statement: "update TABLE set size = {size} where name = {name} returning name, size", returns: #Thing`,
		"beside another":   `statements: ["insert into log (name) values ({name})", "update TABLE set size = {size} where name = {name}"]`,
		"before another":   `statements: ["update TABLE set size = {size} where name = {name}", "insert into log (name) values ({name})"]`,
		"parts made anew":  `statements: ["delete from parts where name = {name}", "update TABLE set size = {size} where name = {name}"]`,
		"of what differs":  `statement: "update TABLE set size = {size} where name = {name} and size <> {size}"`,
		"judged by itself": `statement: "update TABLE set size = {size} where name = {name}"}, refused: "${result.affected == 0 ? 'no row' : ''}"`,
	}
	for form, update := range updates {
		if form != "judged by itself" {
			update += "}"
		}
		for _, tc := range []struct {
			what    string
			before  string // what happens before the update
			done    bool
			deleted bool // whether a delete succeeds then
			after   string
		}{
			{what: "as it was", done: true, deleted: true},
			{what: "gone", before: "delete from things", deleted: true, after: "insert into things values ('a', 1)"},
			{what: "kept", before: "insert into keep values (1)", after: "delete from keep"},
			{what: "done by somebody else", before: "update things set size = 2", done: true, deleted: true},
			{what: "view", done: form != "judged by itself", deleted: true},
		} {
			if form == "judged by itself" && tc.what == "view" || form == "returning" && tc.what == "view" {
				continue // the author says that no row is a refusal; and SQLite returns the row
			}
			t.Run(form+"/"+tc.what, func(t *testing.T) {
				s := newTable(t).(*table)
				do(t, s.db, "create table log (name text)")
				do(t, s.db, "create table parts (name text)")
				do(t, s.db, "create table keep (n int)")
				for _, verb := range []string{"update", "delete"} {
					do(t, s.db, "create trigger keeps_"+verb+" before "+verb+" on things when exists (select * from keep) begin select raise(ignore); end")
				}
				do(t, s.db, "create view shown as select * from things")
				do(t, s.db, "create trigger shown_update instead of update on shown begin update things set size = new.size where name = old.name; end")
				do(t, s.db, "create trigger shown_delete instead of delete on shown begin delete from things where name = old.name; end")
				of := "things"
				if tc.what == "view" {
					of = "shown"
				}
				e := engineOf(t, fmt.Sprintf(`package things
name: "things"
version: "1.0.0"
sql: {driver: "sqlite", file: %q}
#Thing: {name: string, size: int}
_named: {params: {name: "${id}", size: "${inputs.size}"}, ...}
resources: Thing: {
	inputs: {name: string @replace(), size: int}
	id: "${inputs.name}"
	create: sql: exec: {statement: "insert into things values ({name}, {size})", params: {name: "${inputs.name}", size: "${inputs.size}"}}
	read: sql: query: {statement: "select name, size from things where name = {name}", params: name: "${id}", returns: #Thing}
	update: {sql: exec: _named & {%s}
	delete: sql: exec: {statement: "delete from %s where name = {name}", params: name: "${id}"}
}`, s.file, replaceTable(update, of), of))
				ref := engine.Ref{Type: "Thing", Name: "it", Key: "urn:it"}
				inputs := func(size float64) property.Map {
					return property.NewMap(map[string]property.Value{"name": property.New("a"), "size": property.New(size)})
				}
				made := e.Create(t.Context(), engine.CreateRequest{Ref: ref, Inputs: inputs(1)})
				if made.Err != nil {
					t.Fatal(made.Err)
				}
				state := *made.State
				if tc.before != "" {
					do(t, s.db, tc.before)
				}
				for range 2 {
					out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref, State: state, Inputs: inputs(2)})
					if size, _ := s.size(t); (out.Err == nil) != tc.done || tc.done && size != "2" {
						t.Fatalf("the size is %q after %v", size, out.Err)
					}
					if out.State != nil {
						state = *out.State
					}
					if tc.done {
						break
					}
				}
				err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref, State: state})
				if size, _ := s.size(t); (err == nil) != tc.deleted || tc.deleted && size != "" {
					t.Errorf("the size is %q after the delete: %v", size, err)
				}
				if tc.after == "" {
					return
				}
				do(t, s.db, tc.after)
				out := e.Update(t.Context(), engine.UpdateRequest{Ref: ref, State: state, Inputs: inputs(2)})
				if size, _ := s.size(t); out.Err != nil || size != "2" {
					t.Errorf("without the reason, the size is %q after %v", size, out.Err)
				}
			})
		}
	}
}

func replaceTable(statement, of string) string { return strings.ReplaceAll(statement, "TABLE", of) }
