package evaluate_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/parameter"
	"github.com/declprov/declprov/spec/container"
)

// layout is a spec by its files, relative to a folder that is copied to several places.
type layout struct {
	files map[string]string
	// spec is the path of the spec, and tags are its tags.
	spec string
	tags []string
}

const minimal = "name: \"notes\"\nversion: \"0.1.0\"\n"

// generatedLayout draws a spec of one or several files, in CUE, YAML or JSON, with or without a module, an import, an
// embedded file and tags, somewhere in a tree of folders with other files.
func generatedLayout(t *rapid.T) layout {
	folder := rapid.SampledFrom([]string{"", "a/", "a/b/", "deeply/nested/folder/"}).Draw(t, "folder")
	l := layout{files: map[string]string{folder + "unrelated.txt": "x", folder + "sub/other.cue": "package other\nx: 1\n"}}
	switch format := rapid.SampledFrom([]string{"cue", "yaml", "json", "package"}).Draw(t, "format"); format {
	case "yaml":
		l.spec = folder + "notes.yaml"
		l.files[l.spec] = "# notes\r\nname: notes\r\nversion: 0.1.0\r\ndescription: grüße\r\n"
	case "json":
		l.spec = folder + "notes.json"
		l.files[l.spec] = `{"name": "notes", "version": "0.1.0"}`
	default:
		drawCUE(t, &l, folder, format == "package")
	}
	return l
}

// drawCUE adds a spec in CUE to a layout: a file, or a package of several.
func drawCUE(t *rapid.T, l *layout, folder string, several bool) {
	attributes, imports, text := "", "", minimal
	if rapid.Bool().Draw(t, "tags") {
		text += "homepage: \"https://example.com/\\(_page)\"\n_page: string @tag(page)\n"
		l.tags = []string{"page=" + rapid.SampledFrom([]string{"", "a", "a=b", "ü \"quoted\""}).Draw(t, "page")}
	}
	if rapid.Bool().Draw(t, "has a module") {
		above := rapid.IntRange(0, strings.Count(folder, "/")).Draw(t, "above")
		root := strings.Join(strings.SplitAfter(folder, "/")[:above], "")
		l.files[root+"cue.mod/module.cue"] = "module: \"example.com/m@v0\"\nlanguage: version: \"v0.9.0\"\n"
		if rapid.Bool().Draw(t, "imports") {
			l.files[root+"part/part.cue"] = "package part\nLicense: \"MIT\"\n"
			imports = "import \"example.com/m/part\"\n\n"
			text += "license: part.License\n"
		}
		if several && rapid.Bool().Draw(t, "embeds") { // only packages in modules can
			attributes = "@extern(embed)\n\n"
			l.files[folder+"data/text.txt"] = "embedded\n"
			text += "description: _ @embed(file=data/text.txt, type=text)\n"
		}
	}
	if !several {
		l.spec = folder + "notes.cue"
		l.files[l.spec] = attributes + "package notes\n\n" + imports + text
		return
	}
	l.spec = strings.TrimSuffix(folder, "/")
	l.files[folder+"a.cue"] = attributes + "package notes\n\n" + imports + text
	for i := range rapid.IntRange(0, 3).Draw(t, "more files") {
		l.files[folder+fmt.Sprintf("more%d.cue", i)] = fmt.Sprintf("package notes\n\nkeywords: [%s...]\n", strings.Repeat("_, ", i))
	}
	l.files[folder+"z.cue"] = "package notes\n\nkeywords: [\"a\", \"b\", \"c\"]\n"
}

