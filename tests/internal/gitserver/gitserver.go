// Package gitserver serves Git repositories to the Pulumi CLI over HTTPS, as a host of repositories does.
package gitserver

import (
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
)

// Host is the host of the repositories. It has no port: Pulumi 3.259 installs a plugin from
// https://HOST:PORT, and does not find it afterwards. The name is one of those for which the
// certificates of package httptest are valid.
const Host = "example.com"

// Serve serves the bare repositories below a folder at https://Host until it is closed. Clients reach
// it by a proxy on loopback, which proxy is the URL of; it connects to nothing else. authority is the
// certificate that they must trust, as PEM.
func Serve(ctx context.Context, folder string) (proxy string, authority []byte, closeAll func(), err error) {
	path, err := exec.CommandContext(ctx, "git", "--exec-path").Output()
	if err != nil {
		return "", nil, nil, fmt.Errorf("finding the programs of git: %w", err)
	}
	repositories := httptest.NewTLSServer(&cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + folder, "GIT_HTTP_EXPORT_ALL=1"},
	})
	connections := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect || r.Host != Host+":443" {
			http.Error(w, "only "+Host+" is here", http.StatusForbidden)
			return
		}
		if err := connect(w, repositories.Listener.Addr().String()); err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
		}
	}))
	closeAll = func() {
		connections.Close()
		repositories.Close()
	}
	return connections.URL, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: repositories.Certificate().Raw}), closeAll, nil
}

// connect connects a client of the proxy to an address, until one of them ends the connection.
func connect(w http.ResponseWriter, address string) error {
	server, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	client, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		server.Close()
		return err
	}
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		client.Close()
		server.Close()
		return nil
	}
	go func() {
		_, _ = io.Copy(server, client)
		server.Close()
	}()
	go func() {
		_, _ = io.Copy(client, server)
		client.Close()
	}()
	return nil
}
