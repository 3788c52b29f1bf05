package starter

import (
	"encoding/json"
	"slices"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
)

// TestDefinitions checks that the definitions are CUE, and find a misspelt key at each level.
func TestDefinitions(t *testing.T) {
	text, err := Actions().CUE()
	if err != nil {
		t.Fatal(err)
	}
	ctx := cuecontext.New()
	provider := ctx.CompileBytes(text).LookupPath(cue.ParsePath("#Provider"))
	if err := provider.Validate(); err != nil {
		t.Fatal(err)
	}
	for spec, good := range map[string]bool{
		`name: "notes", resources: A: create: file: write: {path: "a", content: "b"}`:              true,
		`name: "notes", resources: A: create: file: write: {path: "a", contents: "b"}`:             false,
		`name: "notes", resources: A: create: file: wirte: {path: "a", content: "b"}`:              false,
		`name: "notes", resources: A: create: flie: write: {path: "a", content: "b"}`:              false,
		`name: "notes", resources: A: craete: file: write: {path: "a", content: "b"}`:              false,
		`name: "notes", resource: A: create: file: write: {path: "a", content: "b"}`:               false,
		`name: "notes", http: baseURL: "https://a.example", resources: A: rest: "/a"`:              true,
		`name: "notes", http: {baseURL: "https://a.example", retry: attempts: "${1 + 1}"}`:         true,
		`name: "notes", http: baseUrl: "https://a.example"`:                                        false,
		`name: "notes", resources: A: create: exec: files: [{path: "a", content: "b", mode: "x"}]`: false,
	} {
		if err := provider.Unify(ctx.CompileString(spec)).Validate(); (err == nil) != good {
			t.Errorf("%s: %v", spec, err)
		}
	}
}

// TestJSONSchemaIsStable checks that the schema is the same each time: it is committed next to
// specs.
func TestJSONSchemaIsStable(t *testing.T) {
	first, err := Actions().JSONSchema()
	if err != nil {
		t.Fatal(err)
	}
	second, err := Actions().JSONSchema()
	if err != nil || !slices.Equal(first, second) {
		t.Errorf("the second schema differs, %v", err)
	}
	var schema struct{ Properties map[string]any }
	if err := json.Unmarshal(first, &schema); err != nil || schema.Properties["types"] == nil {
		t.Errorf("types, which only data has, is missing: %v", err)
	}
}
