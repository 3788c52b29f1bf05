package sql

import (
	"net"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/tests/internal/certificate"
	"github.com/declprov/declprov/tests/internal/database"
)

// TestTLS connects with TLS to a server whose certificate is of an authority of its own. The
// certificate and its name are verified, as by sslmode=verify-full of libpq, and a server that
// offers no TLS gets no password.
func TestTLS(t *testing.T) {
	t.Parallel()
	server := database.StartPostgres(t)
	ca := certificate.Issue(t, "ca", nil)
	encrypted := func(tls any) actions.Outcome {
		args := map[string]any{"statement": "select ssl::text as v from pg_stat_ssl where pid = pg_backend_pid()"}
		if tls != nil {
			args["tls"] = tls
		}
		return exec(t, server, args)
	}
	out := encrypted(map[string]any{"ca": ca.Cert})
	if out.Status != actions.Refused || !strings.Contains(out.Err.Error(), "refused TLS") {
		t.Errorf("a server without TLS: %v, %v", out.Status, out.Err)
	}
	for name, tc := range map[string]struct {
		by         *certificate.Issued
		tls        any
		says, want string
	}{
		"its authority":             {certificate.Issue(t, "server", ca), map[string]any{"ca": ca.Cert}, "", "true"},
		"those of the system":       {certificate.Issue(t, "server", ca), map[string]any{}, "unknown authority", ""},
		"another authority":         {certificate.Issue(t, "server", ca), map[string]any{"ca": certificate.Issue(t, "ca", nil).Cert}, "unknown authority", ""},
		"another name":              {certificate.Issue(t, "server", ca, "db.example.com"), map[string]any{"ca": ca.Cert}, "127.0.0.1", ""},
		"another name, as expected": {certificate.Issue(t, "server", ca, "db.example.com"), map[string]any{"ca": ca.Cert, "serverName": "db.example.com"}, "", "true"},
		"not verified":              {certificate.Issue(t, "server", ca, "db.example.com"), map[string]any{"insecure": true}, "", "true"},
		"off":                       {certificate.Issue(t, "server", ca), "off", "", "false"},
		"the default on loopback":   {certificate.Issue(t, "server", ca), nil, "", "false"},
	} {
		server.UseTLS(t, tc.by)
		out := encrypted(tc.tls)
		if tc.says != "" {
			if out.Status != actions.Refused || !strings.Contains(out.Err.Error(), tc.says) {
				t.Errorf("%s: %v, %v; want %q", name, out.Status, out.Err, tc.says)
			}
			continue
		}
		if result, _ := out.Result.(map[string]any); out.Status != actions.Done || result["row"].(map[string]any)["v"] != tc.want {
			t.Errorf("%s: %v, %v: %v", name, out.Status, out.Err, out.Result)
		}
	}
}

// TestNoPasswordWithoutTLS has a server that offers no TLS and asks for a password in clear.
func TestNoPasswordWithoutTLS(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	received := make(chan string, 10)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			buffer := make([]byte, 1<<10)
			n, _ := conn.Read(buffer)
			_, _ = conn.Write([]byte("N")) // no TLS
			m, _ := conn.Read(buffer[n:])
			received <- string(buffer[:n+m])
			conn.Close()
		}
	}()
	server := &database.Postgres{Port: listener.Addr().(*net.TCPAddr).Port}
	out := exec(t, server, map[string]any{"statement": "select 1", "tls": map[string]any{"ca": certificate.Issue(t, "ca", nil).Cert}})
	if got := <-received; out.Status != actions.Refused || len(got) != 8 {
		t.Errorf("%v, %v; the server received %q", out.Status, out.Err, got)
	}
}
