package load

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
)

const yamlHead = "name: xy\nversion: 1.0.0\n"

func yamlInputs(s string) string {
	return yamlHead + "resources:\n  A:\n    id: x\n    create: {file: {write: {path: x}}}\n    inputs:\n      " +
		strings.ReplaceAll(s, "\n", "\n      ") + "\n"
}

func yamlResource(s string) string {
	return yamlHead + "resources:\n  A:\n    " + strings.ReplaceAll(s, "\n", "\n    ") + "\n"
}

const yamlIDCreate = "id: x\ncreate: {file: {write: {path: x}}}\n"

func TestMistakesInYAML(t *testing.T) {
	cases := []struct{ name, code, src string }{
		{"empty document", missingKey, ""},
		{"list", wrongShape, "«-» a"},
		{"syntax", syntaxError, "name: xy\nversion: «[»\n"},
		{"two documents", syntaxError, yamlHead + "«---»\na: 1\n"},
		{"duplicate key", duplicateKey, yamlHead + "«name»: y\n"},
		{"duplicate key in a flow", duplicateKey, yamlHead + "file: {root: a, «root»: b}\n"},
		{"unknown alias", yamlAnchor, "name: xy\nversion: «*v»\n"},
		{"octal", octalNumber, yamlResource(yamlIDCreate + "update: {file: {write: {path: x, mode: «0644»}}}")},
		{"octal as a type", octalNumber, yamlInputs("mode: «0644»")},
		{"version is a number", badVersion, "name: xy\nversion: «1.0»\n"},
		{"misspelt top key", unknownKey, yamlHead + "«resourcess»: {}\n"},
		{"misspelt resource key", unknownKey, yamlResource(yamlIDCreate + "«craete»: {}")},
		{"resource name", badName, yamlHead + "resources:\n  «pet»:\n    id: x\n    create: {file: {}}\n"},
		{"no id", missingKey, yamlHead + "resources:\n  «A»:\n    create: {file: {}}\n"},
		{"retry is a number", wrongShape, yamlResource("id: x\ncreate:\n  retry: «3»\n  file: {}")},
		{"empty steps", emptySteps, yamlResource("id: x\ncreate: {steps: «[]»}")},
		{"text for a type", unknownReference, yamlInputs("a: «strng»")},
		{"broken type", badType, yamlInputs("a: string «|»")},
		{"broken type in quotes", badType, yamlInputs("a: 'int & «)» 1'")},
		{"empty type", badType, yamlInputs("a: «\"\"»")},
		{"contradiction inside a string", conflict, yamlInputs("a: '«int» & \"x\"'")},
		{"contradiction behind an escape", conflict, yamlInputs(`a: "«\"x\»" & int"`)},
		{"contradiction in a block", conflict, yamlInputs("a: |\n  «string» &\n  int")},
		{"regular expression", badRegexp, yamlInputs(`a: '«=~"("»'`)},
		{"unknown attribute", unknownAttribute, yamlInputs("a: string «@secert()»")},
		{"misplaced attribute", misplacedAttribute, yamlInputs("a: 'string «@env(X)»'")},
		{"attribute's argument", badAttribute, yamlInputs("a: int «@autoname()»")},
		{"tuple", tupleType, yamlInputs("a: «[int, string]»")},
		{"name of a type", badName, yamlHead + "types:\n  «my-type»: string\n"},
		{"types is a list", wrongShape, yamlHead + "types: «[a]»\n"},
		{"mistake in a named type", tupleType, yamlHead + "types:\n  T: {a: '«[int]»'}\nconfig: {t: '#T'}\n"},
		{"columns count letters", unknownKey, yamlHead + "permissions: {\"read\": [\"äöü€\"], «wirte»: []}\n"},
		{"cross-field bound", crossField, yamlInputs("min: int\nmax: 'int & >=«min»'")},
		{"open text", openObject, yamlHead + "config: '«{a: int, ...}»'\n"},
		{"value that begins like an alias", syntaxError, yamlInputs("m: «*\"x\" | string» # a default")},
		{"map without quotes", syntaxError, yamlInputs("m: «[string]: string @replace()» # a map")},
		{"optional key in braces", syntaxError, yamlHead + "config: { «size?»: int }\n"},
		{"template in braces", syntaxError, yamlHead + "file: { root: «${config.root}» }\n"},
		{"template in brackets", syntaxError, yamlHead + "permissions: { write: [\"a\", «${config.root}» ] }\n"},
		{"tab", syntaxError, yamlHead + "file:\n«\t»root: x\n"},
		{"attribute first", syntaxError, yamlInputs("m: «@secret() string»")},
		{"default of a pattern", defaultViolates, yamlInputs(`m: '*«"x"» | =~"^0"'`)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "empty document" {
				_, diags := Load(t.Context(), Source{Path: "-", Format: "yaml"})
				want := []finding{{missingKey, "1:1-1:2"}, {missingKey, "1:1-1:2"}}
				if diff := cmp.Diff(want, findings(diags)); diff != "" {
					t.Error(diff)
				}
				return
			}
			checkMistake(t, "yaml", c.src, c.code)
		})
	}
}

