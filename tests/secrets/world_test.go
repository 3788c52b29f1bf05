package secrets

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/tests/internal/provider"
)

// bench is a provider that serves cells, the engine that it logs to, and the server
// that it talks to.
type bench struct {
	*testing.T
	*provider.Process
	engine  *client.Engine
	monitor *client.Monitor
	stderr  *buffer
	dir     string

	mu sync.Mutex
	// exposed are requests that show the secret beside their bodies; got counts the
	// bodies that have it.
	exposed []string
	got     int
}

// buffer is written to by a process and read by a test.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func newBench(t *testing.T, spec string) *bench {
	t.Helper()
	b := &bench{T: t, stderr: &buffer{}, dir: t.TempDir()}
	server := httptest.NewServer(b)
	t.Cleanup(server.Close)
	b.engine = provider.Engine(t)
	var err error
	folder := provider.FolderWith(t, "matrix", ".cue", spec)
	provider.AddSQL(t, folder)
	if err := os.Mkdir(filepath.Join(b.dir, "files"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(b.dir, "files", "secrets.db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	b.Process, err = provider.Launch(folder, "matrix", provider.Options{
		Dir: b.dir, Stderr: b.stderr, Args: []string{b.engine.Address()},
		Env: []string{"DECLPROV_LOG=debug", "DECLPROV_JOURNAL=" + filepath.Join(t.TempDir(), "journal"), "DECLPROV_CACHE=" + t.TempDir()},
	})
	if err != nil {
		t.Fatalf("%v\n%s", err, b.stderr)
	}
	t.Cleanup(b.Stop)
	if err := b.Handshake(t.Context(), b.engine.Address()); err != nil {
		t.Fatal(err)
	}
	if b.monitor, err = client.StartMonitor(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.monitor.Stop)
	held, err := wire.Encoder{}.Encode(property.NewMap(map[string]property.Value{
		"note": text(pin).WithSecret(true), "secretive": text(pin).WithSecret(true),
	}))
	if err != nil {
		t.Fatal(err)
	}
	b.monitor.Record(b.URN(client.Resource{Type: "matrix:index:Held", Name: "held"}), "held", held)
	b.Reconfigure(t, "matrix", map[string]property.Value{"endpoint": text(server.URL)})
	return b
}

// ServeHTTP answers everything, and gives back what it is sent to /mirror.
func (b *bench) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	var head bytes.Buffer
	_ = r.Write(&head)
	open := strings.TrimSuffix(head.String(), string(body))
	var sent map[string]any
	_ = json.Unmarshal(body, &sent)
	b.mu.Lock()
	if found := found(open); found != "" {
		b.exposed = append(b.exposed, found)
	}
	if strings.Contains(string(body), "Zx9QmPf2") {
		b.got++
	}
	b.mu.Unlock()
	if b.echo(w, r) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	answer := map[string]any{"token": "t", "access_token": "t"}
	if r.URL.Path == "/mirror" {
		answer = map[string]any{"pin": sent["pin"], "all": []any{map[string]any{"pin": sent["pin"]}}}
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func (b *bench) bodies() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.got
}

// clean fails the test where something shows the secret that anybody reads.
func (b *bench) clean(what, text string) {
	b.Helper()
	if found := found(text); found != "" {
		b.Errorf("%s shows the secret: %s", what, found)
	}
}

// cleanValues is clean for values, but for those that are marked secret.
func (b *bench) cleanValues(what string, s *structpb.Struct) {
	b.Helper()
	b.clean(what, inClear(structpb.NewStructValue(s)))
}
