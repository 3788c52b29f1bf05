package file

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// TestStreams checks that writing, copying and hashing a large file uses little memory.
func TestStreams(t *testing.T) {
	const size = 64 << 20
	w := newWorld(t, map[string]string{"in/x": "", "own/large": ""})
	if err := os.Truncate(filepath.Join(w.dir, "own/large"), size); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		kind string
		args args
	}{
		{"write", args{"path": "in/large", "source": &spec.File{Path: "own/large"}}},
		{"copy", args{"path": "in/copy", "from": "in/large"}},
		{"read", args{"path": "in/copy"}},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		got := w.run(step.kind, step.args, "sha256")
		runtime.ReadMemStats(&after)
		if result, _ := got.Result.(map[string]any); got.Status != actions.Done || result["size"] != int64(size) {
			t.Errorf("%s: %+v", step.kind, got)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%s allocates %d bytes", step.kind, used)
		}
	}
}
