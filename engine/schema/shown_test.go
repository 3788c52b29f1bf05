package schema_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/engine/schema"
	"github.com/declprov/declprov/spec/load"
)

const shownSpec = `package test
import ("strings", "list", "math")
name: "test"
version: "1.0.0"
http: baseURL: "http://127.0.0.1:1"
#Answer:  {inner: #Inner, pulumi?: string} // no SDK could have that name
#Inner:   {a: string}
#Setting: {b: string}
#Deep:    {c: [...{[string]: #Leaf}]}
#Leaf:    {d: string, again?: #Deep}
#Result:  {e: string}
config: setting?: #Setting
resources: Thing: {
	inputs: {
		name:  string & strings.MinRunes(2) & strings.MaxRunes(5) & =~"^a" @replace()
		// How many.
		count?: int & >=1 & <100 & math.MultipleOf(2) @noRead()
		deep?:  #Deep @noRead()
		tags?:  [...string] & list.MaxItems(3) @noRead()
		exact?: string & strings.MinRunes(4) & strings.MaxRunes(4) & !="none" & !~"z$" @noRead()
	}
	id: "${inputs.name}"
	create: http: {method: "PUT", path: "/things/${inputs.name}", json: "${inputs}", returns: #Answer}
	read: http: {path: "/things/${id}", returns: #Answer}
	return: name: "${id}"
	delete: http: {method: "DELETE", path: "/things/${id}"}
}
functions: look: {outputs: result: #Result, http: {path: "/look", returns: #Result}, return: result: "${body}"}
`

func described(t *testing.T) map[string]any {
	t.Helper()
	doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: []byte(shownSpec), Format: "cue"})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	text, findings := schema.Pulumi(doc.Provider)
	if findings.HasErrors() {
		t.Fatal(findings)
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// What only a response is checked against is in no SDK, and may have any names.
func TestTypesOfResponsesAreNotShown(t *testing.T) {
	var names []string
	for token := range described(t)["types"].(map[string]any) {
		names = append(names, strings.TrimPrefix(token, "test:index:"))
	}
	slices.Sort(names)
	if diff := cmp.Diff([]string{"Deep", "Leaf", "Result", "Setting"}, names); diff != "" {
		t.Errorf("the types of the schema (-want +got):\n%s", diff)
	}
}

func TestConstraintsAreDocumented(t *testing.T) {
	got := map[string]string{}
	thing := described(t)["resources"].(map[string]any)["test:index:Thing"].(map[string]any)
	for name, p := range thing["inputProperties"].(map[string]any) {
		if text, ok := p.(map[string]any)["description"].(string); ok {
			got[name] = text
		}
	}
	if diff := cmp.Diff(map[string]string{
		"name":  "Must be of 2 to 5 characters, and a match of `^a`.",
		"count": "How many.\n\nMust be at least 1, and less than 100, and a multiple of 2.",
		"tags":  "Must be of at most 3 items.",
		"exact": "Must be of exactly 4 characters, and no match of `z$`, and other than \"none\".",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
