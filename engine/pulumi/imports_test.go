package pulumi_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestImportsStayLight: every process pays for what the server imports before it
// can print its port. Each of these costs more than all the rest together.
func TestImportsStayLight(t *testing.T) {
	heavy := []string{
		"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin",
		"github.com/pulumi/pulumi/sdk/v3/go/pulumi/provider",
		"github.com/pulumi/pulumi/sdk/v3/go/pulumi",
		"github.com/pulumi/pulumi/sdk/v3/go/common/workspace",
		"github.com/pulumi/pulumi/pkg/v3/",
		"cuelang.org/go/",
		"github.com/santhosh-tekuri/jsonschema/",
		"github.com/mattn/go-runewidth",
	}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".", "./client").CombinedOutput()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, out)
	}
	for path := range strings.Lines(string(out)) {
		path = strings.TrimSpace(path)
		for _, h := range heavy {
			if path == h || strings.HasSuffix(h, "/") && strings.HasPrefix(path, h) {
				t.Errorf("it imports %s; go mod why -m says through what", path)
			}
		}
	}
}