// write writes the files of a layout into a folder.
func (l layout) write(t testing.TB, dir string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(l.files)) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(l.files[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// compiled returns the compiled form of a spec.
func compiled(t testing.TB, s build.Spec) []byte {
	t.Helper()
	built, err := builder(build.DefaultLimits()).Evaluate(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	if built.Container == nil {
		t.Fatalf("%s has mistakes: %v", s, built.Findings)
	}
	return built.Container
}

// parameterOf returns the parameter of a spec.
func parameterOf(t testing.TB, s build.Spec) []byte {
	t.Helper()
	bundle, err := build.BundleOf(compiled(t, s), s)
	if err != nil {
		t.Fatal(err)
	}
	packed, err := parameter.Encode(bundle)
	if err != nil {
		t.Fatal(err)
	}
	return packed
}

// checkParameter checks the laws of parameters with a spec in two copies of its folder.
func checkParameter(t testing.TB, l layout, here, copied string) {
	t.Helper()
	l.write(t, here)
	l.write(t, copied)
	packed := parameterOf(t, build.Spec{Path: filepath.Join(here, l.spec), Tags: l.tags})
	local := "." + string(filepath.Separator) + l.spec
	for _, same := range []build.Spec{
		{Dir: copied, Path: local, Tags: l.tags},
		{Dir: filepath.Join(here, "elsewhere"), Path: filepath.Join("..", l.spec), Tags: l.tags},
	} {
		if err := os.MkdirAll(same.Dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if again := parameterOf(t, same); string(again) != string(packed) {
			t.Errorf("the parameter of %s in %s differs", same.Path, same.Dir)
		}
	}
	bundle, err := parameter.Decode(packed)
	if err != nil {
		t.Fatal(err)
	}
	c, err := builder(build.DefaultLimits()).OpenBundle(context.Background(), "parameter", func() (build.Bundle, error) { return bundle, nil })
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	// The spec in its own folder, as `declprov package` compiles it.
	own := build.Spec{Dir: filepath.Join(here, l.spec), Path: ".", Tags: l.tags}
	if filepath.Ext(l.spec) != "" {
		own.Dir, own.Path = filepath.Split(own.Dir)
	}
	want, err := container.OpenBytes(compiled(t, own))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(contentsOf(t, want), contentsOf(t, c)); diff != "" {
		t.Errorf("compiled from the parameter (-from the source +from the parameter):\n%s", diff)
	}
}

// contentsOf returns what a compiled spec consists of.
func contentsOf(t testing.TB, c *container.Container) map[string]any {
	t.Helper()
	whole, err := c.Whole()
	if err != nil {
		t.Fatal(err)
	}
	schema, err := c.Schema()
	if err != nil {
		t.Fatal(err)
	}
	sources, err := c.Sources()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"provider": whole, "schema": string(schema), "sources": sources}
}

// TestGeneratedParameters checks that a parameter does not depend on the place of the spec, and
// that it compiles to the same as the spec.
func TestGeneratedParameters(t *testing.T) {
	t.Parallel()
	layouts := rapid.Custom(generatedLayout)
	for seed := range 24 { // each is evaluated five times
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			l := layouts.Example(seed)
			defer func() {
				if t.Failed() {
					t.Logf("%+v", l)
				}
			}()
			checkParameter(t, l, t.TempDir(), filepath.Join(t.TempDir(), "copied somewhere"))
		})
	}
}

// TestParametersOfExamples checks the laws of parameters with every example.
func TestParametersOfExamples(t *testing.T) {
	t.Parallel()
	examples, err := filepath.Glob("../../../../examples/*.*")
	if err != nil || len(examples) == 0 {
		t.Fatalf("%v: no examples", err)
	}
	for _, path := range examples {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.Base(path)
			checkParameter(t, layout{spec: name, files: map[string]string{name: string(text)}}, t.TempDir(), t.TempDir())
		})
	}
}

// TestParameterOfModuleWithoutName checks a spec below a cue.mod folder without a module.cue: the
// packages of such a module have an import path, too.
func TestParameterOfModuleWithoutName(t *testing.T) {
	t.Parallel()
	checkParameter(t, layout{spec: "a/b/notes.cue", files: map[string]string{
		"cue.mod/README": "", "a/part/part.cue": "package part\nLicense: \"MIT\"\n",
		"a/b/notes.cue": "package notes\n\nimport \"spec.local/a/part\"\n\nlicense: part.License\n" + minimal,
	}}, t.TempDir(), t.TempDir())
}

// TestModuleAboveParameters checks that a module in the folder of temporary files, which other users
// can write to, has no effect on parameters.
func TestModuleAboveParameters(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	layout{files: map[string]string{
		"cue.mod/README": "", "part/part.cue": "package part\nLicense: \"MIT\"\n",
	}}.write(t, temp)
	files := []container.Source{{Path: "notes.cue", Content: []byte("import \"spec.local/part\"\n\nlicense: part.License\n" + minimal)}}
	_, err := builder(build.DefaultLimits()).OpenBundle(t.Context(), "parameter", func() (build.Bundle, error) {
		return build.Bundle{Spec: "notes.cue", Files: files}, nil
	})
	if _, ok := errors.AsType[*build.Mistakes](err); !ok {
		t.Errorf("the package of the folder above was imported: %v", err)
	}
}
