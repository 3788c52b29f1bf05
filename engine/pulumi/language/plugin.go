package language

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"

	"github.com/declprov/declprov/spec/screen"
)

// endTimeout is how long a provider that has to end may take: the provider lets its calls respond
// for four seconds.
const endTimeout = 5 * time.Second

// exitFailed is the exit code of a provider that could not be started.
const exitFailed = 1

// RunPlugin runs the provider of a folder, and returns what it prints and its exit code. It
// ends the provider when Pulumi's engine cancels the call, or the host ends.
func (h *Host) RunPlugin(req *pulumirpc.RunPluginRequest, stream grpc.ServerStreamingServer[pulumirpc.RunPluginResponse]) error {
	out := &output{stream: stream}
	code, err := h.runPlugin(req, out)
	if err != nil {
		if err := out.stderr(fmt.Appendln(nil, screen.Show(err.Error(), nil))); err != nil {
			return err
		}
		code = exitFailed
	}
	return out.send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Exitcode{Exitcode: int32(code)}})
}

func (h *Host) runPlugin(req *pulumirpc.RunPluginRequest, out *output) (exitCode int, err error) {
	if req.GetKind() != "" && req.GetKind() != "resource" {
		return 0, errors.New("runtime: declprov runs providers (plugins of the kind resource), got the kind " + req.GetKind())
	}
	args, err := h.options.Arguments(folderOf(req.GetInfo()))
	if err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithCancel(out.stream.Context())
	defer cancel()
	defer context.AfterFunc(h.ended, cancel)()
	cmd := exec.CommandContext(ctx, self, append(args, req.GetArgs()...)...)
	cmd.Dir, cmd.Env = req.GetPwd(), req.GetEnv()
	cmd.Stdout, cmd.Stderr = writerFunc(out.stdout), writerFunc(out.stderr)
	cmd.Cancel = func() error { return terminate(cmd.Process) }
	cmd.WaitDelay = endTimeout
	// Nothing is written to standard input. Its end tells the provider that this host is gone.
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	defer stdin.Close()
	if err := cmd.Start(); err != nil {
		return 0, fmt.Errorf("starting the provider: %w", err)
	}
	err = cmd.Wait()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode(), nil
	}
	return 0, err
}

// terminate asks a process to end, or kills it where there are no signals.
func terminate(p *os.Process) error {
	err := p.Signal(syscall.SIGTERM)
	if err == nil || errors.Is(err, os.ErrProcessDone) {
		return err
	}
	return p.Kill()
}

// writerFunc is an io.Writer that passes what is written to a function.
type writerFunc func(text []byte) error

func (w writerFunc) Write(text []byte) (int, error) { return len(text), w(text) }

// output is the stream of what a provider prints. The provider writes to its standard output
// and standard error at the same time; a stream must not be sent to concurrently.
type output struct {
	mu     sync.Mutex
	stream grpc.ServerStreamingServer[pulumirpc.RunPluginResponse]
}

func (o *output) stdout(text []byte) error {
	return o.send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stdout{Stdout: text}})
}

func (o *output) stderr(text []byte) error {
	return o.send(&pulumirpc.RunPluginResponse{Output: &pulumirpc.RunPluginResponse_Stderr{Stderr: text}})
}

func (o *output) send(r *pulumirpc.RunPluginResponse) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.stream.Send(r)
}
