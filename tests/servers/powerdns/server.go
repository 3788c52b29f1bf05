// Package powerdns tests examples/powerdns.cue against a real PowerDNS.
package powerdns

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

const apiKey = "open-sesame-please"

// server is a PowerDNS that runs, with its zones in files of its own.
type server struct {
	daemon.API
	endpoint string
}

// start runs a PowerDNS on an SQLite database, with its API on loopback and DNS
// on a port that nobody asks.
func start(t *testing.T) *server {
	t.Helper()
	program := tools.Need(t, tools.PowerDNS)
	dir := t.TempDir()
	database := filepath.Join(dir, "zones.sqlite")
	makeDatabase(t, database)
	port := daemon.FreePort(t)
	config := fmt.Sprintf(`launch=gsqlite3
gsqlite3-database=%s
local-address=127.0.0.1
local-port=%d
webserver=yes
webserver-address=127.0.0.1
webserver-allow-from=127.0.0.1
webserver-port=%d
api=yes
api-key=%s
socket-dir=%s
setuid=
setgid=
security-poll-suffix=
zone-cache-refresh-interval=0
`, database, daemon.FreePort(t), port, apiKey, dir)
	if err := os.WriteFile(filepath.Join(dir, "pdns.conf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	daemon.Start(t, dir, port, program, "--config-dir="+dir, "--daemon=no", "--guardian=no", "--disable-syslog=yes")
	s := &server{endpoint: "http://" + daemon.Loopback(port)}
	s.API = daemon.API{Base: s.endpoint + "/api/v1/servers/localhost", Headers: map[string]string{"X-API-Key": apiKey}}
	return s
}

func (s *server) env() []string {
	return []string{"PDNS_ENDPOINT=" + s.endpoint, "PDNS_API_KEY=" + apiKey}
}

// zone is what the server says of a zone, without its records.
func (s *server) zone(t *testing.T, name string) map[string]any {
	t.Helper()
	zone, _ := s.Must(t, "GET", "/zones/"+name, nil).(map[string]any)
	return zone
}

// records are the contents of a set of a zone, sorted; nil where there is none.
func (s *server) records(t *testing.T, zone, name, kind string) []string {
	t.Helper()
	set := s.set(t, zone, name, kind)
	all, _ := set["records"].([]any)
	var contents []string
	for _, r := range all {
		contents = append(contents, fmt.Sprint(r.(map[string]any)["content"]))
	}
	slices.Sort(contents)
	return contents
}

// set is what the server says of a set of records.
func (s *server) set(t *testing.T, zone, name, kind string) map[string]any {
	t.Helper()
	sets, _ := s.zone(t, zone)["rrsets"].([]any)
	for _, item := range sets {
		if set := item.(map[string]any); set["name"] == name && set["type"] == kind {
			return set
		}
	}
	return nil
}

// write replaces a set of records behind Pulumi's back; no contents remove it.
func (s *server) write(t *testing.T, zone, name, kind string, contents ...string) {
	t.Helper()
	change, records := "REPLACE", []any{}
	for _, c := range contents {
		records = append(records, map[string]any{"content": c, "disabled": false})
	}
	if contents == nil {
		change = "DELETE"
	}
	s.Must(t, "PATCH", "/zones/"+zone, map[string]any{"rrsets": []any{
		map[string]any{"name": name, "type": kind, "ttl": 60, "changetype": change, "records": records},
	}})
}
