package load_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/names"
)

func TestTwinsAreIdentical(t *testing.T) {
	inCUE := loadtest.Model(t, load.Source{Path: "../../examples/files.cue"})
	inYAML := loadtest.Model(t, load.Source{Path: "../../examples/files.yaml"})
	if diff := cmp.Diff(inCUE, inYAML, loadtest.WithoutPlaces()); diff != "" {
		t.Errorf("files.cue and files.yaml differ (-cue +yaml):\n%s", diff)
	}
}

func paths(doc *load.Document) []string {
	var list []string
	for _, f := range doc.Files {
		list = append(list, f.Path)
	}
	return list
}

func TestPackageOverSeveralFiles(t *testing.T) {
	loadtest.Folder(t, map[string]string{
		"cue.mod/module.cue": "module: \"acme.test/x@v0\"\nlanguage: version: \"v0.17.0\"\n",
		"p/a.cue": "@extern(embed)\n\n// About it.\npackage p\n\nimport (\n\t\"acme.test/x/lib\"\n\t\"declprov.dev/spec\"\n)\n\nname: \"xy\"\n" +
			"version: *\"1.0.0\" | string @tag(version)\ndata: _ @embed(file=data/d.json)\n_d: data\ndisplayName: \"\\(_d.text)\"\n" +
			"config: {addr?: lib.#Addr, file?: spec.#Asset}\nresources: B: _template\nresources: B: update: lib.#Step\n",
		"p/b.cue":       "package p\n\n_template: {inputs: {name: string}, id: \"${inputs.name}\", create: file: write: path: \"${inputs.name}\"}\nfor n in [\"D\", \"C\"] {resources: (n): _template}\nresources: A: _template\n",
		"p/data/d.json": `{"text": "From a file"}`,
		"p/notes.txt":   strings.Repeat("not read", source.MaxFile),
		"lib/lib.cue":   "package lib\n\n#Addr: {street: string}\n#Step: {http: path: \"/lib\"}\n",
	})
	doc, diags := load.Load(t.Context(), load.Source{Path: "p", Tags: []string{"version=2.0.0"}})
	// The embedded data is a top-level field of its own, which is a block of
	// a family that does not exist: the compiler's to say.
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	p := doc.Provider
	if p.Version != "2.0.0" || p.DisplayName != "From a file" || p.Description != "About it." {
		t.Errorf("%q %q %q", p.Version, p.DisplayName, p.Description)
	}
	var names []string
	for _, r := range p.Resources {
		names = append(names, r.Name)
	}
	if diff := cmp.Diff([]string{"B", "D", "C", "A"}, names); diff != "" {
		t.Errorf("order of the document (-want +got):\n%s", diff)
	}
	if got := p.Resource("B").Update.Steps[0].Actions[0].Value.Get("path"); got.Range.File != filepath.Join("lib", "lib.cue") || len(got.Marks) == 0 {
		t.Errorf("the imported step is at %v", got.Range)
	}
	files := []string{filepath.Join("cue.mod", "module.cue"), filepath.Join("lib", "lib.cue"), filepath.Join("p", "a.cue"), filepath.Join("p", "b.cue"), filepath.Join("p", "data", "d.json")}
	if diff := cmp.Diff(files, paths(doc)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if !strings.Contains(strings.Join(doc.Dirs, " "), "p") {
		t.Errorf("dirs %v", doc.Dirs)
	}
	if diff := cmp.Diff(spec.Types{"Addr": {Name: "Addr", Type: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{{Name: "street", Type: &spec.Type{Kind: spec.String}, Required: true}}}}}, p.Types, loadtest.WithoutPlaces()); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}

// TestOfficialNames checks that the name of an official provider is a warning, unless the spec says
// where its plugin is downloaded from.
func TestOfficialNames(t *testing.T) {
	for _, test := range []struct {
		name, url string
		warns     bool
	}{
		{"petstore", "", false},
		{"random", "", true},
		{"vercel", "", true},
		{"random", "https://plugins.example.com", false},
	} {
		text := "name: \"" + test.name + "\"\nversion: \"1.0.0\"\n"
		if test.url != "" {
			text += "pluginDownloadURL: \"" + test.url + "\"\n"
		}
		_, diags := load.Load(t.Context(), load.Source{Path: "-", Format: "cue", Stdin: []byte(text)})
		warns := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == names.CodeOfficial })
		if warns != test.warns {
			t.Errorf("%s %s: %v, expected a warning: %v", test.name, test.url, diags, test.warns)
		}
	}
}

// TestDeterminism loads the same spec several times.
func TestDeterminism(t *testing.T) {
	src := load.Source{Path: "-", Format: "cue", Stdin: []byte(loadtest.Imports("strings.") + loadtest.InInputs("a: #B, b: {c: 1 | \"x\"}, d: strings.MinRunes(1), \"e-f\": int, id: int") + "#B: {x: #C, y: #D}\n#C: {a: int}\n#D: \"p\" | \"q\"\nfunctions: {B: {}, a: {return: \"x\"}}\n")}
	first, firstDiags := load.Load(t.Context(), src)
	for range 10 {
		doc, diags := load.Load(t.Context(), src)
		if diff := cmp.Diff(first.Provider, doc.Provider); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(firstDiags, diags); diff != "" {
			t.Fatal(diff)
		}
	}
}
