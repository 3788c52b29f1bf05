package pulumi_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/plugin"
)

// serveVariable makes the test's own binary a provider, so that these tests
// watch a real process.
const serveVariable = "DECLPROV_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) == "" {
		os.Exit(runWithJournal(m))
	}
	if err := serveThings(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// runWithJournal runs the tests with a journal of their own: nothing of the user's is
// written, and none has to read what all earlier ones left.
func runWithJournal(m *testing.M) int {
	dir, err := os.MkdirTemp("", "journal")
	if err == nil {
		err = os.Setenv("DECLPROV_JOURNAL", dir)
	}
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	return m.Run()
}

// serveThings is the provider: creating a thing hangs until its end, or for good
// if it is called "stubborn"; a "slow" one takes its time to end.
func serveThings() error {
	l := &lab{}
	l.on("first", func(ctx context.Context, call *actions.Call) actions.Outcome {
		if call.Args["with"] == "stubborn" {
			select {}
		}
		fmt.Fprintln(os.Stderr, "began")
		<-ctx.Done()
		if call.Args["with"] == "slow" {
			time.Sleep(1500 * time.Millisecond)
		}
		return actions.Refuse(ctx.Err())
	})
	p, err := l.compile(context.Background(), things)
	if err != nil {
		return err
	}
	return pulumi.Serve(context.Background(), pulumi.Options{
		Program: p, Version: "1.2.3", EngineAddress: plugin.ParseArgs(os.Args[1:]), Stdin: os.Stdin,
	})
}

// process is a provider that runs by itself.
type process struct {
	cmd    *exec.Cmd
	port   int
	stdin  io.Closer
	stderr *bufio.Reader
	ended  chan error
}

func startProcess(t *testing.T, args ...string) *process {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: exec.Command(binary, args...), ended: make(chan error, 1)}
	// A binary with the race detector sleeps a second when it ends, unless told.
	p.cmd.Env = append(os.Environ(), serveVariable+"=1", "GORACE=atexit_sleep_ms=0")
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stderr = bufio.NewReader(stderr)
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if p.port, err = strconv.Atoi(strings.TrimSuffix(line, "\n")); err != nil {
		t.Fatalf("the first line is not a port: %q", line)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	return p
}

func (p *process) client(t *testing.T) *client.Client {
	t.Helper()
	c, err := client.Connect(p.port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.Configure(t.Context(), "lab", property.Map{}); err != nil {
		t.Fatal(err)
	}
	return c
}

// ends waits for the process.
func (p *process) ends(t *testing.T) {
	t.Helper()
	select {
	case err := <-p.ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
}

// TestProcess starts a provider as Pulumi does, with and without arguments.
func TestProcess(t *testing.T) {
	for name, args := range map[string][]string{
		"attach mode": nil,
		"all flags":   {"--logtostderr", "-v=9", "--tracing", "http://127.0.0.1:1", "127.0.0.1:1"},
	} {
		t.Run(name, func(t *testing.T) {
			p := startProcess(t, args...)
			c := p.client(t)
			if v, err := c.Version(t.Context()); err != nil || v != "1.2.3" {
				t.Errorf("version %q, %v", v, err)
			}
			if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
				t.Fatal(err)
			}
			p.ends(t)
		})
	}
}

// TestSignalsEndOperations: what is under way is cancelled, and still answers.
func TestSignalsEndOperations(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			p := startProcess(t)
			c := p.client(t)
			failed := make(chan error, 1)
			go func() {
				_, err := c.Create(context.WithoutCancel(t.Context()), thing, object("name", "a"), client.Operation{})
				failed <- err
			}()
			if _, err := p.stderr.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if err := p.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if err := <-failed; status.Code(err) != codes.Canceled {
				t.Errorf("error = %v, want Canceled", err)
			}
			p.ends(t)
		})
	}
}

// TestUndoAfterASignal: an operation that takes its time to undo what it did may
// still answer.
func TestUndoAfterASignal(t *testing.T) {
	p := startProcess(t)
	c := p.client(t)
	failed := make(chan error, 1)
	go func() {
		_, err := c.Create(context.WithoutCancel(t.Context()), thing, object("name", "slow"), client.Operation{})
		failed <- err
	}()
	if _, err := p.stderr.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := <-failed; status.Code(err) != codes.Canceled {
		t.Errorf("error = %v, want Canceled", err)
	}
	p.ends(t)
}

// TestStubbornOperations: one that does not end does not keep the process.
func TestStubbornOperations(t *testing.T) {
	p := startProcess(t)
	c := p.client(t)
	failed := make(chan error, 1)
	go func() {
		_, err := c.Create(context.WithoutCancel(t.Context()), thing, object("name", "stubborn"), client.Operation{})
		failed <- err
	}()
	time.Sleep(50 * time.Millisecond) // it says nothing when it begins
	if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	p.ends(t) // then the engine kills
	if err := <-failed; err == nil {
		t.Error("the operation succeeded")
	}
}

// TestStdin: its end ends the process where the engine is gone; where it is
// alive, or none has started the process, it says nothing.
func TestStdin(t *testing.T) {
	alive, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	dead, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	deadAddress := dead.Addr().String()
	if err := dead.Close(); err != nil {
		t.Fatal(err)
	}
	t.Run("dead engine", func(t *testing.T) {
		p := startProcess(t, deadAddress)
		if err := p.stdin.Close(); err != nil {
			t.Fatal(err)
		}
		p.ends(t)
	})
	for name, args := range map[string][]string{"live engine": {alive.Addr().String()}, "attach mode": nil} {
		t.Run(name, func(t *testing.T) {
			p := startProcess(t, args...)
			if err := p.stdin.Close(); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-p.ended:
				t.Fatalf("it ended: %v", err)
			case <-time.After(200 * time.Millisecond):
			}
			p.client(t)
		})
	}
}

// TestServeReportsABrokenStdout: without its port a provider is of no use.
func TestServeReportsABrokenStdout(t *testing.T) {
	broken := errors.New("broken pipe")
	err := pulumi.Serve(t.Context(), pulumi.Options{Stdout: failingWriter{broken}})
	if !errors.Is(err, broken) {
		t.Errorf("error = %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }
