// Package sdk generates SDKs as `pulumi package add` does for the programs of each language,
// and has what their package managers require.
//
// The language hosts that contain the generators of the CLI are in no registry that the
// tests may use. The generators themselves are a Go package.
package sdk

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"

	"github.com/declprov/declprov/tests/internal/provider"
)

// noLoader refuses other packages: a schema of declprov refers to none.
type noLoader struct{ schema.ReferenceLoader }

// generator is the name of the generator in comments of generated code.
const generator = "pulumi-language"

// Schema returns the package schema of a spec, as declprov prints it.
func Schema(t testing.TB, specPath string) []byte {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), provider.Binary(t), "schema", specPath).Output()
	if err != nil {
		t.Fatalf("declprov schema %s: %v", specPath, err)
	}
	return text
}

// bind binds a schema. Generators change the package, so that each requires its own.
func bind(t testing.TB, text []byte) *schema.Package {
	t.Helper()
	var doc schema.PackageSpec
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatalf("reading the schema: %v", err)
	}
	pkg, diags, err := schema.BindSpec(doc, noLoader{}, schema.ValidationOptions{})
	if err != nil || len(diags) > 0 {
		t.Fatalf("binding the schema: %v\n%v", err, diags)
	}
	pkg.SupportPack = true
	return pkg
}

func write(t testing.TB, dir string, files map[string][]byte, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("generating an SDK: %v", err)
	}
	for name, text := range files {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), string(text))
	}
}
