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

// Process is a provider that runs on its own, as it does under Pulumi, and a
// connection to it.
type Process struct {
	*client.Client
	// PID is the process's, Port where it listens.
	PID, Port int

	stdin io.Closer
	cmd   *exec.Cmd
	ended chan struct{}
}

// Start starts the provider of that name in a folder, with a program in dir.
// More arguments are the process's: the engine's address. It is stopped when
// the test ends.
func Start(t testing.TB, folder, name, dir string, args ...string) *Process {
	t.Helper()
	o := Options{Dir: dir, Stderr: t.Output(), Args: args}
	if os.Getenv("DECLPROV_JOURNAL") == "" {
		o.Env = []string{"DECLPROV_JOURNAL=" + t.TempDir()} // and not the user's
	}
	p, err := Launch(folder, name, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p
}

// Options say how a provider is launched: with a program in Dir, more variables
// and arguments, and where its standard error goes.
type Options struct {
	Dir    string
	Env    []string
	Args   []string
	Stderr io.Writer
}

// Launch is Start for those who stop the process themselves. It needs a journal that is
// not the user's.
func Launch(folder, name string, o Options) (_ *Process, err error) {
	own := slices.ContainsFunc(append(os.Environ(), o.Env...), func(v string) bool {
		return strings.HasPrefix(v, "DECLPROV_JOURNAL=") && v != "DECLPROV_JOURNAL="
	})
	if !own {
		return nil, errors.New("the provider would write into the user's journal: set DECLPROV_JOURNAL")
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
		return nil, fmt.Errorf("the provider's port: %w", err)
	}
	if p.Port, err = strconv.Atoi(strings.TrimSuffix(line, "\n")); err != nil {
		return nil, fmt.Errorf("the first line is %q, and should be the port alone", line)
	}
	p.Client, err = client.Connect(p.Port)
	return p, err
}

// Engine is one that hears what providers say, until the test ends.
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

// Reconfigure checks a configuration, which must be right, and hands it over.
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

// Kill ends the process at once, as a lack of memory does.
func (p *Process) Kill() { p.cmd.Process.Kill() }

// CloseStdin ends the process's standard input, as the death of a CLI does.
func (p *Process) CloseStdin() { p.stdin.Close() }

// Interrupt sends the process what a terminal sends for Ctrl-C.
func (p *Process) Interrupt() error { return p.cmd.Process.Signal(os.Interrupt) }

// Ends reports whether the process ends within a time.
func (p *Process) Ends(within time.Duration) bool {
	select {
	case <-p.ended:
		return true
	case <-time.After(within):
		return false
	}
}

// Stop ends the process, however it is by now. It may be called twice.
func (p *Process) Stop() {
	if p.Client != nil {
		p.Client.Close()
	}
	p.stdin.Close()
	p.cmd.Process.Kill()
	<-p.ended
}
