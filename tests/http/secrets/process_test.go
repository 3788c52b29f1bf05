package secrets

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
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

// watched is a provider that says all that it can, to somebody who keeps it.
type watched struct {
	*client.Client
	heard *talk
}

// watch starts the provider of a folder at the loudest level of its log, with an
// engine that hears what it sends.
func watch(t *testing.T, folder string, heard *talk, config map[string]property.Value) *watched {
	t.Helper()
	engine, err := client.StartEngine()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Stop)
	engine.OnLog = func(m client.LogMessage) { _, _ = heard.Write([]byte(m.Text + "\n")) }
	cmd := exec.Command(filepath.Join(folder, "pulumi-resource-secretive"), engine.Address())
	cmd.Env = append(os.Environ(), "DECLPROV_LOG=debug")
	cmd.Dir, cmd.Stderr = folder, heard
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stdin.Close()
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Connect(port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	w := &watched{Client: c, heard: heard}
	w.configure(t, engine.Address(), config)
	return w
}

func (w *watched) configure(t *testing.T, address string, config map[string]property.Value) {
	t.Helper()
	if err := w.Handshake(t.Context(), address); err != nil {
		t.Fatal(err)
	}
	checked, err := w.CheckConfig(t.Context(), "secretive", property.NewMap(config))
	if err != nil || len(checked.Failures) > 0 {
		t.Fatalf("the configuration: %v, %v", checked.Failures, err)
	}
	if err := w.Configure(t.Context(), "secretive", checked.Inputs); err != nil {
		t.Fatal(err)
	}
}
