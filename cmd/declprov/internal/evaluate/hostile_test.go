package evaluate_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/cmd/declprov/internal/build"
	"github.com/declprov/declprov/cmd/declprov/internal/evaluate"
	"github.com/declprov/declprov/spec/diag"
)

// TestMain runs the child process if this binary was started as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == build.ChildCommand {
		if err := evaluate.Child(context.Background(), func(string) error { return nil }, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		os.Exit(0)
	}
	child = os.Args[0]
	if underRace {
		built, done, err := childWithoutRace()
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		defer done()
		child = built
	}
	m.Run()
}

// child returns the binary of the child process: this one (see TestMain), or the same
// without the race detector.
var child string

func childWithoutRace() (path string, done func(), err error) {
	dir, err := os.MkdirTemp("", "declprov-child")
	if err != nil {
		return "", nil, err
	}
	path = filepath.Join(dir, "child")
	// Without cgo, and without debug information, no package is compiled that others of the tests are not.
	cmd := exec.Command("go", "test", "-c", "-ldflags=-w", "-o", path, ".")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", nil, fmt.Errorf("building the child without -race: %w\n%s", err, out)
	}
	return path, func() { _ = os.RemoveAll(dir) }, nil
}

func builder(limits build.Limits) *build.Builder {
	return &build.Builder{Tool: "test", Executable: child, Limits: limits, Log: slog.New(slog.DiscardHandler)}
}

func specFile(t *testing.T, content string) build.Spec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "spec.cue")
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	return build.Spec{Path: path}
}

// doubling returns a spec in which each definition contains the next one twice, depth
// times, and encoding/json writes all of it. It takes exponential time and memory.
func doubling(depth int) string {
	b := strings.Builder{}
	b.WriteString("import \"encoding/json\"\nz: json.Marshal(d0)\n")
	for i := range depth {
		fmt.Fprintf(&b, "d%d: {x: d%d, y: d%d}\n", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "d%d: 1\n", depth)
	return b.String()
}

// hostile returns specs that take CUE unlimited time or memory, each with the limits that
// may stop it.
func hostile() map[string]struct {
	spec   string
	limits []string
} {
	terms := func(n int) string {
		var factors []string
		for i := range n {
			factors = append(factors, fmt.Sprintf("({a%d: 1} | {b%d: 1} | {c%d: 1})", i, i, i))
		}
		return "p: " + strings.Join(factors, " & ")
	}
	text := "a: \"xxxxxxxxxxxxxxxx\"\n"
	for c := 'b'; c < 'k'; c++ {
		text += fmt.Sprintf("%c: %s\n", c, strings.TrimSuffix(strings.Repeat(string(c-1)+"+", 16), "+"))
	}
	const memory, processor, elapsed = "of memory", "of processor time", "longer than"
	return map[string]struct {
		spec   string
		limits []string
	}{
		"10 GB of text in 73 bytes": {
			"import \"strings\"\na: strings.Repeat(\"x\",999999)\nb: strings.Repeat(a,9999)\n", []string{memory},
		},
		"text that grows sixteenfold": {text, []string{memory, processor, elapsed}},
		"a product of lists": {
			"import \"list\"\nn: list.Range(0,400,1)\na: [for x in n for y in n for z in n for w in n if x+y+z+w < 0 {x}]\n",
			[]string{processor, elapsed, memory},
		},
		"a list of lists": {
			"import \"list\"\na: list.Repeat([1],999999)\nb: list.Repeat([a],999999)\nc: [for x in b for y in x {y}]\n",
			[]string{memory, processor, elapsed},
		},
		"structs that double":       {doubling(40), []string{memory, processor, elapsed}},
		"a product of disjunctions": {terms(16), []string{memory, processor, elapsed}},
	}
}

func TestHostileSpecsAreStopped(t *testing.T) {
	limits := build.DefaultLimits()
	limits.CPU, limits.Wall = 3*time.Second, 4*time.Second
	for name, test := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := specFile(t, test.spec)
			begun := time.Now()
			built, err := builder(limits).Evaluate(t.Context(), s)
			if err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begun); took > limits.Wall+time.Minute {
				t.Errorf("it took %s", took)
			}
			if built.Container != nil {
				t.Error("it was compiled")
			}
			assertTooCostly(t, built, s, test.limits...)
		})
	}
}

// assertTooCostly checks that the only diagnostic names one of the limits.
func assertTooCostly(t *testing.T, built *build.Built, s build.Spec, limits ...string) {
	t.Helper()
	if len(built.Findings) != 1 {
		t.Fatalf("findings are %v, want one", built.Findings)
	}
	d := built.Findings[0]
	if d.Code != "spec-too-costly" || d.Severity != diag.Error || d.Subject.File != s.Path {
		t.Errorf("finding is %+v", d)
	}
	for _, limit := range limits {
		if strings.Contains(d.Summary, limit) {
			t.Log(d.Summary)
			return
		}
	}
	t.Errorf("%q names none of %q", d.Summary, limits)
}

func TestWallTimeAlone(t *testing.T) {
	limits := build.DefaultLimits()
	limits.Wall = 300 * time.Millisecond
	s := specFile(t, hostile()["a product of lists"].spec)
	built, err := builder(limits).Evaluate(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	assertTooCostly(t, built, s, "longer than 300ms")
}

func TestCancelStopsTheChild(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(200*time.Millisecond, cancel)
	begun := time.Now()
	_, err := builder(build.DefaultLimits()).Evaluate(ctx, specFile(t, hostile()["a product of lists"].spec))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want %v", err, context.Canceled)
	}
	if took := time.Since(begun); took > time.Minute {
		t.Errorf("it took %s to stop", took)
	}
}
