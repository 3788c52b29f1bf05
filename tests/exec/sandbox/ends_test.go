package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
)

// lingering starts a process of another session, in the sandbox, says where its
// scratch folder is and which process it is, and waits.
const lingering = `setsid sh -c 'echo $$ > $IN/pid; exec sleep 300' & echo $TMPDIR > $IN/scratch; wait; sleep 300`

// TestNothingOutlivesTheProvider: a command in the sandbox does not die with the
// thread that has started it; it ends all the same.
func TestNothingOutlivesTheProvider(t *testing.T) {
	need(t)
	w := newWorld(t, granting, "")
	go w.linger()
	pid, scratch := w.lingers()
	w.Kill()
	w.ends(pid, scratch)
}

func TestNothingOutlivesTheTimeout(t *testing.T) {
	need(t)
	w := newWorld(t, granting, `, timeout: "10s", grace: "100ms"`)
	failed := make(chan error)
	go func() { failed <- w.linger() }()
	pid, scratch := w.lingers()
	if err := <-failed; err == nil {
		t.Error("it has not failed")
	}
	w.ends(pid, scratch)
}

func (w *world) linger() error {
	_, err := w.Create(w.Context(), client.Resource{Type: "scripts:index:Script", Name: "script"},
		property.NewMap(map[string]property.Value{"text": property.New(lingering)}), client.Operation{})
	return err
}

// lingers waits for what the script says.
func (w *world) lingers() (pid int, scratch string) {
	w.Helper()
	read := func(name string) string {
		for range 3000 {
			text, err := os.ReadFile(filepath.Join(w.dir, "in", name))
			if err == nil && strings.HasSuffix(string(text), "\n") {
				return strings.TrimSpace(string(text))
			}
			time.Sleep(10 * time.Millisecond)
		}
		w.Fatalf("the command never said its %s", name)
		return ""
	}
	pid, err := strconv.Atoi(read("pid"))
	if err != nil {
		w.Fatal(err)
	}
	return pid, read("scratch")
}

// ends waits until process and folder are gone.
func (w *world) ends(pid int, scratch string) {
	w.Helper()
	var process, folder error
	for range 3000 {
		process = provider.Signal(syscall.Signal(0), pid)
		_, folder = os.Lstat(scratch)
		if errors.Is(process, os.ErrProcessDone) && os.IsNotExist(folder) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.Errorf("after half a minute: process %d: %v; folder %s: %v", pid, process, scratch, folder)
}
