package load_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/names"
)

func yamlInputs(s string) string {
	return loadtest.HeadYAML + "resources:\n  A:\n    id: x\n    create: {file: {write: {path: x}}}\n    inputs:\n      " +
		strings.ReplaceAll(s, "\n", "\n      ") + "\n"
}

func yamlResource(s string) string {
	return loadtest.HeadYAML + "resources:\n  A:\n    " + strings.ReplaceAll(s, "\n", "\n    ") + "\n"
}

const yamlIDCreate = "id: x\ncreate: {file: {write: {path: x}}}\n"

func TestMistakesInYAML(t *testing.T) {
	cases := []struct{ name, code, src string }{
		{"empty document", source.CodeMissingKey, ""},
		{"list", source.CodeWrongShape, "«-» a"},
		{"syntax", source.CodeSyntaxError, "name: xy\nversion: «[»\n"},
		{"two documents", source.CodeSyntaxError, loadtest.HeadYAML + "«---»\na: 1\n"},
		{"duplicate key", source.CodeDuplicateKey, loadtest.HeadYAML + "«name»: y\n"},
		{"duplicate key in a flow", source.CodeDuplicateKey, loadtest.HeadYAML + "file: {root: a, «root»: b}\n"},
		{"duplicate key over a merged one", source.CodeDuplicateKey, "name: xy\nversion: 1.0.0\nfile: &f {root: a}\nhttp: {<<: *f, root: b, «root»: c}\n"},
		{"duplicate key by an alias", source.CodeDuplicateKey, "&n name: xy\nversion: 1.0.0\n«*»n : y\n"},
		{"a boolean that is none", source.CodeBadValue, yamlResource(yamlIDCreate + "update: {file: {write: {path: x, overwrite: !!bool «yes»}}}")},
		{"unknown alias", source.CodeYamlAnchor, "name: xy\nversion: «*v»\n"},
		{"octal", source.CodeOctalNumber, yamlResource(yamlIDCreate + "update: {file: {write: {path: x, mode: «0644»}}}")},
		{"octal as a type", source.CodeOctalNumber, yamlInputs("mode: «0644»")},
		{"version is a number", source.CodeBadVersion, "name: xy\nversion: «1.0»\n"},
		{"misspelt top key", source.CodeUnknownKey, loadtest.HeadYAML + "«resourcess»: {}\n"},
		{"misspelt resource key", source.CodeUnknownKey, yamlResource(yamlIDCreate + "«craete»: {}")},
		{"resource name", names.CodeName, loadtest.HeadYAML + "resources:\n  «pet»:\n    id: x\n    create: {file: {}}\n"},
		{"no id", source.CodeMissingKey, loadtest.HeadYAML + "resources:\n  «A»:\n    create: {file: {}}\n"},
		{"retry is a number", source.CodeWrongShape, yamlResource("id: x\ncreate:\n  retry: «3»\n  file: {}")},
		{"empty steps", source.CodeEmptySteps, yamlResource("id: x\ncreate: {steps: «[]»}")},
		{"text for a type", source.CodeUnknownReference, yamlInputs("a: «strng»")},
		{"broken type", source.CodeBadType, yamlInputs("a: string «|»")},
		{"broken type in quotes", source.CodeBadType, yamlInputs("a: 'int & «)» 1'")},
		{"empty type", source.CodeBadType, yamlInputs("a: «\"\"»")},
		{"contradiction inside a string", source.CodeConflict, yamlInputs("a: '«int» & \"x\"'")},
		{"contradiction behind an escape", source.CodeConflict, yamlInputs(`a: "«\"x\»" & int"`)},
		{"contradiction in a block", source.CodeConflict, yamlInputs("a: |\n  «string» &\n  int")},
		{"regular expression", source.CodeBadRegexp, yamlInputs(`a: '«=~"("»'`)},
		{"unknown attribute", source.CodeUnknownAttribute, yamlInputs("a: string «@secert()»")},
		{"misplaced attribute", source.CodeMisplacedAttribute, yamlInputs("a: 'string «@env(X)»'")},
		{"attribute's argument", source.CodeBadAttribute, yamlInputs("a: int «@autoname()»")},
		{"tuple", source.CodeTupleType, yamlInputs("a: «[int, string]»")},
		{"name of a type", names.CodeName, loadtest.HeadYAML + "types:\n  «my-type»: string\n"},
		{"types is a list", source.CodeWrongShape, loadtest.HeadYAML + "types: «[a]»\n"},
		{"mistake in a named type", source.CodeTupleType, loadtest.HeadYAML + "types:\n  T: {a: '«[int]»'}\nconfig: {t: '#T'}\n"},
		{"columns count letters", source.CodeUnknownKey, loadtest.HeadYAML + "permissions: {\"read\": [\"äöü€\"], «wirte»: []}\n"},
		{"cross-field bound", source.CodeCrossField, yamlInputs("min: int\nmax: 'int & >=«min»'")},
		{"open text", source.CodeOpenObject, loadtest.HeadYAML + "config: '«{a: int, ...}»'\n"},
		{"value that begins like an alias", source.CodeSyntaxError, yamlInputs("m: «*\"x\" | string» # a default")},
		{"map without quotes", source.CodeSyntaxError, yamlInputs("m: «[string]: string @replace()» # a map")},
		{"optional key in braces", source.CodeSyntaxError, loadtest.HeadYAML + "config: { «size?»: int }\n"},
		{"template in braces", source.CodeSyntaxError, loadtest.HeadYAML + "file: { root: «${config.root}» }\n"},
		{"template in brackets", source.CodeSyntaxError, loadtest.HeadYAML + "permissions: { write: [\"a\", «${config.root}» ] }\n"},
		{"tab", source.CodeSyntaxError, loadtest.HeadYAML + "file:\n«\t»root: x\n"},
		{"tab in a later line", source.CodeSyntaxError, loadtest.HeadYAML + "file:\n  root: x\n«\t\t»other: x\n"},
		{"expression in a list", source.CodeSyntaxError, loadtest.HeadYAML + "permissions: {run: [git, «a-${config.b}»]}\n"},
		{"item in an expression", source.CodeSyntaxError, loadtest.HeadYAML + "description: «${join(map(a, # + 1), '}')}-x» # a comment\n"},
		{"attribute first", source.CodeSyntaxError, yamlInputs("m: «@secret() string»")},
		{"default of a pattern", source.CodeDefaultViolates, yamlInputs(`m: '*«"x"» | =~"^0"'`)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "empty document" {
				_, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "yaml"})
				want := []loadtest.Finding{{Code: source.CodeMissingKey, At: "1:1-1:2"}, {Code: source.CodeMissingKey, At: "1:1-1:2"}}
				if diff := cmp.Diff(want, loadtest.Findings(diags)); diff != "" {
					t.Error(diff)
				}
				return
			}
			loadtest.Mistake(t, "yaml", c.src, c.code)
		})
	}
}

