// Package influxdb tests testdata/influxdb.cue against a real InfluxDB 1.6.
package influxdb

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

type server struct{ daemon.API }

func start(t *testing.T) *server {
	t.Helper()
	program := tools.Need(t, tools.InfluxDB)
	dir, port := t.TempDir(), daemon.FreePort(t)
	config := fmt.Sprintf(`reporting-disabled = true
bind-address = %q
[meta]
  dir = %q
[data]
  dir = %q
  wal-dir = %q
[monitor]
  store-enabled = false
[http]
  bind-address = %q
`, daemon.Loopback(daemon.FreePort(t)), filepath.Join(dir, "meta"), filepath.Join(dir, "data"), filepath.Join(dir, "wal"), daemon.Loopback(port))
	path := filepath.Join(dir, "influxdb.conf")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	daemon.Start(t, dir, port, program, "-config", path)
	return &server{daemon.API{Base: "http://" + daemon.Loopback(port)}}
}

func environment(endpoint string) []string { return []string{"INFLUX_HOST=" + endpoint} }

// series is one of the results of a statement.
type series struct {
	name string
	rows [][]any
}

// run runs a statement, which must work.
func (s *server) run(t testing.TB, statement string) []series {
	t.Helper()
	response := s.Must(t, "POST", "/query?q="+url.QueryEscape(statement), nil).(map[string]any)
	result := response["results"].([]any)[0].(map[string]any)
	if result["error"] != nil {
		t.Fatalf("%s: %v", statement, result["error"])
	}
	all, _ := result["series"].([]any)
	var out []series
	for _, item := range all {
		one := item.(map[string]any)
		values, _ := one["values"].([]any)
		found := series{name: fmt.Sprint(one["name"])}
		for _, row := range values {
			found.rows = append(found.rows, row.([]any))
		}
		out = append(out, found)
	}
	return out
}

// things are all databases, their policies but for each one's own, and the
// continuous queries.
func (s *server) things(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, database := range s.run(t, "SHOW DATABASES")[0].rows {
		out = append(out, fmt.Sprint("database ", database[0]))
	}
	for _, policy := range s.run(t, `SHOW RETENTION POLICIES ON "shared"`)[0].rows {
		if policy[0] != "autogen" {
			out = append(out, fmt.Sprint("policy ", policy[0], " ", policy[1]))
		}
	}
	for _, found := range s.run(t, "SHOW CONTINUOUS QUERIES") {
		for _, query := range found.rows {
			out = append(out, fmt.Sprint("query ", found.name, " ", query[1]))
		}
	}
	return out
}
