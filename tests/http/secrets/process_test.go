package secrets

import (
	"bytes"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
)

// talk is all that somebody could read: it is safe for concurrent use.
type talk struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *talk) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *talk) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// watch starts the provider of a folder at the loudest level of its log, with more
// variables, and with an engine that hears what it sends.
func watch(t *testing.T, folder string, heard *talk, config map[string]property.Value, env ...string) *provider.Process {
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
