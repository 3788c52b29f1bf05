package evolution_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// shape is a spec by its files, and the arguments of install.
type shape struct {
	files map[string]string
	args  []string
}

const module = "module: \"example.com/m@v0\"\nlanguage: version: \"v0.9.0\"\n"

// shapes are specs of which install keeps the compiled form.
func shapes() map[string]shape {
	whole := note("Note", joined, "${inputs.fullName}", "")
	head, body, _ := strings.Cut(whole, "resources:")
	return map[string]shape{
		"a package": {map[string]string{"p/a.cue": head, "p/b.cue": "package notes\nresources:" + body}, []string{"p"}},
		"above":     {map[string]string{"p/a.cue": head, "p/b.cue": "package notes\nresources:" + body, "w/x": ""}, []string{"../p"}},
		"another package": {map[string]string{
			"cue.mod/module.cue": module, "part/part.cue": "package part\nName: \"notes\"\n",
			"p/a.cue": strings.Replace(strings.Replace(whole, "package notes\n", "package notes\nimport \"example.com/m/part\"\n", 1), `"notes"`, "part.Name", 1),
		}, []string{"p"}},
		"tags": {map[string]string{"a.cue": strings.Replace(whole, `"1.0.0"`, `string @tag(version)`, 1)}, []string{"--tag", "version=1.0.0", "a.cue"}},
		"a file beside it": {map[string]string{
			"cue.mod/module.cue": module,
			"a.cue":              "@extern(embed)\n" + strings.Replace(whole, `"1.0.0"`, `string @embed(file=version.json)`, 1), "version.json": `"1.0.0"`,
		}, []string{"."}},
	}
}

// What an older declprov has compiled is compiled again, from the sources that it
// carries, whatever those were.
func TestContainersOfFormerFormats(t *testing.T) {
	for name, s := range shapes() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for path, text := range s.files {
				path = filepath.Join(dir, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			from := dir
			if name == "above" {
				from = filepath.Join(dir, "w")
			}
			folder := filepath.Join(t.TempDir(), "plugin")
			cmd := exec.Command(provider.Binary(t), append([]string{"install", "--dir", folder}, s.args...)...)
			cmd.Dir = from
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			// What it was made from is gone.
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(folder, "notes.declprov")
			encoded, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			binary.LittleEndian.PutUint32(encoded[8:], 1)
			if err := os.WriteFile(path, encoded, 0o644); err != nil {
				t.Fatal(err)
			}
			p := provider.Configured(t, folder, "notes", t.TempDir(), nil)
			schema, err := p.Schema(t.Context())
			if err != nil || !strings.Contains(string(schema), "notes:index:Note") {
				t.Errorf("the schema: %v, %s", err, schema)
			}
		})
	}
}

// The base plugin is whichever provider its parameter describes: once a package is
// added, programs need the spec's source no more.
func TestAnySpecIsAParameter(t *testing.T) {
	stack := pulumitest.New(t, nil)
	run := func(dir string, argv ...string) string {
		t.Helper()
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir, cmd.Env = dir, stack.Environment()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", argv, err, out)
		}
		return string(out)
	}
	run(stack.Dir, provider.Binary(t), "install", "--base")
	run(stack.Dir, provider.Binary(t), "install", "--base") // again
	spec := filepath.Join(stack.Dir, "notes.cue")
	add := func(text string) string {
		t.Helper()
		if err := os.WriteFile(spec, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r, err := stack.Run(t.Context(), "package", "add", "declprov", "./notes.cue")
		if err != nil {
			t.Fatal(err)
		}
		return r.Stdout + r.Stderr
	}
	if out := add(strings.Replace(older, "inputs.path", "inputs.paht", 1)); !strings.Contains(out, "unknown-member") || !strings.Contains(out, "notes.cue:14") {
		t.Errorf("a spec with a mistake: %s", out)
	}
	add(older)
	if err := os.Remove(spec); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(stack.Dir, "Pulumi.yaml"))
	if err != nil || !strings.Contains(string(text), "source: declprov") {
		t.Fatalf("%v: %s", err, text)
	}
	_, packages, _ := strings.Cut(string(text), "packages:")
	stack.Program(program + "packages:" + packages)
	stack.Up("create=1")
	if diff := cmp.Diff("Ada Lovelace", stack.Files()["a.txt"]); diff != "" {
		t.Errorf("a.txt (-want +got):\n%s", diff)
	}
	stack.Preview("same=1")
	stack.Refresh("same Note a")
	stack.Destroy("delete=1")
}
