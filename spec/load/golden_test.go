package load_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/loadtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// withoutNoise removes positions, which other tests check, and empty members.
func withoutNoise(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if kept := withoutNoise(value); kept == nil || slices.Contains([]string{"range", "Range", "AsRange", "PreviewRange", "r", "m"}, key) {
				delete(v, key)
			} else {
				v[key] = kept
			}
		}
		if len(v) == 0 {
			return nil
		}
	case []any:
		for i := range v {
			v[i] = withoutNoise(v[i])
		}
	case string:
		if v == "" {
			return nil
		}
	case bool:
		if !v {
			return nil
		}
	}
	return v
}

// modelJSON returns a model in the form of the golden files.
func modelJSON(t *testing.T, p *spec.Provider) string {
	t.Helper()
	text, err := json.Marshal(struct {
		*spec.Provider
		Resources []*spec.Resource // Provider's JSON is without them
	}{p, p.Resources})
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	if text, err = json.MarshalIndent(withoutNoise(tree), "", " "); err != nil {
		t.Fatal(err)
	}
	return string(text) + "\n"
}

// TestModels compares whole models with testdata.
func TestModels(t *testing.T) {
	specs, err := filepath.Glob("testdata/*.cue")
	if err != nil || len(specs) == 0 {
		t.Fatal("no testdata", err)
	}
	for _, path := range specs {
		t.Run(filepath.Base(path), func(t *testing.T) {
			got := modelJSON(t, loadtest.Model(t, load.Source{Path: path}))
			golden := path[:len(path)-len(".cue")] + ".golden.json"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("the model differs (-want +got); -update writes it anew:\n%s", diff)
			}
		})
	}
}

// TestSchemaFitsExamples unifies the spec module's #Provider with valid specs: an
// editor that uses it must not report anything in them.
func TestSchemaFitsExamples(t *testing.T) {
	ctx := cuecontext.New()
	schema := ctx.CompileBytes(block.SchemaCUE).LookupPath(cue.ParsePath("#Provider"))
	for _, path := range []string{"../../examples/files.cue", "testdata/whole.cue"} {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Unify(ctx.CompileBytes(content)).Validate(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if err := schema.Unify(ctx.CompileString(`resources: A: craete: {}`)).Validate(); err == nil {
		t.Error("the schema takes a misspelt key")
	}
}

// TestSpecsMayUseTheSchema checks that the schema changes nothing in a spec that refers to it.
func TestSpecsMayUseTheSchema(t *testing.T) {
	content, err := os.ReadFile("../../examples/files.cue")
	if err != nil {
		t.Fatal(err)
	}
	using := strings.Replace(string(content), "package files\n", "package files\n\nimport \"declprov.dev/spec\"\n\nspec.#Provider\n", 1)
	using = strings.ReplaceAll(using, "resources: File: {", "resources: File: spec.#Resource & {")
	model := func(text string) *spec.Provider {
		return loadtest.Model(t, load.Source{Path: "-", Format: "cue", Stdin: []byte(text)})
	}
	if diff := cmp.Diff(model(string(content)), model(using), loadtest.WithoutPlaces()); diff != "" {
		t.Errorf("without and with the schema (-without +with):\n%s", diff)
	}
}
