// Package styles takes the specs in docs/apis through their lives with the real Pulumi CLI: one
// program has a resource of each, so that all share the runs of the CLI.
package styles

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/tools"
)

// style is an API style: a page in docs/apis, and the server that its spec is for.
type style struct {
	page string // without .md
	// provider is the name of the provider, and resource that of its resource.
	provider, resource string
	// env is the environment of the provider.
	env []string
	// created, updated and replaced are the properties of the resource, one after the other, in
	// YAML.
	created, updated, replaced string
	// quick is a duration in the spec that the test shortens.
	quick string
	// things returns what the server has, in the order of their names.
	things func(t *testing.T) []string
	// had are the things after each of the three.
	had [3][]string
	// drift changes what the resource stands for, behind its back.
	drift func(t *testing.T)
}

// spec returns the spec in the page.
func (s style) spec(t *testing.T) string {
	t.Helper()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "apis", s.page+".md"))
	if err != nil {
		t.Fatal(err)
	}
	spec := regexp.MustCompile("(?ms)^```cue \\S+\n(.*?)^```$").FindSubmatch(page)
	if spec == nil {
		t.Fatalf("docs/apis/%s.md has no spec", s.page)
	}
	if s.quick == "" {
		return string(spec[1])
	}
	return strings.ReplaceAll(string(spec[1]), s.quick, `"20ms"`)
}
