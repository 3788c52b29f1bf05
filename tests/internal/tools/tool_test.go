package tools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorder is a test that only records how it ended.
type recorder struct {
	testing.TB
	skipped, failed string
}

func (r *recorder) Helper()                        {}
func (r *recorder) Skipf(format string, a ...any)  { r.skipped = fmt.Sprintf(format, a...) }
func (r *recorder) Fatalf(format string, a ...any) { r.failed = fmt.Sprintf(format, a...) }

func TestAMissingToolIsSkippedOrFails(t *testing.T) {
	missing := systemTool("nothing", "nothing at all", "no-such-program-anywhere")
	t.Setenv(NoSkip, "")
	r := &recorder{TB: t}
	need(r, missing, "")
	if want := "nothing is missing (nothing at all): run `make test-deps`"; r.skipped != want || r.failed != "" {
		t.Errorf("skipped %q, failed %q; want a skip with %q", r.skipped, r.failed, want)
	}
	t.Setenv(NoSkip, "1")
	r = &recorder{TB: t}
	need(r, missing, "")
	if r.skipped != "" || !strings.Contains(r.failed, "make test-deps") {
		t.Errorf("skipped %q, failed %q; want a failure that says what to do", r.skipped, r.failed)
	}
}

// TestAKernelWithoutLandlock checks that `make test-deps` does not fail for a tool that
// cannot be installed. Tests that need it are skipped with the reason, and fail if skips are
// forbidden.
func TestAKernelWithoutLandlock(t *testing.T) {
	old := landlockTool(func() error { return errors.New("Linux 5.4 has no Landlock") })
	var log strings.Builder
	if err := old.Install(t.Context(), "", &log); err != nil {
		t.Errorf("installing it: %v", err)
	}
	const why = "not available on this machine: it requires Linux 6.12 or newer, booted with landlock in the list lsm=: Linux 5.4 has no Landlock"
	if want := "landlock: tests of commands in the kernel's sandbox will be skipped: " + why + "\n"; log.String() != want {
		t.Errorf("got %q, want %q", log.String(), want)
	}
	want := "landlock is needed (commands in the kernel's sandbox): " + why
	t.Setenv(NoSkip, "")
	r := &recorder{TB: t}
	need(r, old, "")
	if r.skipped != want || r.failed != "" {
		t.Errorf("skipped %q, failed %q; want a skip with %q", r.skipped, r.failed, want)
	}
	t.Setenv(NoSkip, "1")
	r = &recorder{TB: t}
	need(r, old, "")
	if r.failed != want {
		t.Errorf("skipped %q, failed %q; want a failure with %q", r.skipped, r.failed, want)
	}
}

// TestWhatCannotBeUsedOnceBrought checks a program that is installed but cannot be used in
// the container.
func TestWhatCannotBeUsedOnceBrought(t *testing.T) {
	brought := false
	forbidden := Tool{
		Name: "strace", For: "tracing",
		find: func(string) (string, error) {
			if brought {
				return "", fmt.Errorf("%w: ptrace is forbidden", ErrImpossible)
			}
			return "", ErrMissing
		},
		install: func(context.Context, string, io.Writer) error { brought = true; return nil },
	}
	var log strings.Builder
	if err := forbidden.Install(t.Context(), "", &log); err != nil || !brought || !strings.Contains(log.String(), "ptrace is forbidden") {
		t.Errorf("installed: %t, %v; log %q", brought, err, log.String())
	}
}

func TestAToolThatIsThere(t *testing.T) {
	present := systemTool("go", "everything", "go")
	if got := need(t, present, ""); filepath.Base(got) != "go"+exeSuffix() {
		t.Errorf("found %q", got)
	}
	if err := present.Install(t.Context(), "", io.Discard); err != nil {
		t.Errorf("installing an available tool: %v", err)
	}
}

func TestEveryToolHasANameAndAPurpose(t *testing.T) {
	seen := map[string]bool{}
	for _, tool := range All() {
		if tool.Name == "" || tool.For == "" || seen[tool.Name] {
			t.Errorf("%+v", tool)
		}
		seen[tool.Name] = true
	}
	if _, err := ByName("no such tool"); err == nil {
		t.Error("a tool that does not exist has no error")
	}
}

func TestPinnedVersions(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range []string{pulumiModule, pulumiYAMLModule} {
		if v, err := pinnedVersion(root, "tests/tools", module); err != nil || !strings.HasPrefix(v, "v") {
			t.Errorf("%s: %q, %v", module, v, err)
		}
	}
	if _, err := pinnedVersion(root, "tests/tools", "example.com/none"); err == nil {
		t.Error("a module that is not required has a version")
	}
	// The language server must read the CUE that declprov reads.
	server, _ := pinnedVersion(root, "tests/tools/cue", cueModule)
	if product, err := pinnedVersion(root, ".", cueModule); err != nil || product != server {
		t.Errorf("declprov has CUE %s, and the language server is of %s: %v", product, server, err)
	}
	// The SDKs and the CLI must speak the same protocol.
	cli, _ := pinnedVersion(root, "tests/tools", pulumiModule)
	for file, line := range map[string]string{
		"python/requirements.in":  "pulumi==",
		"python/requirements.txt": "\npulumi==",
		"node/package.json":       `"@pulumi/pulumi": "`,
	} {
		text, err := os.ReadFile(filepath.Join(root, "tests", "tools", file))
		if line += strings.TrimPrefix(cli, "v"); err != nil || !strings.Contains(string(text), line) {
			t.Errorf("%s does not contain %q: %v", file, line, err)
		}
	}
}

func TestAHalfMadeEnvironmentDoesNotCount(t *testing.T) {
	root := t.TempDir()
	pins := filepath.Join(root, "tests", "tools", "python")
	if err := os.MkdirAll(pins, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(pins, "requirements.txt"), []byte("pulumi==1"), 0o644); err != nil {
		t.Fatal(err)
	}
	dir, err := pinnedFolder(root, PythonEnvironment, filepath.Join(pins, "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	python := pythonTool(PythonEnvironment, "", "python", "")
	if _, err := python.find(root); !errors.Is(err, ErrMissing) {
		t.Errorf("error %v", err)
	}
}

func TestAnInstallationStartsNoServices(t *testing.T) {
	file := filepath.Join(t.TempDir(), "policy-rc.d")
	policy := func() string {
		text, err := os.ReadFile(file)
		if err != nil {
			return ""
		}
		return string(text)
	}
	seen := ""
	look := func() error { seen = policy(); return nil }
	if os.Geteuid() == 0 { // others would be asked for a password
		if err := withoutServices(t.Context(), io.Discard, file, look); err != nil {
			t.Fatal(err)
		}
		if want := "#!/bin/sh\nexit 101\n"; seen != want || policy() != "" {
			t.Errorf("the policy was %q during the installation, and is %q after it", seen, policy())
		}
	}
	const own = "the machine's own"
	if err := os.WriteFile(file, []byte(own), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := withoutServices(t.Context(), io.Discard, file, look); err != nil {
		t.Fatal(err)
	}
	if seen != own || policy() != own {
		t.Errorf("an existing policy was %q during the installation, and is %q after it", seen, policy())
	}
}
