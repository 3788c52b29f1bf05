package secrets

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/declprov/declprov/tests/internal/hostile"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// TestPulumiTellsSecretsAtV9 shows that the lines that pulumiTrace matches are Pulumi's own.
// With a provider written by hand that logs nothing, Pulumi's processes write the same lines,
// including the secret, at the highest verbosity. So with -v=9 a user gets secrets from
// Pulumi, with any provider. All other lines contain no secrets.
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
	d := &userStack{canaryServer: newCanaryServer(t, hostile.Start(t)), flags: verbosities()["verbose"], folder: folder}
	d.stack = pulumitest.New(t, pulumitest.Providers{"files": folder})
	d.stack.Program("config: {pass: {type: string, secret: true}}\n" +
		"resources: {a: {type: \"files:File\", properties: {path: a.txt, content: \"${pass}\"}}}\n")
	if r, err := d.stack.Run(t.Context(), "config", "set", "pass", "--secret", d.canaries["body"]); err != nil || r.ExitCode != 0 {
		t.Fatal(err, r)
	}
	r := d.run("up")
	if r.ExitCode != 0 {
		t.Fatal(r.Failure())
	}
	if len(findShapes(d.shapes, r.Stderr)) == 0 {
		t.Error("Pulumi no longer logs secrets; search its whole log in the other tests")
	}
}
