package provider

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
)

// Process is a provider process, started as Pulumi does, with a connection to it.
type Process struct {
	*client.Client
	// PID is the process id, and Port the port that it listens on.
	PID, Port int

	stdin io.Closer
	cmd   *exec.Cmd
	ended chan struct{}
}

// Start starts the provider in a folder, with a program in dir. Additional arguments are
// passed to the process, such as the address of the engine. It is stopped when the test ends.
func Start(t testing.TB, folder, name, dir string, args ...string) *Process {
	t.Helper()
	o := Options{Dir: dir, Stderr: t.Output(), Args: args}
	if os.Getenv("DECLPROV_JOURNAL") == "" {
		o.Env = []string{"DECLPROV_JOURNAL=" + t.TempDir()} // not the journal of the user
	}
	p, err := Launch(folder, name, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

// Options are the options of Launch: the folder of the program, additional variables and
// arguments, and the writer for standard error.
type Options struct {
	Dir    string
	Env    []string
	Args   []string
	Stderr io.Writer
}

// Launch is Start without stopping the process at the end of the test. It requires a journal
// in Env.
func Launch(folder, name string, o Options) (_ *Process, err error) {
	own := slices.ContainsFunc(append(os.Environ(), o.Env...), func(v string) bool {
		return strings.HasPrefix(v, "DECLPROV_JOURNAL=") && v != "DECLPROV_JOURNAL="
	})
	if !own {
		return nil, errors.New("DECLPROV_JOURNAL is not set, so the provider would write to the user's journal")
	}
	p := &Process{cmd: exec.Command(filepath.Join(folder, "pulumi-resource-"+name), o.Args...), ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Stderr = o.Dir, o.Stderr
	if o.Env != nil {
		p.cmd.Env = append(os.Environ(), o.Env...)
	}
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.PID = p.cmd.Process.Pid
	defer func() {
		if err != nil {
			p.Stop()
		}
	}()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	go func() {
		p.cmd.Wait()
		close(p.ended)
	}()
	if err != nil {
		return nil, fmt.Errorf("reading the provider's port: %w", err)
	}
	if p.Port, err = strconv.Atoi(strings.TrimSuffix(line, "\n")); err != nil {
		return nil, fmt.Errorf("expected a port in the first line, got %q", line)
	}
	p.Client, err = client.Connect(p.Port)
	return p, err
}

// Engine returns an engine that receives messages of providers until the test ends.
func Engine(t testing.TB) *client.Engine {
	t.Helper()
	e, err := client.StartEngine()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	return e
}

// Configured is Start with a handshake and a configuration.
func Configured(t testing.TB, folder, name, dir string, config map[string]property.Value) *Process {
	t.Helper()
	p := Start(t, folder, name, dir)
	if err := p.Handshake(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	p.Reconfigure(t, name, config)
	return p
}

// Reconfigure checks a configuration, which must be valid, and configures the provider.
func (p *Process) Reconfigure(t testing.TB, name string, config map[string]property.Value) {
	t.Helper()
	checked, err := p.CheckConfig(t.Context(), name, property.NewMap(config))
	if err != nil || len(checked.Failures) > 0 {
		t.Fatalf("checking the configuration: %v, %v", checked.Failures, err)
	}
	if err := p.Configure(t.Context(), name, checked.Inputs); err != nil {
		t.Fatal(err)
	}
}

// Kill kills the process, as the kernel does if memory runs out.
func (p *Process) Kill() { p.cmd.Process.Kill() }

// CloseStdin closes the standard input of the process, as the death of a CLI does.
func (p *Process) CloseStdin() { p.stdin.Close() }

// Interrupt sends the process what a terminal sends for Ctrl-C.
func (p *Process) Interrupt() error { return p.cmd.Process.Signal(os.Interrupt) }

// Ends reports whether the process ends within the time.
func (p *Process) Ends(within time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(within):
		return false
	}
}

// Stop ends the process. It may be called several times.
func (p *Process) Stop() {
	if p.Client != nil {
		p.Client.Close()
	}
	p.stdin.Close()
	p.cmd.Process.Kill()
	<-p.ended
}
