package pages

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"go.yaml.in/yaml/v3"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/sdk"
	"github.com/declprov/declprov/tests/internal/tools"
	"github.com/declprov/declprov/tests/petstore"
)

// TestMigrateDynamicProviders runs the dynamic provider of the page and the program after it:
// the pet is the same.
func TestMigrateDynamicProviders(t *testing.T) {
	t.Parallel()
	p := open(t, "migrate/dynamic-providers.md")
	store := petstore.Open()
	t.Cleanup(store.Close)
	spec := filepath.Join(t.TempDir(), "petstore.cue")
	write(t, spec, p.file(t, "petstore.cue"))
	w := sdk.Python().Open(t, sdk.Schema(t, spec), t.TempDir())
	for _, c := range w.Checkers {
		if found, printed := w.Check(t, c, p.file(t, "after.py")); len(found[0]) > 0 {
			t.Errorf("%s:\n%s", c.Name, printed)
		}
	}
	// This script is part of Pulumi's releases.
	bin := t.TempDir()
	write(t, filepath.Join(bin, "pulumi-resource-pulumi-python"), "#!/bin/sh\nexec "+sdk.Interpreter(w.Dir)+" -u -m pulumi.dynamic \"$@\"\n")
	path := filepath.Dir(tools.Need(t, tools.Pulumi)) + ":" + bin + ":" + os.Getenv("PATH")

	before, after := p.file(t, "before.py"), p.file(t, "after.py")
	run := w.Start(t, spec, before, append(store.Env(), "PATH="+path)...)
	run.Do("up", "create=2")
	if store.Pet(101) == nil {
		t.Fatal("the dynamic provider has not created the pet")
	}
	run.Program(change(t, p, before, `rex = Pet("Rex", "dog"`))
	run.Do("up", "same=2")
	run.Program(change(t, p, after, `rex = petstore.Pet("rex"`))
	run.Do("up", "delete=1 import=1 same=1")
	run.Program(after)
	run.Do("up", "same=2")
	if diff := cmp.Diff([]string{`POST /pets {"name": "Rex", "kind": "dog"}`}, store.Writes()); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
	run.Do("destroy", "delete=2")
	if store.Pet(101) != nil {
		t.Error("the pet is left")
	}
}

// change replaces the statement of a program that begins with a text by the one that the page
// shows in its last section.
func change(t *testing.T, p *page, program, begin string) string {
	t.Helper()
	_, steps, _ := strings.Cut(p.text, "## Move the objects")
	find := func(text string) string {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(strings.TrimSpace(line), begin) {
				return strings.TrimSpace(line)
			}
		}
		t.Fatalf("%s: no statement %s", p.name, begin)
		return ""
	}
	return strings.Replace(program, find(program), find(steps), 1)
}

// TestMigrateTerraform parses the configurations of the page, and imports a pet.
func TestMigrateTerraform(t *testing.T) {
	t.Parallel()
	p := open(t, "migrate/terraform.md")
	for _, name := range []string{"restapi.tf", "restful.tf"} {
		if _, diags := hclsyntax.ParseConfig([]byte(p.file(t, name)), name, hcl.InitialPos); diags.HasErrors() {
			t.Error(diags)
		}
	}
	store := petstore.Open()
	t.Cleanup(store.Close)
	store.Add(map[string]any{"name": "Rex", "kind": "dog"})
	dir, env := home(t, store.Env()...)
	p.run(t, dir, env)
	if more := store.Writes(); len(more) > 0 {
		t.Errorf("requests: %v", more)
	}
}

// TestMigrateCommand runs the script of the page's old program, and the new program.
func TestMigrateCommand(t *testing.T) {
	t.Parallel()
	tools.Need(t, tools.Git)
	p := open(t, "migrate/command.md")
	var before struct {
		Resources struct {
			App struct {
				Type       string
				Properties struct{ Create, Update, Delete string }
			}
		}
	}
	if err := yaml.Unmarshal([]byte(p.file(t, "before.yaml")), &before); err != nil {
		t.Fatal(err)
	}
	if before.Resources.App.Type != "command:local:Command" {
		t.Fatalf("the old program has %+v", before)
	}
	dir, env := home(t)
	shell := func(script string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "sh", "-euc", script)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
	old := before.Resources.App.Properties
	shell(old.Create)
	shell(old.Update)
	p.run(t, dir, env)
	shell(old.Delete)
}

// TestMigrateHandwritten runs the page: the state of the guide's provider stays.
func TestMigrateHandwritten(t *testing.T) {
	t.Parallel()
	dir, env := home(t)
	provider.Guide(t, filepath.Join(dir, "my-provider"))
	open(t, "migrate/handwritten.md").run(t, dir, env)
	if text, err := os.ReadFile(filepath.Join(dir, "greeting.txt")); err != nil || string(text) != "Hello." {
		t.Errorf("the file has %q, %v", text, err)
	}
	destroy := exec.CommandContext(t.Context(), tools.Need(t, tools.Pulumi), "destroy", "--yes", "--skip-preview")
	destroy.Dir, destroy.Env = dir, env
	if out, err := destroy.CombinedOutput(); err != nil {
		t.Errorf("destroy: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "greeting.txt")); err == nil {
		t.Error("the file is left")
	}
}

// edit replaces a text in a file.
func edit(t *testing.T, path, old, text string) {
	t.Helper()
	was, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(was), old) {
		t.Fatalf("%s does not contain %s: %v", path, old, err)
	}
	write(t, path, strings.ReplaceAll(string(was), old, text))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}
