package engine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/archive"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/asset"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/exec"
	"github.com/declprov/declprov/actions/file"
	"github.com/declprov/declprov/engine"
)

// Each documented example of an action on this machine, as the create of a
// resource.
func TestExamples(t *testing.T) {
	for _, kind := range slices.Concat(file.Family().Kinds(), exec.Family().Kinds()) {
		for _, x := range kind.Examples {
			t.Run(kind.Name+"/"+x.Summary, func(t *testing.T) { runExample(t, x) })
		}
	}
}

func runExample(t *testing.T, x actions.Example) {
	head, inputs := "", ""
	for name, path := range x.Inputs {
		head = `import "declprov.dev/spec"`
		inputs += name + map[bool]string{true: ": spec.#Archive\n", false: ": spec.#Asset\n"}[strings.HasSuffix(path, "/")]
	}
	e, dir := newWorld().engine(t, `package test
`+head+`
name: "test"
version: "1.0.0"
file: root: "."
resources: Example: {
	inputs: {`+inputs+`}
	id: "it"
	create: `+strings.TrimSpace(x.Spec)+`
	delete: world: do: what: "remove"
}`)
	for name, text := range x.Files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	handed := map[string]property.Value{}
	for name, path := range x.Inputs {
		if strings.HasSuffix(path, "/") {
			handed[name] = property.New(&archive.Archive{Path: filepath.Join(dir, path)})
		} else {
			handed[name] = property.New(&asset.Asset{Path: filepath.Join(dir, path)})
		}
	}
	out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Example"), Inputs: property.NewMap(handed)})
	if out.Err != nil {
		t.Error(out.Err)
	}
}
