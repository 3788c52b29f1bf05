package layout_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/load/layout"
)

// TestCommentsOfChains: a comment stays with the field that it documents where formatting adds
// braces.
func TestCommentsOfChains(t *testing.T) {
	t.Parallel()
	for before, after := range map[string]string{
		"// A.\n// B.\na: b: int @x()\n":  "a: {\n\t// A.\n\t// B.\n\tb: int @x()\n}\n",
		"// A.\na: b: c: int @x() @y()\n": "a: b: {\n\t// A.\n\tc: int @x() @y()\n}\n",
		"// A.\na: b: int\n":              "// A.\na: b: int\n",
		"// A.\na: {b: int @x()}\n":       "// A.\na: {b: int @x()}\n",
		"// A.\na: int @x()\n":            "// A.\na: int @x()\n",
		"// A.\n\na: b: int @x()\n":       "// A.\n\na: {\n\tb: int @x()\n}\n",
	} {
		for _, text := range []string{before, after} {
			got, err := layout.CUE([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(after, string(got)); diff != "" {
				t.Errorf("%q (-want +got):\n%s", text, diff)
			}
		}
	}
}
