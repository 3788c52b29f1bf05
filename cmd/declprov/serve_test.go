package main

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/engine/pulumi/client"
)

const petSpec = `package pets
name:    "pets"
version: "1.2.0"
permissions: write: ["data/**"]
resources: Pet: {
	inputs: path: string @replace()
	outputs: size: int
	id: "${inputs.path}"
	create: file: write: {path: "${inputs.path}", content: "x"}
	read: file: read: path: "${id}"
	delete: file: delete: path: "${id}"
}
`

const petYAML = `name: pets
version: 1.2.0
permissions: { write: ["data/**"] }
resources:
  Pet:
    inputs: { path: "string @replace()" }
    outputs: { size: int }
    id: "${inputs.path}"
    create: { file: { write: { path: "${inputs.path}", content: x } } }
    read: { file: { read: { path: "${id}" } } }
    delete: { file: { delete: { path: "${id}" } } }
`

// layOut writes files and links to a temporary folder. A content that begins with "-> " is
// the target of a link.
func layOut(t *testing.T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		err := error(nil)
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(content), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// provider is a running provider.
type provider struct {
	*client.Client
	cmd    *exec.Cmd
	stderr *bytes.Buffer
}

// start runs a provider as Pulumi does, and connects to it.
func start(t *testing.T, cmd *exec.Cmd) provider {
	t.Helper()
	p := provider{cmd: cmd, stderr: &bytes.Buffer{}}
	cmd.Stderr = p.stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	// The provider runs as long as its standard input is open.
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		_ = cmd.Wait()
		t.Fatalf("the provider printed no port: %v\n%s", err, p.stderr)
	}
	port, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("the first line is not a port: %q", line)
	}
	if p.Client, err = client.Connect(port); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Client.Close() })
	return p
}

func command(t *testing.T, path string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(path, args...)
	dir := t.TempDir()
	cmd.Env = append(os.Environ(), "DECLPROV_CACHE="+filepath.Join(dir, "cache"), "DECLPROV_JOURNAL="+filepath.Join(dir, "journal"))
	return cmd
}

// TestServeAsProvider starts the binary with each name, and in each place, for which it
// serves a provider.
func TestServeAsProvider(t *testing.T) {
	bin := built(t)
	compiled := layOut(t, map[string]string{"pets.cue": petSpec, "more.cue": "package pets\n"})
	if out, err := command(t, bin, "install", "--dir", filepath.Join(compiled, "out"), compiled).CombinedOutput(); err != nil {
		t.Fatalf("install: %v\n%s", err, out)
	}
	compiledSpec, err := os.ReadFile(filepath.Join(compiled, "out", "pets.declprov"))
	if err != nil {
		t.Fatal(err)
	}
	provider, resources, _ := strings.Cut(petSpec, "resources:")
	link := "-> " + bin
	tests := []struct {
		name, start string
		files       map[string]string
	}{
		{"next to NAME.cue", "pulumi-resource-pets", map[string]string{"pulumi-resource-pets": link, "pets.cue": petSpec, "provider.cue": "junk"}},
		{"next to NAME.yaml", "pulumi-resource-pets", map[string]string{"pulumi-resource-pets": link, "pets.yaml": petYAML}},
		{"next to provider.cue", "pulumi-resource-pets", map[string]string{"pulumi-resource-pets": link, "provider.cue": petSpec}},
		{"with a version in its name", "pulumi-resource-pets-v1.2.0", map[string]string{"pulumi-resource-pets-v1.2.0": link, "pets.cue": petSpec}},
		{"in a package", "pulumi-resource-pets", map[string]string{
			"pulumi-resource-pets": link, "a.cue": provider, "b.cue": "package pets\nresources:" + resources,
		}},
		{"through a second link", "bin/pulumi-resource-pets", map[string]string{
			"bin/pulumi-resource-pets": "-> ../real/pulumi-resource-pets", "real/pulumi-resource-pets": link, "bin/pets.cue": petSpec,
		}},
		{"next to a compiled spec", "pulumi-resource-pets", map[string]string{
			"pulumi-resource-pets": link, "pets.declprov": string(compiledSpec),
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := layOut(t, test.files)
			cmd := command(t, filepath.Join(dir, test.start), "-v=3", "127.0.0.1:1")
			cmd.Dir = t.TempDir() // the provider must not look for the spec in the working directory
			p := start(t, cmd)
			version, err := p.Version(t.Context())
			if err != nil || version != "1.2.0" {
				t.Errorf("version is %q, %v", version, err)
			}
			schema, err := p.Schema(t.Context())
			if err != nil || !strings.Contains(schema, `"pets:index:Pet"`) {
				t.Errorf("schema is %q, %v", schema, err)
			}
		})
	}
}

// TestServeAsProviderErrors checks what a provider that cannot start writes to standard
// error, which Pulumi shows.
func TestServeAsProviderErrors(t *testing.T) {
	bin := built(t)
	link := "-> " + bin
	tests := []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"no spec", nil, []string{`the provider "pets" has no spec`, "pets.cue", "provider.cue"}},
		{
			"mistakes",
			map[string]string{"pets.cue": strings.Replace(petSpec, "@replace", "@replce", 1)},
			[]string{"error[unknown-attribute]: unknown attribute @replce\n  --> ", "/pets.cue:6:23, in resource", "^^^^^^^^^\n", "1 error in "},
		},
		{"another's spec", map[string]string{"provider.cue": strings.Replace(petSpec, `"pets"`, `"fish"`, 1)}, []string{`the provider "fish"`}},
		{"two specs", map[string]string{"pets.cue": petSpec, "pets.yaml": ""}, []string{"pets.cue and pets.yaml"}},
		{"not a compiled spec", map[string]string{"pets.declprov": "junk"}, []string{"pets.declprov", "declprov install"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := layOut(t, test.files)
			path := filepath.Join(dir, "pulumi-resource-pets")
			if err := os.Symlink(strings.TrimPrefix(link, "-> "), path); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			cmd := command(t, path, "127.0.0.1:1")
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitFindings {
				t.Errorf("the process ended with %v, want exit code %d", err, exitFindings)
			}
			if stdout.Len() > 0 {
				t.Errorf("standard output is %q, want nothing, because the engine reads the port from it", stdout.String())
			}
			for _, want := range test.want {
				if !strings.Contains(stderr.String(), want) {
					t.Errorf("standard error lacks %q:\n%s", want, stderr.String())
				}
			}
		})
	}
}

// TestServeCommand connects to `declprov serve`, and interrupts it.
func TestServeCommand(t *testing.T) {
	bin := built(t)
	dir := layOut(t, map[string]string{"pets.cue": petSpec})
	p := start(t, command(t, bin, "serve", filepath.Join(dir, "pets.cue")))
	if version, err := p.Version(t.Context()); err != nil || version != "1.2.0" {
		t.Errorf("version is %q, %v", version, err)
	}
	begun := time.Now()
	if err := p.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("the process ended with %v\n%s", err, p.stderr)
	}
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("the process took %s to end", took)
	}
}
