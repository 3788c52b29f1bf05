package install

import (
	"errors"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func provider(t *testing.T, spec string) Provider {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "declprov")
	if err := os.WriteFile(binary, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return Provider{Name: "pets", Version: "1.2.0", Executable: binary, SpecName: "pets.cue", Spec: []byte(spec)}
}

// tree returns the files below a folder with their contents, sorted.
func tree(t *testing.T, dir string) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files = append(files, name+": "+string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	return files
}

func TestIntoPlugins(t *testing.T) {
	plugins := filepath.Join(t.TempDir(), "home", "plugins")
	for _, spec := range []string{"one", "two"} { // the second replaces the first
		p := provider(t, spec)
		folder, err := IntoPlugins(plugins, p, false)
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(plugins, "resource-pets-v1.2.0"); folder != want {
			t.Errorf("folder is %q, want %q", folder, want)
		}
		want := []string{
			"resource-pets-v1.2.0.lock: ", // as Pulumi leaves it
			"resource-pets-v1.2.0/pets.cue: " + spec,
			"resource-pets-v1.2.0/pulumi-resource-pets: #!/bin/sh\n",
		}
		if diff := cmp.Diff(want, tree(t, plugins)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		a, errA := os.Stat(p.Executable)
		b, errB := os.Stat(filepath.Join(folder, Binary("pets")))
		if err := errors.Join(errA, errB); err != nil {
			t.Fatal(err)
		}
		if !os.SameFile(a, b) {
			t.Error("the binary was copied, not linked, on one file system")
		}
		if b.Mode().Perm()&0o111 == 0 {
			t.Errorf("the binary has mode %v", b.Mode())
		}
	}
	left, err := filepath.Glob(filepath.Join(plugins, ".declprov-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// TestForeignPluginIsKept checks that a plugin that declprov did not install is neither replaced nor
// removed, nor joined by another version, which programs would use in its place.
func TestForeignPluginIsKept(t *testing.T) {
	for version, allowed := range map[string]bool{
		"resource-pets-v1.2.0": false, // that of the provider
		"resource-pets-v1.1.0": false, "resource-pets-v9.0.0-beta.1": false,
		"resource-pets-more-v1.2.0": true, "resource-pet-v1.2.0": true, "language-pets-v1.2.0": true, // other plugins
	} {
		plugins := t.TempDir()
		foreign := filepath.Join(plugins, version)
		if err := os.Mkdir(foreign, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(foreign, Binary("pets")), []byte("theirs"), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := IntoPlugins(plugins, provider(t, "x"), false); errors.Is(err, ErrForeign) == allowed {
			t.Errorf("%s: error is %v; may be installed: %v", version, err, allowed)
		}
		if allowed {
			continue
		}
		if _, err := Remove(plugins, Resource, "pets", ""); err == nil {
			t.Errorf("%s: a foreign plugin was removed", version)
		}
		if diff := cmp.Diff([]string{version + "/pulumi-resource-pets: theirs"}, tree(t, plugins)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
		if _, err := IntoPlugins(plugins, provider(t, "x"), true); err != nil {
			t.Errorf("%s, with force: %v", version, err)
		}
	}
}

func TestIntoFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plugin")
	for _, spec := range []string{"one", "two"} {
		if err := IntoFolder(dir, provider(t, spec)); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"pets.cue: " + spec, "pulumi-resource-pets: #!/bin/sh\n"}, tree(t, dir)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	other := provider(t, "three")
	other.SpecName = "pets.yaml"
	if err := IntoFolder(dir, other); err == nil || !strings.Contains(err.Error(), "pets.cue") {
		t.Errorf("error is %v, want one that names the spec that is in the way", err)
	}
}

func TestRefusedNames(t *testing.T) {
	for _, name := range []string{"", "../evil", "a/b", ".", "1st"} {
		p := provider(t, "x")
		p.Name = name
		if _, err := IntoPlugins(t.TempDir(), p, true); err == nil {
			t.Errorf("installed as %q", name)
		}
		if _, err := Remove(t.TempDir(), Resource, name, ""); err == nil {
			t.Errorf("removed %q", name)
		}
	}
	for _, version := range []string{"", "v1.0.0", "1", "1.0.0/../.."} {
		p := provider(t, "x")
		p.Version = version
		if err := IntoFolder(t.TempDir(), p); err == nil {
			t.Errorf("installed with version %q", version)
		}
	}
}

func TestRemove(t *testing.T) {
	plugins := t.TempDir()
	p := provider(t, "x")
	for _, version := range []string{"1.0.0", "1.1.0", "2.0.0"} {
		p.Version = version
		if _, err := IntoPlugins(plugins, p, false); err != nil {
			t.Fatal(err)
		}
	}
	steps := []struct {
		version string
		want    []string
	}{
		{"1.1.0", []string{"resource-pets-v1.1.0"}},
		{"", []string{"resource-pets-v1.0.0", "resource-pets-v2.0.0"}},
	}
	for _, step := range steps {
		removed, err := Remove(plugins, Resource, "pets", step.version)
		if err != nil {
			t.Fatal(err)
		}
		for i, folder := range removed {
			removed[i] = filepath.Base(folder)
		}
		if diff := cmp.Diff(step.want, removed); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if left := tree(t, plugins); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if _, err := Remove(plugins, Resource, "pets", ""); err == nil {
		t.Error("removed what is not there")
	}
}

// TestExchangeInTwoSteps tests the replacement of a folder on systems that cannot exchange
// names.
func TestExchangeInTwoSteps(t *testing.T) {
	dir := t.TempDir()
	for _, content := range []string{"one", "two"} {
		staged, folder := filepath.Join(dir, "staged"), filepath.Join(dir, "folder")
		if err := os.Mkdir(staged, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(staged, "f"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := exchangeInTwoSteps(staged, folder); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"folder/f: " + content}, tree(t, dir)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestPlugins(t *testing.T) {
	t.Setenv("PULUMI_HOME", "/opt/pulumi")
	if got, err := Plugins(); err != nil || got != "/opt/pulumi/plugins" {
		t.Errorf("plugins are in %q, %v", got, err)
	}
	// Pulumi does not read HOME.
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PULUMI_HOME", "")
	t.Setenv("HOME", "/home/somebody")
	if got, err := Plugins(); err != nil || got != filepath.Join(me.HomeDir, ".pulumi", "plugins") {
		t.Errorf("plugins are in %q, %v", got, err)
	}
}
