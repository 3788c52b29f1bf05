package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
)

// configured is a program for the provider "settings" with these settings.
func configured(lines ...string) string {
	return "config:\n" + strings.Join(lines, "") + resources(resource("report", "settings:Report", "path: report.txt"))
}

func configuration() []point {
	const owner, limits = "  settings:owner: me\n", `  settings:limits: '{"max": 3, "tags": ["a", "b"]}'` + "\n"
	return []point{
		{19, "a missing required setting is named", func(t *testing.T) {
			s := testdata(t, "settings")
			s.Program(configured(limits))
			says(t, s.Fails(s.Project.Up(t.Context())), "owner")
			holds(t, s, map[string]string{})
		}},
		{20, "an object setting as JSON text and as an object are equal", func(t *testing.T) {
			want := map[string]string{"report.txt": "me 3 a,b 140bedbf"}
			s := testdata(t, "settings")
			s.Program(configured(owner, limits))
			s.Up("create=1")
			holds(t, s, want)
			o := testdata(t, "settings")
			o.Program(resources(
				resource("mine", "pulumi:providers:settings", "owner: me", "limits: {max: 3, tags: [a, b]}"),
				resource("report", "settings:Report", "path: report.txt", "options: {provider: '${mine}'}"),
			))
			o.Up("create=1")
			holds(t, o, want)
		}},
		{21, "a setting from the environment", func(t *testing.T) {
			s := files(t, "FILES_ROOT=below")
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			holds(t, s, map[string]string{"below/a.txt": "hello"})
			s.Up("same=1")
		}},
		{22, "the setting version is tolerated", func(t *testing.T) {
			s := files(t)
			s.Program(resources(
				resource("mine", "pulumi:providers:files", "root: below", "options: {version: 0.1.0}"),
				file("a", "hello", "options: {provider: '${mine}'}"),
			))
			s.Up("create=1")
			s.Up("same=1")
		}},
		{23, "a preview with unknown configuration", func(t *testing.T) {
			s := files(t)
			s.Program(resources(
				file("a", "hello"),
				resource("mine", "pulumi:providers:files", "root: ${a.sha256}"),
				file("b", "hello", "options: {provider: '${mine}'}"),
			))
			s.Preview("create=2")
			holds(t, s, map[string]string{})
			s.Up("create=2")
			s.Up("same=2")
		}},
		{24, "a secret setting is never shown", func(t *testing.T) {
			const token = "swordfish-canary"
			s := testdata(t, "settings")
			s.Program(configured(owner, limits))
			set, err := s.Run(t.Context(), "config", "set", "--secret", "settings:token", token)
			if err != nil || set.ExitCode != 0 {
				t.Fatalf("setting the secret: %v, %v", err, set.Failure())
			}
			// Not with -v=9: there the CLI itself logs what it sends.
			r := s.Up("create=1", "--debug", "--show-config")
			for name, text := range map[string]string{"stdout": r.Stdout, "stderr": r.Stderr} {
				if strings.Contains(text, token) {
					t.Errorf("%s shows the secret:\n%s", name, text)
				}
			}
			for _, e := range r.Events {
				if d := e.DiagnosticEvent; d != nil && strings.Contains(d.Message, token) {
					t.Errorf("a message shows the secret: %s", d.Message)
				}
			}
			if got := s.Files()["report.txt"]; strings.Contains(got, token) {
				t.Errorf("report.txt: %q", got)
			}
		}},
		{25, "a changed setting does not replace by itself", func(t *testing.T) {
			s := testdata(t, "settings")
			s.Program(configured(owner, limits))
			s.Up("create=1")
			s.Program(configured("  settings:owner: you\n", limits))
			s.Up("same=1")
		}},
		{17, "a newer version of the spec does not replace", func(t *testing.T) {
			folder := provider.Folder(t, "files", "examples/files.cue")
			s := pulumitest.New(t, pulumitest.Providers{"files": folder})
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			spec := filepath.Join(folder, "files.cue")
			text, err := os.ReadFile(spec)
			if err != nil {
				t.Fatal(err)
			}
			newer := strings.Replace(string(text), `"0.1.0"`, `"0.2.0"`, 1)
			if err := os.WriteFile(spec, []byte(newer), 0o644); err != nil {
				t.Fatal(err)
			}
			s.Up("same=1")
		}},
	}
}

func checking() []point {
	return []point{
		{26, "defaults are applied, and stable", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello")))
			s.Up("create=1")
			if got := s.Recorded("a").Inputs["mode"]; got != "0644" {
				t.Errorf("mode = %v", got)
			}
			s.Up("same=1")
			s.Program(resources(file("a", "hello", `mode: "0644"`)))
			s.Up("same=1")
		}},
		{28, "unknown inputs pass the check", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello"), file("b", "${a.sha256}")))
			s.Preview("create=2")
			s.Up("create=2")
			if got := s.Files()["b.txt"]; len(got) != 64 {
				t.Errorf("b.txt = %q", got)
			}
		}},
		{33, "a value against a rule is reported with its property", func(t *testing.T) {
			s := files(t)
			s.Program(resources(file("a", "hello", `mode: "rwx"`)))
			says(t, s.Fails(s.Project.Preview(t.Context())), "mode")
			holds(t, s, map[string]string{})
		}},
	}
}
