// Package couchdb tests testdata/couchdb.cue against a server with CouchDB's
// API.
package couchdb

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

type server struct{ daemon.API }

func start(t *testing.T) *server {
	t.Helper()
	script := tools.Need(t, tools.CouchDB)
	dir, port := t.TempDir(), daemon.FreePort(t)
	daemon.Start(t, dir, port, "node", script, strconv.Itoa(port), dir)
	return &server{daemon.API{Base: "http://" + daemon.Loopback(port)}}
}

func environment(endpoint string) []string { return []string{"COUCHDB_URL=" + endpoint} }

// put writes a document, over the one that is there.
func (s *server) put(t testing.TB, database, name string, document map[string]any) {
	t.Helper()
	if status, now := s.Do(t, "GET", at(database, name), nil); status == 200 {
		document["_rev"] = now.(map[string]any)["_rev"]
	}
	s.Must(t, "PUT", at(database, name), document)
}

func (s *server) remove(t testing.TB, database, name string) {
	t.Helper()
	now := s.Must(t, "GET", at(database, name), nil).(map[string]any)
	s.Must(t, "DELETE", at(database, name)+"?rev="+fmt.Sprint(now["_rev"]), nil)
}

func at(database, name string) string { return "/" + database + "/" + url.PathEscape(name) }

// things are all databases and documents: `database db`, `document db/a {"x":1}`.
func (s *server) things(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, database := range s.Must(t, "GET", "/_all_dbs", nil).([]any) {
		name := fmt.Sprint(database)
		if strings.HasPrefix(name, "_") {
			continue // the server's own
		}
		status, all := s.Do(t, "GET", "/"+name+"/_all_docs?include_docs=true", nil)
		if status == 404 {
			continue // it was deleted meanwhile
		}
		out = append(out, "database "+name)
		for _, row := range all.(map[string]any)["rows"].([]any) {
			document := row.(map[string]any)["doc"].(map[string]any)
			id := document["_id"]
			delete(document, "_id")
			delete(document, "_rev")
			text, err := json.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, fmt.Sprintf("document %s/%s %s", name, id, text))
		}
	}
	return out
}