func TestMistakesInJSON(t *testing.T) {
	head := `{"name":"xy", "version": "1.0.0", `
	cases := []struct{ name, code, src string }{
		{"syntax", syntaxError, `{"name": «x»}`},
		{"trailing comma", syntaxError, `{"name":"xy",«}»`},
		{"duplicate key", duplicateKey, head + `"«name»": "y"}`},
		{"misspelt key", unknownKey, head + `"«resourcess»": {}}`},
		{"type", unknownReference, head + `"config": {"a": "«strng»"}}`},
		{"type behind an escape", conflict, head + `"config": {"a": "«\"\u00e4\»" & int"}}`},
		{"a list", wrongShape, `«[1]»`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { checkMistake(t, "json", c.src, c.code) })
	}
}

func TestYAMLForms(t *testing.T) {
	src := `# About it.
name: xy
version: 1.0.0
types:
  # A rule.
  Rule:
    port: 'strings.MinRunes(1)'
    "next?": '#Rule'
config:
  "opt?": string
  "req!": int
  list: [...string]
  "map?": {"[string]": int}
  "tags?": "[string]: string @doc(\"hi\")"
  file: '#Asset'
  rules: ['...#Rule']
  yes: bool
permissions: &p
  read: [a]
tests: {one: *p, two: {<<: *p, write: [b]}}
`
	p := mustLoad(t, Source{Path: "-", Stdin: []byte(src), Format: "yaml"})
	text := &spec.Type{Kind: spec.String}
	want := []*spec.Property{
		{Name: "opt", Type: text},
		{Name: "req", Type: &spec.Type{Kind: spec.Int}, Required: true},
		{Name: "list", Type: &spec.Type{Kind: spec.List, Elem: text}, Required: true},
		{Name: "map", Type: &spec.Type{Kind: spec.Map, Elem: &spec.Type{Kind: spec.Int}}},
		{Name: "tags", Doc: "hi", Type: &spec.Type{Kind: spec.Map, Elem: text}},
		{Name: "file", Type: &spec.Type{Kind: spec.Asset}, Required: true},
		{Name: "rules", Type: &spec.Type{Kind: spec.List, Elem: &spec.Type{Ref: "Rule"}}, Required: true},
		{Name: "yes", Type: &spec.Type{Kind: spec.Bool}, Required: true},
	}
	if diff := cmp.Diff(want, p.Config.Fields, withoutPlaces()); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
	rule := spec.Types{"Rule": {Name: "Rule", Doc: "A rule.", Type: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{
		{Name: "port", Type: &spec.Type{Kind: spec.String, MinLen: 1}, Required: true},
		{Name: "next", Type: &spec.Type{Ref: "Rule"}},
	}}}}
	if diff := cmp.Diff(rule, p.Types, withoutPlaces()); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
	if p.Description != "About it." {
		t.Errorf("description %q", p.Description)
	}
	two := map[string]any{"read": []any{"a"}, "write": []any{"b"}}
	if diff := cmp.Diff(two, p.Tests[1].Value.Plain()); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
}

// A type that only the answer of a step has is one like any other.
func TestTypesOfAnswers(t *testing.T) {
	for _, format := range []string{"cue", "yaml"} {
		text := `name: xy
version: 1.0.0
types:
  Pet: {id: int, toys: '[...#Toy]'}
  Toy: {size: int}
  Pets: '[...#Pet]'
  Other: {a: string}
resources:
  A:
    inputs: {name: string}
    id: ${body.id}
    create: {steps: [{http: {path: /a, returns: '#Pet'}}]}
    read: {http: {path: /a, returns: '#Pets', json: {text: '#Toy', returns: '#Nothing'}}}
`
		if format == "cue" {
			text = `name:"xy", version: "1.0.0"
#Pet: {id: int, toys: [...#Toy]}
#Toy: size: int
#Pets: [...#Pet]
#Other: a: string
resources: A: {
	inputs: name: string
	id: "${body.id}"
	create: steps: [{http: {path: "/a", returns: #Pet}}]
	read: http: {path: "/a", returns: #Pets, json: {text: "#Toy", returns: "#Nothing"}}
}
`
		}
		doc, diags := Load(t.Context(), Source{Path: "-", Stdin: []byte(text), Format: format})
		if len(diags) > 0 {
			t.Fatalf("%s: %v", format, diags)
		}
		r := doc.Provider.Resource("A")
		one, list := r.Create.Steps[0].Actions[0].Value.Get("returns").Type, r.Read.Steps[0].Actions[0].Value.Get("returns").Type
		if one == nil || one.Ref != "Pet" || list == nil || list.Kind != spec.List || list.Elem.Ref != "Pet" {
			t.Errorf("%s: %+v, %+v", format, one, list)
		}
		if doc.Provider.Types["Toy"] == nil || doc.Provider.Types["Other"] != nil {
			t.Errorf("%s: the types are %v", format, doc.Provider.Types)
		}
		if got := r.Read.Steps[0].Actions[0].Value.Get("json").Get("text"); got.Type != nil || got.Text != "#Toy" {
			t.Errorf("%s: text is a type: %+v", format, got)
		}
	}
}
