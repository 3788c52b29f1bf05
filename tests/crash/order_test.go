package crash

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/tools"
)

// A kill does not take from a process what it has written: only a loss of power
// does. So what is synced, and when, is seen in the order of system calls.

// tracedOrder is what a process writes, syncs and renames during an operation, a line
// each.
func tracedOrder(t *testing.T, p *process, do operation) string {
	t.Helper()
	log := filepath.Join(t.TempDir(), "calls")
	p.attach(t, tools.Need(t, tools.Strace), "-o", log, "-s", "16", "-y", "-e", "trace=fsync,rename,renameat,renameat2,unlink,unlinkat,write")
	if err := do(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	p.stop()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestAFileIsOnDiskBeforeItHasItsName: the content is synced, then the file takes
// the old one's place, then its folder is synced.
func TestAFileIsOnDiskBeforeItHasItsName(t *testing.T) {
	tools.Need(t, tools.Strace)
	p := start(t, provider.Folder(t, "files", "examples/files.cue"), fill(t, map[string]string{"a.txt": before}))
	got := tracedOrder(t, p, update)
	if !regexp.MustCompile(`(?s)write\(\d+<[^>]*>, "the new.*fsync\(.*rename.*fsync\(`).MatchString(got) {
		t.Errorf("the order of a write is not content, sync, name, sync:\n%s", got)
	}
	if regexp.MustCompile(`unlink.*"a\.txt"`).MatchString(got) {
		t.Errorf("the old file is removed before the new one has its name:\n%s", got)
	}
}

// TestAnIntentIsOnDiskBeforeTheRequest: the folders that the journal makes are
// synced, then its file and the file's name, before anything is sent.
func TestAnIntentIsOnDiskBeforeTheRequest(t *testing.T) {
	tools.Need(t, tools.Strace)
	journal := filepath.Join(t.TempDir(), "deep", "journal")
	t.Setenv("DECLPROV_JOURNAL", journal)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"id":"1"}`)) // a provider that has gone says so itself
	}))
	t.Cleanup(server.Close)
	folder := provider.FolderWith(t, "api", ".cue", fmt.Sprintf(`package api

name:    "api"
version: "0.1.0"
http: baseURL: %q
resources: Thing: {
	inputs: name: string
	outputs: {}
	id: "${result.body.id}"
	create: http: {method: "POST", path: "/things", json: "${inputs}", idempotencyKey: true}
	delete: http: {method: "DELETE", path: "/things/${id}"}
}
`, server.URL))
	p := &process{Process: provider.Configured(t, folder, "api", t.TempDir(), nil)}
	got := tracedOrder(t, p, func(ctx context.Context, p *process) error {
		in := property.NewMap(map[string]property.Value{"name": property.New("a")})
		_, err := p.Create(ctx, client.Resource{Name: "a", Type: "api:index:Thing"}, in, client.Operation{})
		return err
	})
	synced := func(path string) string { return `fsync\(\d+<` + regexp.QuoteMeta(path) + `>.*` }
	parents := synced(journal) + synced(filepath.Dir(journal)) + synced(filepath.Dir(filepath.Dir(journal)))
	if !regexp.MustCompile(`(?s)` + parents + `write\(\d+<[^>]*\.json>, .*fsync\(\d+<[^>]*\.json>.*` + synced(journal) + `write\(\d+<[^>]*>, "POST /things`).MatchString(got) {
		t.Errorf("the order of a create is not folders, intent, sync, name, sync, request:\n%s", got)
	}
}
