package pulumi_test

import (
	"strings"

	"github.com/declprov/declprov/spec/diag"
)

// mistakes is the error of a test's own spec.
type mistakes struct{ list diag.List }

func (m *mistakes) Error() string {
	lines := make([]string, len(m.list))
	for i, d := range m.list {
		lines[i] = d.Subject.String() + ": " + d.Summary + ". " + d.Detail
	}
	return strings.Join(lines, "\n")
}
