package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

func functions() []point {
	return []point{
		{65, "functions are asked in previews, and keep secrets", func(t *testing.T) {
			s := pulumitest.New(t, pulumitest.Providers{
				"files": provider.Folder(t, "files", "examples/files.cue"),
				"asked": provider.Folder(t, "asked", "tests/e2e/testdata/asked.cue"),
			})
			s.Write("there.txt", "hello")
			s.Program(`variables:
  text: {fn::invoke: {function: asked:getText, arguments: {path: there.txt}, return: content}}
  name: {fn::invoke: {function: asked:slug, arguments: {title: {fn::secret: SwordFish}}, return: name}}
outputs:
  text: ${text}
  name: ${name}
` + resources(file("copy", "${text}")))
			if r := s.Preview("create=1"); !strings.Contains(r.Stdout, `"hello"`) || strings.Contains(r.Stdout, "swordfish") {
				t.Errorf("the preview:\n%s", r.Stdout)
			}
			s.Up("create=1")
			holds(t, s, map[string]string{"there.txt": "hello", "copy.txt": "hello"})
			out, err := s.Outputs(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(map[string]any{"text": "hello", "name": "swordfish.md"}, out); diff != "" {
				t.Error(diff)
			}
		}},
		{65, "ephemeral values are secrets, and are closed", func(t *testing.T) {
			s := pulumitest.New(t, pulumitest.Providers{
				"files": provider.Folder(t, "files", "examples/files.cue"),
				"asked": provider.Folder(t, "asked", "tests/e2e/testdata/asked.cue"),
			})
			s.Program(`variables:
  pass: {fn::invoke: {function: asked:openPass, arguments: {role: admin}}}
` + resources(file("copy", "${pass.token}")))
			if r := s.Preview("create=1"); strings.Contains(r.Stdout, "token-of-admin") {
				t.Errorf("the preview shows the token:\n%s", r.Stdout)
			}
			holds(t, s, map[string]string{"closed-admin": "token-of-admin"}) // and no pass
			s.Up("create=1")
			holds(t, s, map[string]string{"closed-admin": "token-of-admin", "copy.txt": "token-of-admin"})
			if recorded := fmt.Sprint(s.Recorded("copy").Outputs); strings.Contains(recorded, "token-of-admin") {
				t.Errorf("the token is in the state: %s", recorded)
			}
		}},
	}
}
