// Package etcd tests testdata/etcd.cue against a real etcd.
package etcd

import (
	"encoding/base64"
	"fmt"
	"slices"
	"testing"

	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/tools"
)

// server is an etcd of one member.
type server struct{ daemon.API }

func start(t *testing.T) *server {
	t.Helper()
	program := tools.Need(t, tools.Etcd)
	dir, port, peer := t.TempDir(), daemon.FreePort(t), daemon.FreePort(t)
	client, peers := "http://"+daemon.Loopback(port), "http://"+daemon.Loopback(peer)
	daemon.Start(t, dir, port, program, "--data-dir="+dir, "--log-level=error", "--logger=zap",
		"--listen-client-urls="+client, "--advertise-client-urls="+client,
		"--listen-peer-urls="+peers, "--initial-advertise-peer-urls="+peers, "--initial-cluster=default="+peers)
	return &server{daemon.API{Base: client}}
}

func environment(endpoint string) []string { return []string{"ETCD_ENDPOINT=" + endpoint} }

// ask calls a method of the gateway, and returns a list of its response.
func (s *server) ask(t testing.TB, path, list string, body map[string]any) []any {
	t.Helper()
	response, _ := s.Must(t, "POST", "/v3"+path, body).(map[string]any)
	items, _ := response[list].([]any)
	return items
}

func (s *server) put(t testing.TB, key, value string) {
	t.Helper()
	s.Must(t, "POST", "/v3/kv/put", map[string]any{"key": encode(key), "value": encode(value)})
}

func (s *server) grant(t testing.TB, role, key string) {
	t.Helper()
	s.Must(t, "POST", "/v3/auth/role/grant", map[string]any{"name": role, "perm": map[string]any{"key": encode(key)}})
}

// things are all keys and roles: `key a=1`, `role r READ k`.
func (s *server) things(t testing.TB) []string {
	t.Helper()
	var out []string
	for _, item := range s.ask(t, "/kv/range", "kvs", map[string]any{"key": "AA==", "range_end": "AA=="}) {
		kv := item.(map[string]any)
		out = append(out, fmt.Sprintf("key %s=%s", decode(t, kv["key"]), decode(t, kv["value"])))
	}
	for _, role := range s.ask(t, "/auth/role/list", "roles", map[string]any{}) {
		status, answer := s.Do(t, "POST", "/v3/auth/role/get", map[string]any{"role": role})
		if status == 412 {
			continue // it was deleted meanwhile
		}
		if status != 200 {
			t.Fatalf("role %v: %d %v", role, status, answer)
		}
		line := fmt.Sprint("role ", role)
		var may []string
		permissions, _ := answer.(map[string]any)["perm"].([]any)
		for _, item := range permissions {
			perm := item.(map[string]any)
			access := perm["permType"]
			if access == nil {
				access = "READ" // which is zero
			}
			may = append(may, fmt.Sprintf(" %v %s", access, decode(t, perm["key"])))
		}
		slices.Sort(may)
		for _, m := range may {
			line += m
		}
		out = append(out, line)
	}
	return out
}

func encode(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

func decode(t testing.TB, text any) string {
	t.Helper()
	if text == nil {
		return ""
	}
	b, err := base64.StdEncoding.DecodeString(fmt.Sprint(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
