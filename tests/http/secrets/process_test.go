package secrets

import (
	"bytes"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
)

// transcript collects output. It is safe for concurrent use.
type transcript struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *transcript) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *transcript) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// startWatched starts the provider of a folder at the highest log level, with additional
// variables, and an engine that receives its messages.
func startWatched(t *testing.T, folder string, heard *transcript, config map[string]property.Value, env ...string) *provider.Process {
	t.Helper()
	engine := provider.Engine(t)
	engine.OnLog = func(m client.LogMessage) { _, _ = heard.Write([]byte(m.Text + "\n")) }
	p, err := provider.Launch(folder, "secretive", provider.Options{
		Dir: folder, Env: append(env, "DECLPROV_LOG=debug"), Args: []string{engine.Address()}, Stderr: heard,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	if err := p.Handshake(t.Context(), engine.Address()); err != nil {
		t.Fatal(err)
	}
	p.Reconfigure(t, "secretive", config)
	return p
}