func TestMistakesInJSON(t *testing.T) {
	head := `{"name":"xy", "version": "1.0.0", `
	cases := []struct{ name, code, src string }{
		{"syntax", source.CodeSyntaxError, `{"name": «x»}`},
		{"trailing comma", source.CodeSyntaxError, `{"name":"xy",«}»`},
		{"duplicate key", source.CodeDuplicateKey, head + `"«name»": "y"}`},
		{"misspelt key", source.CodeUnknownKey, head + `"«resourcess»": {}}`},
		{"type", source.CodeUnknownReference, head + `"config": {"a": "«strng»"}}`},
		{"type behind an escape", source.CodeConflict, head + `"config": {"a": "«\"\u00e4\»" & int"}}`},
		{"a list", source.CodeWrongShape, `«[1]»`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { loadtest.Mistake(t, "json", c.src, c.code) })
	}
}

func TestYAMLForms(t *testing.T) {
	src := `# yaml-language-server: $schema=spec.schema.json
# About it.
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
	p := loadtest.Model(t, load.Source{Path: "-", Stdin: []byte(src), Format: "yaml"})
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
	if diff := cmp.Diff(want, p.Config.Fields, loadtest.WithoutPlaces()); diff != "" {
		t.Errorf("config (-want +got):\n%s", diff)
	}
	rule := spec.Types{"Rule": {Name: "Rule", Doc: "A rule.", Type: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{
		{Name: "port", Type: &spec.Type{Kind: spec.String, MinLen: 1}, Required: true},
		{Name: "next", Type: &spec.Type{Ref: "Rule"}},
	}}}}
	if diff := cmp.Diff(rule, p.Types, loadtest.WithoutPlaces()); diff != "" {
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
		doc, diags := load.Load(t.Context(), load.Source{Path: "-", Stdin: []byte(text), Format: format})
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
