package secrets

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
)

// finding is a diagnostic as `vet --format json` prints it.
type finding struct{ Code, Severity, Message, Path string }

// vet are the findings in a spec, by what of it they are about.
func vet(t *testing.T, cells []cell) map[string][]finding {
	t.Helper()
	path := filepath.Join(t.TempDir(), "matrix.cue")
	if err := os.WriteFile(path, []byte(spec(cells)), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), provider.Binary(t), "vet", "--format", "json", path).Output()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatalf("%v\n%s", err, exit.Stderr)
	}
	var all []finding
	if err := json.Unmarshal(out, &all); err != nil {
		t.Fatal(err)
	}
	found := map[string][]finding{}
	for _, f := range all {
		for part := range strings.SplitSeq(f.Path, ".") {
			found[part] = append(found[part], f) // one of them is a cell's name
		}
	}
	return found
}

// verdictOf is what findings say of a secret; wrong are those about anything else that
// keep a spec from being served.
func verdictOf(all []finding) (v verdict, wrong []finding) {
	for _, f := range all {
		switch {
		case f.Code == "secret-exposed" && f.Severity == "error":
			v = refusedByVet
		case f.Code == "secret-exposed" && v == "":
			v = warnedByVet
		case f.Severity == "error":
			wrong = append(wrong, f)
		}
	}
	return v, wrong
}

// TestVetFollowsSecrets: what a spec declares secret is found wherever it reaches a
// place that others can read, whatever it goes through.
func TestVetFollowsSecrets(t *testing.T) {
	t.Parallel()
	for _, h := range holders() {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			all := cells(h)
			found := vet(t, all)
			for _, c := range all {
				got, wrong := verdictOf(found[c.name])
				if got != c.vets() || (len(wrong) > 0) != c.sink.never {
					t.Errorf("%s: %q, want %q: %v", c, got, c.vets(), wrong)
				}
			}
			t.Logf("%d cells", len(all))
		})
	}
}
