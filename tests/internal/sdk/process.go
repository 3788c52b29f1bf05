package sdk

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/declprov/declprov/tests/internal/provider"
	"github.com/declprov/declprov/tests/internal/pulumitest"
	"github.com/declprov/declprov/tests/internal/tools"
)

// Process is a driver that runs a program in a stack.
type Process struct {
	Stack *pulumitest.Stack
	t     testing.TB
	w     *Workspace
	in    io.Writer
	out   *bufio.Reader
}

// Output is an output of a stack.
type Output struct {
	Value  any
	Secret bool
}

// Start installs the provider of a spec into an empty home, and starts the driver of a
// program. env is added to the environment of the driver, the CLI and the provider.
func (w *Workspace) Start(t testing.TB, specPath, program string, env ...string) *Process {
	t.Helper()
	stack := pulumitest.New(t, nil, append(env, "PULUMI_ROOT="+filepath.Dir(filepath.Dir(tools.Need(t, tools.Pulumi))))...)
	install := exec.CommandContext(t.Context(), provider.Binary(t), "install", "--yes", specPath)
	install.Env = stack.Environment()
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("installing %s: %v\n%s", specPath, err, out)
	}
	// The Automation API writes a project for the language of the driver.
	if err := os.Remove(filepath.Join(stack.Dir, "Pulumi.yaml")); err != nil {
		t.Fatal(err)
	}
	argv := w.build(t, program)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stderr = stack.Dir, stack.Environment(), t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close() // ends the driver
		if err := cmd.Wait(); err != nil {
			t.Errorf("the driver: %v", err)
		}
	})
	return &Process{Stack: stack, t: t, w: w, in: in, out: bufio.NewReader(out)}
}

// Program replaces the program. Only the driver for Python reads it again.
func (p *Process) Program(text string) {
	p.t.Helper()
	writeFile(p.t, filepath.Join(p.w.Dir, p.w.Language.Program), text)
}

// Do runs a command of the driver, which must succeed with these operations, such as
// "create=2 same=1" (or "" for commands without), and returns the outputs.
func (p *Process) Do(command, ops string) map[string]Output {
	p.t.Helper()
	done := p.send(command)
	if done.Error != "" {
		p.t.Fatalf("%s: %s", command, done.Error)
	}
	var got []string
	for _, op := range slices.Sorted(maps.Keys(done.Changes)) {
		if done.Changes[op] > 0 {
			got = append(got, fmt.Sprintf("%s=%d", op, done.Changes[op]))
		}
	}
	if strings.Join(got, " ") != ops {
		p.t.Fatalf("%s: did %q, want %q", command, got, ops)
	}
	return done.Outputs
}

// Fails runs a command of the driver, which must fail, and returns its error.
func (p *Process) Fails(command string) string {
	p.t.Helper()
	done := p.send(command)
	if done.Error == "" {
		p.t.Fatalf("%s succeeds: %v", command, done.Changes)
	}
	return done.Error
}

type outcome struct {
	Changes map[string]int
	Outputs map[string]Output
	Error   string
}

func (p *Process) send(command string) outcome {
	p.t.Helper()
	if _, err := fmt.Fprintln(p.in, command); err != nil {
		p.t.Fatalf("%s: %v", command, err)
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("%s: the driver has ended: %v", command, err)
	}
	var done outcome
	if err := json.Unmarshal([]byte(line), &done); err != nil {
		p.t.Fatalf("%s: %v in %q", command, err, line)
	}
	return done
}
