package load

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/source"
)

// folder writes files to a temporary folder, and makes it the current one, so
// that what diagnostics call them is short.
func folder(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func paths(doc *Document) []string {
	var list []string
	for _, f := range doc.Files {
		list = append(list, f.Path)
	}
	return list
}

func TestPackageOverSeveralFiles(t *testing.T) {
	folder(t, map[string]string{
		"cue.mod/module.cue": "module: \"acme.test/x@v0\"\nlanguage: version: \"v0.17.0\"\n",
		"p/a.cue": "@extern(embed)\n\n// About it.\npackage p\n\nimport (\n\t\"acme.test/x/lib\"\n\t\"declprov.dev/spec\"\n)\n\nname: \"xy\"\n" +
			"version: *\"1.0.0\" | string @tag(version)\ndata: _ @embed(file=data/d.json)\n_d: data\ndisplayName: \"\\(_d.text)\"\n" +
			"config: {addr?: lib.#Addr, file?: spec.#Asset}\nresources: B: _template\nresources: B: update: lib.#Step\n",
		"p/b.cue":       "package p\n\n_template: {inputs: {name: string}, id: \"${inputs.name}\", create: file: write: path: \"${inputs.name}\"}\nfor n in [\"D\", \"C\"] {resources: (n): _template}\nresources: A: _template\n",
		"p/data/d.json": `{"text": "From a file"}`,
		"p/notes.txt":   strings.Repeat("not read", source.MaxFile),
		"lib/lib.cue":   "package lib\n\n#Addr: {street: string}\n#Step: {http: path: \"/lib\"}\n",
	})
	doc, diags := Load(t.Context(), Source{Path: "p", Tags: []string{"version=2.0.0"}})
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
	if diff := cmp.Diff(spec.Types{"Addr": {Name: "Addr", Type: &spec.Type{Kind: spec.Object, Fields: []*spec.Property{{Name: "street", Type: &spec.Type{Kind: spec.String}, Required: true}}}}}, p.Types, withoutPlaces()); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}

// A file that is to be embedded and is not there is one mistake, at the
// attribute, and what it would have given is no other.
func TestMissingEmbed(t *testing.T) {
	folder(t, map[string]string{
		"cue.mod/module.cue": "module: \"a.test/b\"\nlanguage: version: \"v0.17.0\"\n",
		"p/a.cue":            "@extern(embed)\n\npackage p\n\n" + cueHead + "description: _d.text\n_d: _ @embed(file=\"gone.json\")\nkeywords: _ @embed(file=\"gone.json\")\n",
		"alone.cue":          "@extern(embed)\n\npackage q\n\n" + cueHead + "description: _ @embed(file=\"gone.txt\", type=text)\n",
	})
	for path, want := range map[string][]finding{
		"p":         {{source.CodeCueEvaluation, "7:7-7:31"}, {source.CodeCueEvaluation, "8:13-8:37"}},
		"alone.cue": {{source.CodeCueEvaluation, "6:16-6:50"}},
	} {
		_, diags := Load(t.Context(), Source{Path: path})
		if diff := cmp.Diff(want, findings(diags)); diff != "" {
			t.Errorf("%s (-want +got):\n%s%v", path, diff, diags)
		}
	}
}

func TestFileAlone(t *testing.T) {
	folder(t, map[string]string{"a.cue": "package p\n" + cueHead, "b.cue": "package p\nnonsense: {{{\n", "c.yaml": yamlHead})
	mustLoad(t, Source{Path: "a.cue"})
	mustLoad(t, Source{Path: "c.yaml"})
	mustLoad(t, Source{Path: "./a.cue"})
	_, diags := Load(t.Context(), Source{Path: "."})
	if len(diags) == 0 || diags[0].Code != source.CodeSyntaxError || diags[0].Subject.File != "b.cue" {
		t.Errorf("the package: %v", diags)
	}
}

func TestUnreadable(t *testing.T) {
	folder(t, map[string]string{
		"empty/x.txt": "", "nameless/a.cue": cueHead, "nul.cue": "a: \"\x00\"", "latin.cue": "a: \"\xe4\"", "bom.cue": "\ufeff" + cueHead, "a.toml": "", "big.cue": "// " + strings.Repeat("x", source.MaxFile),
		"bom.yaml": "\ufeff" + yamlHead, "embed.cue": "@extern(embed)\n\npackage x\n" + cueHead + "description: _ @embed(file=\"link.txt\", type=text)\n",
		"loop/cue.mod/module.cue": "module: \"a.test/b\"\nlanguage: version: \"v0.17.0\"\n", "loop/a.cue": "package b\nimport \"a.test/b/c\"\n" + cueHead + "_x: c.x", "loop/c/c.cue": "package c\nimport \"a.test/b/d\"\nx: d.x", "loop/d/d.cue": "package d\nimport \"a.test/b/c\"\nx: c.x",
	})
	outside := filepath.Join(t.TempDir(), "secret.txt")
	for _, err := range []error{os.WriteFile(outside, []byte("secret"), 0o600), os.Symlink(outside, "link.txt"), os.Symlink("bom.cue", "link.cue"), os.Symlink("gone", "dangling.cue")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cases := []struct {
		path  string
		codes []string
	}{
		{"nowhere.cue", []string{source.CodeUnreadableFile}},
		{"empty", []string{source.CodeUnreadableFile}},
		{"dangling.cue", []string{source.CodeUnreadableFile}},
		{"/dev/null", []string{source.CodeUnreadableFile}},
		{"a.toml", []string{source.CodeUnknownFormat}},
		{"nul.cue", []string{source.CodeNotText}},
		{"latin.cue", []string{source.CodeNotText}},
		{"big.cue", []string{source.CodeFileTooLarge}},
		{"bom.cue", nil},
		{"bom.yaml", nil},
		{"link.cue", nil},
		{"embed.cue", []string{source.CodeCueEvaluation}},
		{"loop", []string{source.CodeImportFailed}},
		{"nameless", []string{source.CodeImportFailed}},
	}
	for _, c := range cases {
		t.Run(c.path, func(t *testing.T) {
			doc, diags := Load(t.Context(), Source{Path: c.path})
			var codes []string
			for _, d := range diags {
				codes = append(codes, d.Code)
				if strings.Contains(d.Summary, "secret") && c.path == "embed.cue" && !strings.Contains(d.Summary, "link.txt") {
					t.Error(d.Summary)
				}
			}
			if diff := cmp.Diff(c.codes, codes); diff != "" {
				t.Errorf("(-want +got):\n%s%v", diff, diags)
			}
			if doc == nil || doc.Provider == nil {
				t.Error("no document")
			}
		})
	}
}

// TestTooDeep gives what would exhaust a recursive parser.
func TestTooDeep(t *testing.T) {
	many := 200_000
	cases := []struct{ name, format, src string }{
		{"brackets", "cue", "a: " + strings.Repeat("[", many)},
		{"braces", "cue", strings.Repeat("a: {", many)},
		{"labels", "cue", strings.Repeat("a: ", many) + "1"},
		{"unary", "cue", "a: " + strings.Repeat("-", many) + "1"},
		{"parentheses", "cue", "a: " + strings.Repeat("(", many)},
		{"sum", "cue", "a: 1" + strings.Repeat("+1", many)},
		{"interpolation", "cue", "a: " + strings.Repeat(`"\(`, many)},
		{"brackets", "yaml", "a: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000)},
		{"dashes", "yaml", strings.Repeat("- ", 5000)},
		{"in a type", "yaml", yamlHead + "config: {a: '" + strings.Repeat("(", 9000) + "'}"},
		{"brackets", "json", `{"a": ` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}"},
		{"aliases", "yaml", yamlHead + "a: &a [1,2,3,4,5,6,7,8,9]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]\n"},
	}
	for _, c := range cases {
		t.Run(c.format+" "+c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, diags := Load(ctx, Source{Path: "-", Stdin: []byte(c.src), Format: c.format})
			if !diags.HasErrors() || len(diags) > 20 {
				t.Errorf("%d diagnostics: %.200v", len(diags), diags)
			}
			if ctx.Err() != nil {
				t.Error("it took too long")
			}
		})
	}
}

// TestDeterminism loads the same spec again and again.
func TestDeterminism(t *testing.T) {
	src := Source{Path: "-", Format: "cue", Stdin: []byte(importsOf("strings.") + inInputs("a: #B, b: {c: 1 | \"x\"}, d: strings.MinRunes(1), \"e-f\": int, id: int") + "#B: {x: #C, y: #D}\n#C: {a: int}\n#D: \"p\" | \"q\"\nfunctions: {B: {}, a: {return: \"x\"}}\n")}
	first, firstDiags := Load(t.Context(), src)
	for range 10 {
		doc, diags := Load(t.Context(), src)
		if diff := cmp.Diff(first.Provider, doc.Provider); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(firstDiags, diags); diff != "" {
			t.Fatal(diff)
		}
	}
}

// CUE loads the packages that a spec imports side by side.
func TestManyPackages(t *testing.T) {
	files := map[string]string{"cue.mod/module.cue": "module: \"acme.test/x@v0\"\nlanguage: version: \"v0.17.0\"\n"}
	imports, fields := "", ""
	for i := range 30 {
		files[fmt.Sprintf("lib%d/lib.cue", i)] = fmt.Sprintf("package lib%d\n\n#T: string\n", i)
		imports += fmt.Sprintf("\t\"acme.test/x/lib%d\"\n", i)
		fields += fmt.Sprintf("\tc%d?: lib%d.#T\n", i, i)
	}
	files["p/a.cue"] = "package p\n\nimport (\n" + imports + ")\n\nname: \"xy\"\nversion: \"1.0.0\"\nconfig: {\n" + fields + "}\n"
	folder(t, files)
	for range 10 {
		doc, diags := Load(t.Context(), Source{Path: "p"})
		if len(diags) > 0 || len(doc.Provider.Config.Fields) != 30 {
			t.Fatal(diags)
		}
	}
}
