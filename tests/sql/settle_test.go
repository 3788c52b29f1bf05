package sql

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/database"
	"github.com/declprov/declprov/tests/internal/provider"
)

// TestLostInMariaDB checks what is known when the connection to MariaDB is lost, and what the
// server has done.
func TestLostInMariaDB(t *testing.T) {
	t.Parallel()
	server := database.StartMariaDB(t)
	admin := server.Open(t, "")
	do(t, admin, "create database shop")
	do(t, admin, "create table shop.things (name varchar(50) primary key, n int auto_increment unique) engine=InnoDB")
	insert := func(name string) map[string]any {
		return map[string]any{"statement": "insert into things (name) values ({v})", "params": map[string]any{"v": name}}
	}
	several := func(name, last string) map[string]any {
		return map[string]any{"statements": []any{"insert into things (name) values ({v})", last}, "params": map[string]any{"v": name}}
	}
	for name, tc := range map[string]struct {
		args  map[string]any
		lost  string // the connection is lost when this was sent
		want  actions.Status
		class string
		again bool
		made  bool
	}{
		"done":                  {insert("done"), "", actions.Done, "", false, true},
		"a lost response":       {insert("lost"), "lost", actions.Unknown, "connection", true, true},
		"a lost preparation":    {insert("early"), "insert into things", actions.Unknown, "connection", true, false},
		"a lost transaction":    {several("lost in one", "select 'the last'"), "the last", actions.Refused, "connection", true, false},
		"a lost commit":         {several("lost at the end", "select 2"), "COMMIT", actions.Unknown, "connection", true, true},
		"a killed connection":   {map[string]any{"statement": "kill connection_id()"}, "", actions.Unknown, "", true, false},
		"a time limit":          {map[string]any{"statement": "do sleep(3)", "timeout": "300ms"}, "", actions.Unknown, "timeout", false, false},
		"a violated constraint": {map[string]any{"statement": "insert into things values ('there', 1), ('there', 2)"}, "", actions.Refused, "1062", false, false},
		"no server":             {map[string]any{"statement": "select 1", "port": int64(daemon.FreePort(t))}, "", actions.Refused, "connection", true, false},
	} {
		t.Run(name, func(t *testing.T) {
			args := map[string]any{"driver": "mysql", "port": int64(server.Port), "user": "root", "database": "shop"}
			for name, v := range tc.args {
				args[name] = v
			}
			if tc.lost != "" {
				args["port"] = int64(fragile(t, server.Port, tc.lost))
			}
			out := run(t, args)
			if out.Status != tc.want || out.Class != tc.class && tc.class != "" || out.Again != tc.again {
				t.Errorf("%v, class %q, again %t: %v; expected %v, class %q, again %t", out.Status, out.Class, out.Again, out.Err, tc.want, tc.class, tc.again)
			}
			if out.Err != nil && strings.Contains(out.Err.Error(), database.Password) {
				t.Errorf("the error contains the password: %v", out.Err)
			}
			if params, _ := tc.args["params"].(map[string]any); params != nil {
				expect(t, admin, fmt.Sprintf("select count(*) from shop.things where name = '%v'", params["v"]), map[bool]string{true: "1", false: "0"}[tc.made])
			}
		})
	}
	settles(t, "mysql", "shop", "root", server.Port, server.Open(t, "shop"))
}

// settles creates a row whose response is lost, so that it is not known whether it exists. `find`
// then finds it, and no second one is made.
func settles(t *testing.T, driver, name, user string, port int, admin *sql.DB) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "things.cue"))
	if err != nil {
		t.Fatal(err)
	}
	folder := provider.FolderWith(t, "things", ".cue", strings.NewReplacer("DRIVER", driver, "DATABASE", name, "USER", user).Replace(string(text)))
	provider.AddSQL(t, folder)
	port, cuts := counting(t, port, "insert into things", "a settled one")
	p := provider.Configured(t, folder, "things", t.TempDir(), map[string]property.Value{
		"port": property.New(float64(port)), "password": property.New(database.Password).WithSecret(true),
	})
	r := client.Resource{Type: "things:index:Thing", Name: "thing"}
	inputs := property.NewMap(map[string]property.Value{"name": property.New("a settled one")})
	state, err := p.Create(t.Context(), r, inputs, client.Operation{})
	if err != nil || cuts.Load() != 1 {
		t.Fatalf("%d connections were lost: %v", cuts.Load(), err)
	}
	expect(t, admin, "select count(*) from things where name = 'a settled one'", "1")
	if err := p.Delete(t.Context(), r, state, client.Operation{}); err != nil {
		t.Error(err)
	}
	expect(t, admin, "select count(*) from things where name = 'a settled one'", "0")
}
