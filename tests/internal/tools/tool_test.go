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

// recorder is a test that only notes how it ended.
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

// TestAKernelWithoutLandlock: `make test-deps` does not fail for what no package brings;
// the tests that need it say why they are left out, and fail where skips are forbidden.
func TestAKernelWithoutLandlock(t *testing.T) {
	old := landlockTool(func() error { return errors.New("Linux 5.4 has no Landlock") })
	var log strings.Builder
	if err := old.Install(t.Context(), "", &log); err != nil {
		t.Errorf("bringing it: %v", err)
	}
	const why = "not available on this machine: it takes Linux 6.12 or newer, booted with landlock in the list lsm=: Linux 5.4 has no Landlock"
	if want := "landlock: tests of commands in the kernel's sandbox will be left out: " + why + "\n"; log.String() != want {
		t.Errorf("it said %q, want %q", log.String(), want)
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

// TestWhatCannotBeUsedOnceBrought: a container may have a program and not let it do its
// work.
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
		t.Errorf("brought: %t, %v; it said %q", brought, err, log.String())
	}
}

func TestAToolThatIsThere(t *testing.T) {
	present := systemTool("go", "everything", "go")
	if got := need(t, present, ""); filepath.Base(got) != "go"+exeSuffix() {
		t.Errorf("found %q", got)
	}
	if err := present.Install(t.Context(), "", io.Discard); err != nil {
		t.Errorf("bringing what is there: %v", err)
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
	if _, err := Named("no such tool"); err == nil {
		t.Error("a tool that does not exist has no error")
	}
}

func TestPinnedVersions(t *testing.T) {
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	for _, module := range []string{pulumiModule, pulumiYAMLModule} {
		if v, err := pinned(root, module); err != nil || !strings.HasPrefix(v, "v") {
			t.Errorf("%s: %q, %v", module, v, err)
		}
	}
	if _, err := pinned(root, "example.com/none"); err == nil {
		t.Error("a module that is not required has a version")
	}
	// The Python SDK speaks the same protocol as the CLI.
	if v, _ := pinned(root, pulumiModule); v != "v"+pythonPulumi {
		t.Errorf("the CLI is %s and the Python SDK %s", v, pythonPulumi)
	}
}

func TestAHalfMadeEnvironmentDoesNotCount(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(venv(root), "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := findVenv(root); !errors.Is(err, ErrMissing) {
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
			t.Errorf("meanwhile the policy was %q, and is %q", seen, policy())
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
		t.Errorf("a policy that was there was %q meanwhile, and is %q", seen, policy())
	}
}
