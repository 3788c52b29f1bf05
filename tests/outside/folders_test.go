package outside

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/tests/internal/provider"
)

// TestErrorsNameNoFolders: users' errors name the spec's file, and nothing of where its
// author keeps it.
func TestErrorsNameNoFolders(t *testing.T) {
	t.Setenv("DECLPROV_JOURNAL", t.TempDir())
	author := filepath.Join(t.TempDir(), "home-of-the-author")
	if err := os.MkdirAll(author, 0o755); err != nil {
		t.Fatal(err)
	}
	spec := filepath.Join(author, "placed.cue")
	text := `package placed
name: "placed", version: "1.0.0"
permissions: {run: ["false"], read: ["**"]}
resources: Thing: {
	inputs: name: string
	id: "x"
	create: exec: {command: ["false"], idempotent: true}
}
functions: look: {inputs: name: string, outputs: size: int, file: read: path: "nothing-here", return: size: "${int(inputs.name)}"}
`
	if err := os.WriteFile(spec, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(t.TempDir(), "plugin")
	if out, err := exec.CommandContext(t.Context(), provider.Binary(t), "install", "--dir", folder, spec).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := provider.Configured(t, folder, "placed", t.TempDir(), nil)
	name := property.NewMap(map[string]property.Value{"name": property.New("a")})
	_, failed := p.Create(t.Context(), client.Resource{Type: "placed:index:Thing", Name: "it"}, name, client.Operation{})
	_, asked := p.Raw().Invoke(t.Context(), &pulumirpc.InvokeRequest{Tok: "placed:index:look", Args: object(t, map[string]any{"name": "a"})})
	for what, err := range map[string]error{"create": failed, "function": asked} {
		if err == nil || strings.Contains(err.Error(), "home-of-the-author") || !strings.Contains(err.Error(), "placed.cue:") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
