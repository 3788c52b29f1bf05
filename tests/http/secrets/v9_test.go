package secrets

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/hostile"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// TestPulumiTellsSecretsAtV9 shows whose the lines are that `own` finds: with a
// provider written by hand, which logs nothing at all, Pulumi's own processes
// write the same ones, with the secret in them, when they are asked to log
// everything. So whoever asks for -v=9 gets secrets from Pulumi, whatever the
// provider does, and no provider can help it. All other lines are clean.
func TestPulumiTellsSecretsAtV9(t *testing.T) {
	t.Parallel()
	root, err := tools.Root()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(folder, "pulumi-resource-files"), "./bench/raw")
	build.Dir = filepath.Join(root, "tests")
	if printed, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, printed)
	}
	d := &desk{scene: newScene(t, hostile.Start(t)), flags: loudness()["verbose"], folder: folder}
	d.stack = pulumitest.New(t, pulumitest.Providers{"files": folder})
	d.stack.Program("config: {pass: {type: string, secret: true}}\n" +
		"resources: {a: {type: \"files:File\", properties: {path: a.txt, content: \"${pass}\"}}}\n")
	if r, err := d.stack.Run(t.Context(), "config", "set", "pass", "--secret", d.canaries["body"]); err != nil || r.ExitCode != 0 {
		t.Fatal(err, r)
	}
	r := d.runs("up")
	if r.ExitCode != 0 {
		t.Fatal(r.Failure())
	}
	if len(found(d.shapes, r.Stderr)) == 0 {
		t.Error("Pulumi tells no secrets any more: search all of its log in the other tests, too")
	}
}
