// Package authors keeps the providers that authors wrote who had read only the manual, for servers
// that no other test knows, and how that went: score.md in each folder. README.md has the table.
package authors

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
)

// warnings are the codes of the warnings of each spec. Those without any are not listed.
var warnings = map[string][]string{
	"aptly":      {"at-least-once"},
	"directus":   {"denied-is-gone"},                 // items, which have no name. The warning came after the spec.
	"hydra":      {"ephemeral-stored"},               // as the author knew
	"jupyterhub": {"at-least-once", "at-least-once"}, // tokens and codes, which the API cannot find
	"nocodb":     {"id-changes"},                     // a field is found by its title in the response, which is its table
	// The DN of a parent may contain line breaks. The warning came after the spec.
	"openldap":   {"bad-call", "bad-call", "bad-call"},
	"orthanc":    {"at-least-once", "may-overwrite", "may-overwrite"}, // instances, whose names the server gives; metadata and levels exist always
	"pocketbase": {"at-least-once"},
	"strapi":     {"id-changes"}, // found by its name, and named by its number
	"unleash":    {"at-least-once"},
}

// TestAuthors checks that the specs still have no mistakes, and no other warnings than their
// authors left.
func TestAuthors(t *testing.T) {
	t.Parallel()
	specs, err := filepath.Glob("*/spec.*")
	if err != nil || len(specs) == 0 {
		t.Fatalf("found no specs: %v", err)
	}
	for _, spec := range specs {
		folder := filepath.Dir(spec)
		t.Run(folder, func(t *testing.T) {
			t.Parallel()
			for _, name := range []string{"Pulumi.yaml", "score.md"} {
				if _, err := os.Stat(filepath.Join(folder, name)); err != nil {
					t.Error(err)
				}
			}
			// vet exits with 1 if there are mistakes, and prints them.
			out, err := exec.CommandContext(t.Context(), provider.Binary(t), "vet", "--format", "json", spec).Output()
			if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			var found []struct{ Severity, Code string }
			if err := json.Unmarshal(out, &found); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var codes []string
			for _, f := range found {
				if f.Severity == "error" {
					t.Errorf("error %s\n%s", f.Code, out)
				}
				if f.Severity == "warning" {
					codes = append(codes, f.Code)
				}
			}
			if diff := cmp.Diff(warnings[folder], codes); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
		})
	}
}
