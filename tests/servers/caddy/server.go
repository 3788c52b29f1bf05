// Package caddy tests examples/caddy.cue against a real Caddy.
package caddy

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

// server is a Caddy that runs, with one HTTP server and no routes.
type server struct {
	daemon.API
	port int // of the HTTP server
}

func start(t *testing.T) *server {
	t.Helper()
	program := tools.Need(t, tools.Caddy)
	dir := t.TempDir()
	admin, s := daemon.FreePort(t), &server{port: daemon.FreePort(t)}
	config, err := json.Marshal(map[string]any{
		"admin": map[string]any{"listen": daemon.Loopback(admin), "config": map[string]any{"persist": false}},
		"apps": map[string]any{"http": map[string]any{"servers": map[string]any{"srv0": map[string]any{
			"listen": []string{daemon.Loopback(s.port)}, "automatic_https": map[string]any{"disable": true}, "routes": []any{},
		}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "caddy.json")
	if err := os.WriteFile(path, config, 0o600); err != nil {
		t.Fatal(err)
	}
	daemon.Start(t, dir, admin, program, "run", "--config", path)
	s.Base = "http://" + daemon.Loopback(admin)
	return s
}

// says is the status and text that a path of the HTTP server answers with, and
// one of its headers.
func (s *server) says(t *testing.T, path, host, header string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+daemon.Loopback(s.port)+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = host
	client := http.Client{Timeout: 10 * time.Second}
	answer, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if err != nil {
		t.Fatal(err)
	}
	said := fmt.Sprintf("%d %s", answer.StatusCode, text)
	if v := answer.Header.Get(header); v != "" {
		said += " " + v
	}
	return said
}
