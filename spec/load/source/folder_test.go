package source_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/spec/load"
	"github.com/declprov/declprov/spec/load/loadtest"
	"github.com/declprov/declprov/spec/load/source"
)

// A file that is to be embedded and is not there is one mistake, at the
// attribute, and what it would have given is no other.
func TestMissingEmbed(t *testing.T) {
	loadtest.Folder(t, map[string]string{
		"cue.mod/module.cue": "module: \"a.test/b\"\nlanguage: version: \"v0.17.0\"\n",
		"p/a.cue":            "@extern(embed)\n\npackage p\n\n" + loadtest.Head + "description: _d.text\n_d: _ @embed(file=\"gone.json\")\nkeywords: _ @embed(file=\"gone.json\")\n",
		"alone.cue":          "@extern(embed)\n\npackage q\n\n" + loadtest.Head + "description: _ @embed(file=\"gone.txt\", type=text)\n",
	})
	for path, want := range map[string][]loadtest.Finding{
		"p":         {{Code: source.CodeCueEvaluation, At: "7:7-7:31"}, {Code: source.CodeCueEvaluation, At: "8:13-8:37"}},
		"alone.cue": {{Code: source.CodeCueEvaluation, At: "6:16-6:50"}},
	} {
		_, diags := load.Load(t.Context(), load.Source{Path: path})
		if diff := cmp.Diff(want, loadtest.Findings(diags)); diff != "" {
			t.Errorf("%s (-want +got):\n%s%v", path, diff, diags)
		}
	}
}

func TestFileAlone(t *testing.T) {
	loadtest.Folder(t, map[string]string{"a.cue": "package p\n" + loadtest.Head, "b.cue": "package p\nnonsense: {{{\n", "c.yaml": loadtest.HeadYAML})
	loadtest.Model(t, load.Source{Path: "a.cue"})
	loadtest.Model(t, load.Source{Path: "c.yaml"})
	loadtest.Model(t, load.Source{Path: "./a.cue"})
	_, diags := load.Load(t.Context(), load.Source{Path: "."})
	if len(diags) == 0 || diags[0].Code != source.CodeSyntaxError || diags[0].Subject.File != "b.cue" {
		t.Errorf("the package: %v", diags)
	}
}

// A file that imports a package is loaded whatever is next to it, because CUE looks there for
// files of that package.
func TestFileWithNeighbours(t *testing.T) {
	spec := "package p\nimport \"declprov.dev/spec\"\n" + loadtest.Head + "types: Asset: spec.#Asset\n"
	for name, text := range map[string]string{
		"syntax": "package q\nx: string @secret\n", "the same package": "package p\nx: {{{\n", "the name of the import": "package spec\nx: {{{\n",
		"NUL": "package q\nx: \"\x00\"\n", "Latin-1": "package q\nx: \"\xe4\"\n", "too large": "package q\n// " + strings.Repeat("x", source.MaxFile),
		"too deep": "package q\nx: " + strings.Repeat("[", 200) + strings.Repeat("]", 200), "no package": "x: {{{\n",
	} {
		for _, module := range []string{"", "module: \"a.test/b\"\nlanguage: version: \"v0.17.0\"\n"} {
			t.Run(fmt.Sprintf("%s, module %t", name, module != ""), func(t *testing.T) {
				files := map[string]string{"good.cue": spec, "neighbour.cue": text}
				if module != "" {
					files["cue.mod/module.cue"] = module
				}
				loadtest.Folder(t, files)
				loadtest.Model(t, load.Source{Path: "good.cue"})
			})
		}
	}
}

func TestUnreadable(t *testing.T) {
	loadtest.Folder(t, map[string]string{
		"empty/x.txt": "", "nameless/a.cue": loadtest.Head, "nul.cue": "a: \"\x00\"", "latin.cue": "a: \"\xe4\"", "bom.cue": "\ufeff" + loadtest.Head, "a.toml": "", "big.cue": "// " + strings.Repeat("x", source.MaxFile),
		"bom.yaml": "\ufeff" + loadtest.HeadYAML, "embed.cue": "@extern(embed)\n\npackage x\n" + loadtest.Head + "description: _ @embed(file=\"link.txt\", type=text)\n",
		"loop/cue.mod/module.cue": "module: \"a.test/b\"\nlanguage: version: \"v0.17.0\"\n", "loop/a.cue": "package b\nimport \"a.test/b/c\"\n" + loadtest.Head + "_x: c.x", "loop/c/c.cue": "package c\nimport \"a.test/b/d\"\nx: d.x", "loop/d/d.cue": "package d\nimport \"a.test/b/c\"\nx: c.x",
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
			doc, diags := load.Load(t.Context(), load.Source{Path: c.path})
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

// TestTooDeep loads documents that would exhaust a recursive parser.
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
		{"in a type", "yaml", loadtest.HeadYAML + "config: {a: '" + strings.Repeat("(", 9000) + "'}"},
		{"brackets", "json", `{"a": ` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + "}"},
		{"aliases", "yaml", loadtest.HeadYAML + "a: &a [1,2,3,4,5,6,7,8,9]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e]\n"},
	}
	for _, c := range cases {
		t.Run(c.format+" "+c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, diags := load.Load(ctx, load.Source{Path: "-", Stdin: []byte(c.src), Format: c.format})
			if !diags.HasErrors() || len(diags) > 20 {
				t.Errorf("%d diagnostics: %.200v", len(diags), diags)
			}
			if ctx.Err() != nil {
				t.Error("it took too long")
			}
		})
	}
}

// CUE loads the packages that a spec imports concurrently.
func TestManyPackages(t *testing.T) {
	files := map[string]string{"cue.mod/module.cue": "module: \"acme.test/x@v0\"\nlanguage: version: \"v0.17.0\"\n"}
	imports, fields := "", ""
	for i := range 30 {
		files[fmt.Sprintf("lib%d/lib.cue", i)] = fmt.Sprintf("package lib%d\n\n#T: string\n", i)
		imports += fmt.Sprintf("\t\"acme.test/x/lib%d\"\n", i)
		fields += fmt.Sprintf("\tc%d?: lib%d.#T\n", i, i)
	}
	files["p/a.cue"] = "package p\n\nimport (\n" + imports + ")\n\nname: \"xy\"\nversion: \"1.0.0\"\nconfig: {\n" + fields + "}\n"
	loadtest.Folder(t, files)
	for range 10 {
		doc, diags := load.Load(t.Context(), load.Source{Path: "p"})
		if len(diags) > 0 || len(doc.Provider.Config.Fields) != 30 {
			t.Fatal(diags)
		}
	}
}
