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

// A server that says more than it was asked is not quoted on standard error,
// where Pulumi shows it: what it says may be anybody's.
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
		saysMore(listener)
	}()
	folder := provider.FolderWith(t, "secretive", ".cue", talkative)
	heard := &talk{}
	p := watch(t, folder, heard, map[string]property.Value{"endpoint": property.New("http://" + listener.Addr().String())},
		"DECLPROV_JOURNAL="+t.TempDir())
	inputs := property.NewMap(map[string]property.Value{"name": property.New("a")})
	s, err := p.Create(t.Context(), client.Resource{Type: "secretive:index:Thing", Name: "a"}, inputs, client.Operation{})
	if err != nil || s.ID != "7" {
		t.Fatal(s, err)
	}
	select {
	case <-closed: // the other side has read it, and hung up
	case <-time.After(10 * time.Second):
		t.Fatal("the provider keeps a connection that it cannot use")
	}
	time.Sleep(50 * time.Millisecond) // it logs after it hangs up
	if text := heard.String(); strings.Contains(text, "canary") || strings.Contains(text, "HTTP channel") {
		t.Errorf("it was repeated:\n%s", text)
	}
}

// saysMore answers a request, then says something that nobody asked for, and
// waits until the other side hangs up.
func saysMore(listener net.Listener) {
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
