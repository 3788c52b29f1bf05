// Package alertmanager tests testdata/alertmanager.cue against a real
// Alertmanager.
package alertmanager

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

type server struct{ daemon.API }

func start(t *testing.T) *server {
	t.Helper()
	program := tools.Need(t, tools.Alertmanager)
	dir, port := t.TempDir(), daemon.FreePort(t)
	config := filepath.Join(dir, "alertmanager.yml")
	if err := os.WriteFile(config, []byte("route: {receiver: none}\nreceivers: [{name: none}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	daemon.Start(t, dir, port, program, "--config.file="+config, "--storage.path="+filepath.Join(dir, "data"),
		"--web.listen-address="+daemon.Loopback(port), "--cluster.listen-address=")
	return &server{daemon.API{Base: "http://" + daemon.Loopback(port)}}
}

func environment(endpoint string) []string { return []string{"ALERTMANAGER_URL=" + endpoint} }

// silence makes one for alerts of a name, and returns its id.
func (s *server) silence(t testing.TB, alert, by, comment string) string {
	t.Helper()
	made := s.Must(t, "POST", "/api/v2/silences", map[string]any{
		"matchers": []any{map[string]any{"name": "alertname", "value": alert, "isRegex": false}},
		"startsAt": "2090-01-01T00:00:00Z", "endsAt": "2090-01-02T00:00:00Z", "createdBy": by, "comment": comment,
	})
	return fmt.Sprint(made.(map[string]any)["silenceID"])
}

// silences are those that have not ended, by id: `ALERT by WHOM: COMMENT`.
func (s *server) silences(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, item := range s.Must(t, "GET", "/api/v2/silences", nil).([]any) {
		silence := item.(map[string]any)
		if silence["status"].(map[string]any)["state"] == "expired" {
			continue
		}
		matcher := silence["matchers"].([]any)[0].(map[string]any)
		out[fmt.Sprint(silence["id"])] = fmt.Sprintf("%v by %v: %v", matcher["value"], silence["createdBy"], silence["comment"])
	}
	return out
}

func (s *server) things(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, silence := range s.silences(t) {
		out = append(out, silence)
	}
	return out
}
