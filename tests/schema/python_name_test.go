package schema_test

import (
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/spec/names"
)

// TestPythonNames compares the names in generated examples with those of the SDK generator.
func TestPythonNames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`(class|is|print|[a-z][a-zA-Z0-9_sABS]{0,12})`).Draw(t, "name")
		if got, want := names.Python(name), python.PyName(name); got != want {
			t.Fatalf("%s is %s in examples, and %s in the SDK", name, got, want)
		}
	})
}
