package block_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cuelang.org/go/cue/format"
	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions/builtin"
	"github.com/declprov/declprov/spec/load/block"
)

var update = flag.Bool("update", false, "write the generated files anew")

func TestGenerated(t *testing.T) {
	var families []block.Family
	for _, f := range builtin.Families() {
		families = append(families, block.Family{Name: f.Name, Doc: f.Summary})
	}
	schema, err := format.Source([]byte(block.Schema{Families: families}.CUE()))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"schema.cue": string(schema), "../../../docs/keys.md": reference()} {
		path = filepath.FromSlash(path)
		if *update {
			if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), want); diff != "" {
			t.Errorf("%s is stale; run: make generate\n%s", path, diff)
		}
	}
}

// TestKeysAreComplete checks that the declarations of keys are complete.
func TestKeysAreComplete(t *testing.T) {
	for _, entry := range titles {
		seen := map[string]bool{}
		for _, k := range entry.block.Keys {
			name := entry.title + ": " + k.Name
			switch {
			case seen[k.Name]:
				t.Errorf("%s is declared twice", name)
			case k.Doc == "" || !strings.HasSuffix(k.Doc, "."):
				t.Errorf("%s: the doc %q is not a sentence", name, k.Doc)
			case (k.Kind == block.Struct || k.Kind == block.List || k.Kind == block.Members || k.Kind == block.Short) != (k.Of != nil):
				t.Errorf("%s: only a struct, its short form, a list and members are of a block", name)
			case k.Kind == block.Members && k.Members == nil:
				t.Errorf("%s has no rule for the names of its members", name)
			case (k.Kind == block.Count) != (k.Whole != nil):
				t.Errorf("%s: only a count has bounds", name)
			case k.Kind == block.Special && k.CUE == "" && !k.InData:
				t.Errorf("%s is special, but has no CUE type", name)
			}
			seen[k.Name] = true
		}
	}
}

func TestHoldsTypes(t *testing.T) {
	for path, want := range map[string]bool{
		"config": true, "inputs": false, "resources.A.inputs": true, "resources.A.outputs": true, "functions.a.inputs": true,
		"components.A.outputs": true, "ephemerals.A.inputs": true, "actions.A.inputs": true, "resources.A.list.inputs": true,
		"resources.A.list.outputs": false, "resources.A.methods.a.inputs": true, "resources.A.inputs.b": false, "tests.a.inputs": false,
		"components.A.children.c.inputs": false, "resources.A.create.inputs": false, "resources.A": false,
	} {
		if got := block.HoldsTypes(strings.Split(path, ".")); got != want {
			t.Errorf("%s: %t, want %t", path, got, want)
		}
	}
}
