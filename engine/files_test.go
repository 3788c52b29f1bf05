package engine_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine"
)

// The whole life of a file by examples/files.cue, without a host.
func TestFileLife(t *testing.T) {
	e, dir := example(t, "files.cue")
	at := filepath.Join(dir, "sub", "hello.txt")

	inputs := check(t, e, "File", object("path", "sub/hello.txt", "content", "hello\n"))
	if diff := cmp.Diff(object("path", "sub/hello.txt", "content", "hello\n", "mode", "0644", "force", false), inputs, values); diff != "" {
		t.Fatalf("check adds the defaults (-want +got):\n%s", diff)
	}

	preview := e.Create(t.Context(), engine.CreateRequest{Ref: ref("File"), Inputs: inputs, Preview: true})
	if preview.Err != nil || preview.State.ID != "" || !preview.State.Outputs.Get("sha256").IsComputed() {
		t.Fatalf("preview: %+v", preview)
	}
	if _, err := os.Stat(filepath.Dir(at)); !os.IsNotExist(err) {
		t.Fatal("the preview touched the disk")
	}

	state := created(t, e, "File", object("path", "sub/hello.txt", "content", "hello\n"))
	want := object(
		"path", "sub/hello.txt", "content", "hello\n", "mode", "0644", "force", false,
		"sha256", "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03", "size", 6,
	)
	if diff := cmp.Diff(want, state.Outputs, values); diff != "" || state.ID != "sub/hello.txt" {
		t.Fatalf("created %q (-want +got):\n%s", state.ID, diff)
	}

	other := engine.Ref{Type: "File", Name: "other", Key: "urn:other"}
	second := e.Create(t.Context(), engine.CreateRequest{Ref: other, Inputs: inputs})
	if second.Err == nil || second.State != nil {
		t.Fatalf("another resource's create of the same file must fail and leave nothing: %+v", second)
	}
	again := e.Create(t.Context(), engine.CreateRequest{Ref: ref("File"), Inputs: inputs})
	if again.Err != nil {
		t.Fatalf("the same create, whose answer was lost, is run again: %v", again.Err)
	}

	if err := os.WriteFile(at, []byte("edited\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(at, 0o600); err != nil {
		t.Fatal(err)
	}
	seen := e.Read(t.Context(), engine.ReadRequest{Ref: ref("File"), State: state})
	if seen.Err != nil || seen.State.Inputs.Get("content").AsString() != "edited\n" || seen.State.Inputs.Get("mode").AsString() != "0600" {
		t.Fatalf("refresh sees the edit: %+v", seen)
	}
	diff, err := e.Diff(t.Context(), engine.DiffRequest{Ref: ref("File"), State: *seen.State, New: inputs})
	if err != nil {
		t.Fatal(err)
	}
	wantChanges := []engine.Change{{Path: "content", Kind: engine.Update}, {Path: "mode", Kind: engine.Update}}
	if d := cmp.Diff(wantChanges, diff.Changes); d != "" {
		t.Fatalf("the drift (-want +got):\n%s", d)
	}

	repaired := e.Update(t.Context(), engine.UpdateRequest{Ref: ref("File"), State: *seen.State, Inputs: inputs})
	if repaired.Err != nil {
		t.Fatal(repaired.Err)
	}
	if got, _ := os.ReadFile(at); string(got) != "hello\n" {
		t.Fatalf("the repair wrote %q", got)
	}

	imported := e.Read(t.Context(), engine.ReadRequest{Ref: ref("File"), Reason: engine.Import, State: engine.State{ID: "sub/hello.txt"}})
	if imported.Err != nil {
		t.Fatal(imported.Err)
	}
	if d := cmp.Diff(inputs, imported.State.Inputs, values); d != "" {
		t.Fatalf("an import gives inputs that survive check (-want +got):\n%s", d)
	}

	// From here on the file is the import's.
	if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("File"), State: state}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(at); err != nil {
		t.Fatalf("the state that was imported anew took the file with it: %v", err)
	}
	state = *imported.State
	if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("File"), State: state}); err != nil {
		t.Fatal(err)
	}
	if err := e.Delete(t.Context(), engine.DeleteRequest{Ref: ref("File"), State: state}); err != nil {
		t.Fatalf("deleting what is gone is a success: %v", err)
	}
	if out := e.Read(t.Context(), engine.ReadRequest{Ref: ref("File"), State: state}); !out.Gone || out.Err != nil {
		t.Fatalf("what is gone is gone: %+v", out)
	}
}

// A value in a permission, which the spec itself may have chosen by a default,
// does not lead out of the folder that its reviewer has read.
func TestPermissionStaysBelow(t *testing.T) {
	const text = `permissions: write: ["data/${inputs.sub}/**"]
	resources: File: {
		inputs: {sub: *"../out" | string, name: string}
		id: "${inputs.name}"
		create: file: write: {path: "${inputs.name}", content: "x"}
		delete: file: delete: path: "${id}"
	}`
	for sub, allowed := range map[string]bool{"../out": false, "a/../../out": false, "a": true, "a..b": true} {
		e, dir := newWorld().engine(t, text)
		name := filepath.Join("data", sub, "f")
		out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("File"), Inputs: check(t, e, "File", object("sub", sub, "name", name))})
		if (out.Err == nil) != allowed {
			t.Errorf("%s: %v", sub, out.Err)
		}
		if _, err := os.Stat(filepath.Join(dir, "out")); err == nil {
			t.Errorf("%s: something was written outside", sub)
		}
	}
}

// The hash of a secret content is secret: a short secret can be found by it.
func TestSecretContent(t *testing.T) {
	e, _ := example(t, "files.cue")
	state := created(t, e, "File", object("path", "a", "content", secret("hunter22")))
	if !state.Outputs.Get("content").Secret() || !state.Outputs.Get("sha256").Secret() || state.Outputs.Get("size").Secret() {
		t.Errorf("%v", shown(property.New(state.Outputs)))
	}
	open := created(t, e, "File", object("path", "b", "content", "hunter22"))
	if open.Outputs.Get("sha256").Secret() {
		t.Error("the hash of an open content is open")
	}
}

// A root that is empty would grant the whole disk.
func TestEmptyRoot(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "examples", "files.cue"))
	if err != nil {
		t.Fatal(err)
	}
	prog, diags := newWorld().compile(t, string(text))
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	_, err = prog.Configure(t.Context(), object("root", ""), engine.Options{Dir: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "empty value") {
		t.Errorf("%v", err)
	}
}

// Actions compute some members of their result only if the spec refers to them: the id counts,
// also if nothing else refers to the member.
func TestIDOfAMemberOnDemand(t *testing.T) {
	for name, operation := range map[string]string{
		"hash":       "id: \"${result.sha256}\", create: {file: write: {path: \"a\", content: \"hello\"}, return: size: \"${result.size}\"}",
		"named step": "id: \"${steps.w.sha256}\", create: steps: [{as: \"w\", file: write: {path: \"a\", content: \"hello\"}}, {file: stat: path: \"a\"}]",
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := newWorld().engine(t, "file: root: \".\"\nresources: File: {\n\tinputs: {}\n\toutputs: size?: int\n\t"+operation+"\n}")
			out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("File")})
			if out.Err != nil || out.State == nil || out.State.ID == "" {
				t.Errorf("%+v", out)
			}
		})
	}
}

// TestFilesInTheWay creates a resource in whose place something exists: only an object that nothing of the program has made can
// be imported.
func TestFilesInTheWay(t *testing.T) {
	t.Parallel()
	for _, create := range []string{`write: {path: "${inputs.path}", content: "${inputs.text}"}`, `mkdir: {path: "${inputs.path}", mode: "${inputs.text}"}`, `symlink: {path: "${inputs.path}", target: "${inputs.text}"}`} {
		for _, own := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, own %v", create, own), func(t *testing.T) {
				t.Parallel()
				e, dir := newWorld().engine(t, `name: "test"
version: "1.0.0"
file: root: "."
resources: Thing: {
	inputs: {path: string @replace(), text: string @noRead()}
	id: "${inputs.path}"
	create: file: `+create+`
	read: file: stat: path: "${id}"
	delete: file: delete: path: "${id}"
}`)
				if own {
					created(t, e, "Thing", object("path", "x", "text", "0700"))
				} else if err := os.Mkdir(filepath.Join(dir, "x"), 0o700); err != nil {
					t.Fatal(err)
				} else if !strings.Contains(create, "mkdir") {
					if err := errors.Join(os.Remove(filepath.Join(dir, "x")), os.WriteFile(filepath.Join(dir, "x"), nil, 0o600)); err != nil {
						t.Fatal(err)
					}
				}
				out := e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("path", "x", "text", "0750")})
				if out.Err == nil || out.State != nil {
					t.Fatalf("%+v", out)
				}
				if text := out.Err.Error(); strings.Contains(text, "import it if it is yours") == own || strings.Contains(text, "that this resource replaces") != own {
					t.Error(text)
				}
			})
		}
	}
}
