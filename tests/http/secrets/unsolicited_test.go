package secrets

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
)

const talkative = `package secretive

name:    "secretive"
version: "0.1.0"
config: endpoint: string
http: baseURL: "${config.endpoint}"
resources: Thing: {
	inputs: name: string
	id: "${body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}", idempotencyKey: true}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}
`

// TestUnsolicitedAnswers checks that unsolicited data from a server is not printed to
// standard error, which Pulumi shows.
func TestUnsolicitedAnswers(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	t.Cleanup(func() { listener.Close() })
	go func() {
		defer close(closed)
		sendUnsolicited(listener)
	}()
	folder := provider.FolderWith(t, "secretive", ".cue", talkative)
	heard := &transcript{}
	p := startWatched(t, folder, heard, map[string]property.Value{"endpoint": property.New("http://" + listener.Addr().String())},
		"DECLPROV_JOURNAL="+t.TempDir())
	inputs := property.NewMap(map[string]property.Value{"name": property.New("a")})
	s, err := p.Create(t.Context(), client.Resource{Type: "secretive:index:Thing", Name: "a"}, inputs, client.Operation{})
	if err != nil || s.ID != "7" {
		t.Fatal(s, err)
	}
	select {
	case <-closed: // the provider has read it and closed the connection
	case <-time.After(time.Minute):
		t.Fatal("the provider keeps an unusable connection open")
	}
	time.Sleep(50 * time.Millisecond) // logged after the connection was closed
	if text := heard.String(); strings.Contains(text, "canary") || strings.Contains(text, "HTTP channel") {
		t.Errorf("the provider printed the unsolicited data:\n%s", text)
	}
}

// sendUnsolicited responds to a request, then sends unsolicited data, and waits until the
// client closes the connection.
func sendUnsolicited(listener net.Listener) {
	conn, err := listener.Accept()
	if err != nil {
		return
	}
	defer conn.Close()
	reader := bufio.NewReader(conn)
	if _, err := http.ReadRequest(reader); err != nil {
		return
	}
	const body = `{"id": "7"}`
	fmt.Fprintf(conn, "HTTP/1.1 201 Created\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	time.Sleep(100 * time.Millisecond)
	fmt.Fprintf(conn, "HTTP/1.1 200 canary\r\nX-Token: canary\r\nContent-Length: 0\r\n\r\n")
	for err == nil {
		_, err = reader.ReadByte()
	}
}
