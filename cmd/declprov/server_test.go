package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/declprov/declprov/cmd/declprov/internal/install"
)

// servers builds a folder with declprov and the binary that only serves, as in a release.
var servers = sync.OnceValues(func() (folder string, err error) {
	folder = filepath.Join(binFolder, "release")
	if err := os.Mkdir(folder, 0o755); err != nil {
		return folder, err
	}
	if err := buildProgram(folder+string(os.PathSeparator), "./"+install.Server); err != nil {
		return folder, err
	}
	path, err := binary()
	if err != nil {
		return folder, err
	}
	return folder, os.Link(path, filepath.Join(folder, filepath.Base(path)))
})

func release(t *testing.T) (folder string) {
	t.Helper()
	folder, err := servers()
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

// served returns the path of a copy of the binary that only serves, in a folder with a spec
// and without declprov.
func served(t *testing.T, spec string) (path string) {
	t.Helper()
	dir := layOut(t, map[string]string{"pets.cue": spec})
	path = filepath.Join(dir, "pulumi-resource-pets")
	program, err := os.ReadFile(filepath.Join(release(t), install.Server))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, program, 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func wantPets(t *testing.T, p provider) {
	t.Helper()
	if schema, err := p.Schema(t.Context()); err != nil || !strings.Contains(schema, `"pets:index:Pet"`) {
		t.Errorf("schema is %q, %v", schema, err)
	}
}

// TestInstalledServer checks that install uses the binary that only serves, and that the
// installed provider does not require declprov.
func TestInstalledServer(t *testing.T) {
	dir := layOut(t, map[string]string{"pets.cue": petSpec})
	folder := filepath.Join(dir, "plugin")
	cmd := command(t, filepath.Join(release(t), "declprov"), "install", "--dir", folder, filepath.Join(dir, "pets.cue"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(folder, "pets.declprov")); err != nil {
		t.Error(err)
	}
	cmd = command(t, filepath.Join(folder, "pulumi-resource-pets"), "127.0.0.1:1")
	cmd.Env = append(cmd.Env, "PATH=")
	wantPets(t, start(t, cmd))
}

// TestServerFindsTheEvaluator checks that a spec that is not compiled is passed to declprov.
func TestServerFindsTheEvaluator(t *testing.T) {
	t.Run("on the PATH", func(t *testing.T) {
		cmd := command(t, served(t, petSpec), "127.0.0.1:1")
		cmd.Env = append(cmd.Env, "PATH="+release(t))
		wantPets(t, start(t, cmd))
	})
	t.Run("in the same folder", func(t *testing.T) {
		dir := layOut(t, map[string]string{
			"pets.cue": petSpec, "pulumi-resource-pets": "-> " + filepath.Join(release(t), install.Server),
		})
		cmd := command(t, filepath.Join(dir, "pulumi-resource-pets"), "127.0.0.1:1")
		cmd.Env = append(cmd.Env, "PATH=")
		wantPets(t, start(t, cmd))
	})
}

func TestServerErrors(t *testing.T) {
	tests := []struct {
		name, spec, path string
		want             []string
	}{
		{"no evaluator", petSpec, "", []string{"cannot evaluate specs", "add declprov to the PATH", "declprov install"}},
		{
			"mistakes", strings.Replace(petSpec, "@replace", "@replce", 1), release(t),
			[]string{"error[unknown-attribute]: unknown attribute @replce\n  --> ", "/pets.cue:6:23, in resource"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			cmd := command(t, served(t, test.spec), "127.0.0.1:1")
			cmd.Env = append(cmd.Env, "PATH="+test.path)
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitFindings || stdout.Len() > 0 {
				t.Errorf("the process ended with %v and printed %q; want exit code %d and no output", err, stdout.String(), exitFindings)
			}
			for _, want := range test.want {
				if !strings.Contains(stderr.String(), want) {
					t.Errorf("standard error lacks %q:\n%s", want, stderr.String())
				}
			}
		})
	}
}
