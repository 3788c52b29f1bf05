package complaints

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
)

// finding is a mistake that vet reports.
type finding struct {
	Code, Severity string
	Line           int
}

// vet runs `declprov vet` on a spec, and returns its findings and error.
func vet(t *testing.T, spec string) ([]finding, error) {
	t.Helper()
	cmd := exec.Command(provider.Binary(t), "vet", "--format", "json", "-")
	cmd.Stdin = strings.NewReader(spec)
	out, err := cmd.Output()
	var found []finding
	if malformed := json.Unmarshal(out, &found); malformed != nil {
		t.Fatal(malformed)
	}
	return found, err
}

// Mechanism: vet types the whole spec.
func TestComplaint30MistakesBeforeRunning(t *testing.T) {
	f := newFixture(t, simple, always(200, whole))
	for mistake, code := range map[string]string{
		"inputs.nmae":         "unknown-member",
		"config.tokn":         "unknown-member",
		"inputs.name + 1":     "type-mismatch",
		"inputs.name ++":      "template-syntax",
		"unknwn(inputs.name)": "unknown-function",
	} {
		spec := strings.Replace(fmt.Sprintf(head, f.url)+simple, `json: "${inputs}"`, `json: x: "${`+mistake+`}"`, 1)
		found, err := vet(t, spec)
		const line = 16 // the line of the create
		if !slices.ContainsFunc(found, func(d finding) bool {
			return d == finding{Code: code, Severity: "error", Line: line}
		}) || err == nil {
			t.Errorf("%s: %v, %+v", mistake, err, found)
		}
	}
}
