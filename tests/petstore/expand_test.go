package petstore_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
	"github.com/declprov/declprov/tests/petstore"
)

// expanded returns what `declprov expand` prints of the example.
func expanded(t *testing.T, format string) string {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), provider.Binary(t), "expand", "--format", format, filepath.Join(root, "examples", "rest-api.cue"))
	var failed strings.Builder
	cmd.Stderr = &failed
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("expand: %v\n%s", err, failed.String())
	}
	if strings.Contains(string(text), "rest:") {
		t.Errorf("the shorthand is still there:\n%s", text)
	}
	return string(text)
}

// life plays the life of a pet through the real CLI, and returns all requests.
func life(t *testing.T, folder string) []string {
	t.Helper()
	store := petstore.Open()
	t.Cleanup(store.Close)
	s := pulumitest.New(t, pulumitest.Providers{"petstore": folder}, store.Env()...)
	s.Program(rex)
	s.Preview("create=1")
	s.Up("create=1")
	s.Up("same=1")
	store.Change(101, map[string]any{"name": "Defaced", "tags": map[string]any{"by": "hand"}})
	s.Refresh("update Pet rex")
	s.Up("update=1")
	s.Program(strings.Replace(rex, "name: Rex", "name: Max, kind: cat, tags: {likes: mice}", 1))
	s.Up("create-replacement=1 delete-replaced=1 replace=1")
	s.Import("petstore:index:Pet", "again", "102")
	s.Destroy("delete=2")
	return store.Requests()
}

// TestExpandBehavesTheSame shows that the example and what `declprov expand` prints of
// it, as CUE and as YAML, send the same requests.
func TestExpandBehavesTheSame(t *testing.T) {
	t.Parallel()
	want := life(t, provider.Folder(t, "petstore", "examples/rest-api.cue"))
	if len(want) < 15 {
		t.Errorf("%d requests: %q", len(want), want)
	}
	for _, format := range []string{"cue", "yaml"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			got := life(t, provider.FolderWith(t, "petstore", "."+format, expanded(t, format)))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the requests differ (-example +expanded):\n%s", diff)
			}
		})
	}
}
