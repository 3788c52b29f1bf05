package schema_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/engine/schema"
	"github.com/declprov/declprov/engine/schema/schematest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a schema, indented, with the file of that name.
func golden(t *testing.T, name string, text []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s differs (-want +got); -update writes it anew:\n%s", path, diff)
	}
}

func TestEverything(t *testing.T) {
	text, findings := schema.Pulumi(schematest.Everything())
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	golden(t, "everything.json", text)
}

func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := schematest.Any(t)
		before, findings := schema.Pulumi(p)
		slices.Reverse(p.Resources)
		for _, r := range p.Resources {
			slices.Reverse(r.Inputs.Fields)
			slices.Reverse(r.Outputs.Fields)
		}
		slices.Reverse(p.Config.Fields)
		after, again := schema.Pulumi(p)
		if diff := cmp.Diff(string(before), string(after)); diff != "" {
			t.Errorf("in another order the schema differs (-before +after):\n%s", diff)
		}
		if len(findings) != len(again) {
			t.Errorf("in another order there are %d findings, before %d", len(again), len(findings))
		}
	})
}

func TestSpecIsLeftAsItWas(t *testing.T) {
	p := schematest.Everything()
	schema.Pulumi(p)
	if diff := cmp.Diff(schematest.Everything(), p); diff != "" {
		t.Errorf("the spec was changed (-before +after):\n%s", diff)
	}
}

func TestParameterized(t *testing.T) {
	text, _ := schema.Pulumi(schematest.Everything())
	with, err := schema.Parameterized(text, "declprov", "0.1.0", []byte("spec"))
	if err != nil {
		t.Fatal(err)
	}
	var got, want map[string]any
	if err := errors.Join(json.Unmarshal(with, &got), json.Unmarshal(text, &want)); err != nil {
		t.Fatal(err)
	}
	want["parameterization"] = map[string]any{
		"baseProvider": map[string]any{"name": "declprov", "version": "0.1.0"}, "parameter": "c3BlYw==",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("parameterized (-want +got):\n%s", diff)
	}
	for _, text := range []string{"", "{}", "[1]"} {
		if out, err := schema.Parameterized([]byte(text), "declprov", "0.1.0", nil); err == nil {
			t.Errorf("%q gave %s", text, out)
		}
	}
}
