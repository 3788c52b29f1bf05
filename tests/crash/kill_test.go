package crash

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
)

const (
	before = "the old content\n"
	after  = "the new content, which is longer\n"
)

func resource() client.Resource {
	return client.Resource{Name: "a", Type: "files:index:File"}
}

// inputs are checked ones of a file a.txt.
func inputs(ctx context.Context, p *process, content string) (property.Map, error) {
	checked, err := p.Check(ctx, resource(), property.NewMap(nil), property.NewMap(map[string]property.Value{
		"path": property.New("a.txt"), "content": property.New(content),
	}))
	return checked.Inputs, err
}

func create(ctx context.Context, p *process) error {
	in, err := inputs(ctx, p, after)
	if err != nil {
		return err
	}
	_, err = p.Create(ctx, resource(), in, client.Operation{})
	return err
}

func update(ctx context.Context, p *process) error {
	old, err := inputs(ctx, p, before)
	if err != nil {
		return err
	}
	in, err := inputs(ctx, p, after)
	if err != nil {
		return err
	}
	_, err = p.Update(ctx, resource(), client.State{ID: "a.txt", Inputs: old, Outputs: old}, in, client.Operation{})
	return err
}

// TestKilledAtEverySystemCall kills an update and a create at each of their
// system calls on files: the file is the old one or the new one, never a part;
// and after the next run it is the new one, with nothing beside it.
func TestKilledAtEverySystemCall(t *testing.T) {
	strace := tools.Need(t, tools.Strace)
	folder := provider.Folder(t, "files", "examples/files.cue")
	for _, c := range []struct {
		name  string
		do    operation
		start map[string]string
	}{
		{"update", update, map[string]string{"a.txt": before}},
		{"create", create, map[string]string{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			kills := 0
			made := calls(t, strace, folder, fill(t, c.start), c.do)
			for _, name := range slices.Sorted(maps.Keys(made)) {
				for n := 1; n <= made[name]; n++ {
					dir := fill(t, c.start)
					if killAt(t, strace, folder, dir, name, n, c.do) {
						kills++
						whole(t, dir, c.start, name, n)
					}
					converges(t, folder, dir, c.do, name, n)
				}
			}
			t.Logf("killed %d times, at %v", kills, made)
			if kills < 10 {
				t.Errorf("only %d kills hit the operation: does strace inject?", kills)
			}
		})
	}
}

// whole fails if a.txt is anything but what it was or what it should be.
func whole(t *testing.T, dir string, was map[string]string, name string, n int) {
	t.Helper()
	files := read(t, dir)
	got, there := files["a.txt"]
	old, had := was["a.txt"]
	if there != had && got != after || there && got != after && got != old {
		t.Errorf("killed at %s %d: a.txt is %q", name, n, got)
	}
}

// converges runs the operation again in a new process.
func converges(t *testing.T, folder, dir string, do operation, name string, n int) {
	t.Helper()
	p := start(t, folder, dir)
	defer p.stop()
	if err := do(t.Context(), p); err != nil && !strings.Contains(err.Error(), "exists") {
		t.Errorf("killed at %s %d: the next run: %v", name, n, err)
	}
	if diff := cmp.Diff(map[string]string{"a.txt": after}, read(t, dir)); diff != "" {
		t.Errorf("killed at %s %d: after the next run (-want +got):\n%s", name, n, diff)
	}
}

func fill(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, dir string) map[string]string {
	t.Helper()
	files, err := pulumitest.ReadTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	return files
}
