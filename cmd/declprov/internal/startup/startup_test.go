package startup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProviderName(t *testing.T) {
	tests := map[string]struct {
		name string
		ok   bool
	}{
		"pulumi-resource-files":                       {"files", true},
		"/opt/x/pulumi-resource-files":                {"files", true},
		"pulumi-resource-files-v1.2.3":                {"files", true},
		"pulumi-resource-files-v1.2.3-alpha.1+build5": {"files", true},
		"pulumi-resource-my-files":                    {"my-files", true},
		"pulumi-resource-files-v2":                    {"files-v2", true},
		"pulumi-resource-files.exe":                   {"files", true},
		"pulumi-resource-":                            {"", false},
		"declprov":                                    {"declprov", false},
		"pulumi-language-declprov":                    {"pulumi-language-declprov", false},
	}
	for argv0, want := range tests {
		if name, ok := ProviderName(argv0); ok != want.ok || ok && name != want.name {
			t.Errorf("ProviderName(%q) = %q, %v, want %q, %v", argv0, name, ok, want.name, want.ok)
		}
	}
}

func write(t *testing.T, dir string, names ...string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSpecIn(t *testing.T) {
	tests := []struct {
		name  string
		files []string
		want  string // "." is the folder, "" nothing
		err   string
	}{
		{"NAME takes precedence", []string{"files.cue", "provider.cue", "other.cue"}, "files.cue", ""},
		{"yaml", []string{"files.yaml"}, "files.yaml", ""},
		{"json", []string{"files.json", "notes.txt"}, "files.json", ""},
		{"provider takes precedence over a package", []string{"provider.yaml", "other.cue"}, "provider.yaml", ""},
		{"package", []string{"a.cue", "b.cue"}, ".", ""},
		{"no spec", []string{"readme.md"}, "", ""},
		{"two with one name", []string{"files.cue", "files.yaml"}, "", "contains files.cue and files.yaml"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir, test.files...)
			got, err := SpecIn(dir, "files")
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Fatalf("error is %v, want one with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := test.want
			if want != "" {
				want = filepath.Join(dir, want)
			}
			if got != want {
				t.Errorf("spec is %q, want %q", got, want)
			}
		})
	}
}

// TestFindSpecThroughLink checks that a link to the binary serves the spec in the folder of
// the link.
func TestFindSpecThroughLink(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "bin"), "declprov", "files.yaml")
	write(t, filepath.Join(dir, "spec"), "files.cue")
	link := filepath.Join(dir, "spec", "pulumi-resource-files")
	if err := os.Symlink(filepath.Join(dir, "bin", "declprov"), link); err != nil {
		t.Fatal(err)
	}
	got, err := FindSpec(link, "files")
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(dir, "spec", "files.cue"); got != want {
		t.Errorf("spec is %q, want %q", got, want)
	}
}

func TestFindSpecNames(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "pulumi-resource-nothing")
	_, err := FindSpec(filepath.Join(dir, "pulumi-resource-nothing"), "nothing")
	if err == nil {
		t.Fatal("found a spec where there is none")
	}
	for _, want := range []string{"nothing.cue", "provider.cue", dir} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %s", err, want)
		}
	}
}
