package pulumicli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/common/apitype"
)

// Limit is how long one command may take. It is far beyond what any needs on a
// slow machine; it is there so that a provider that hangs fails its own test.
const Limit = 3 * time.Minute

// Run runs any command of the CLI in the program's folder. The error is for a
// CLI that could not be run; that it ran and failed is the result's.
func (p *Project) Run(ctx context.Context, args ...string) (*Result, error) {
	return p.run(ctx, "", args)
}

// Up, Preview, Refresh and Destroy run the command of that name without asking
// anything, with its events. More arguments (`--target`, `--replace`) follow.
func (p *Project) Up(ctx context.Context, args ...string) (*Result, error) {
	return p.operate(ctx, "up", append([]string{"--yes", "--skip-preview"}, args...))
}

// Preview is described at Up.
func (p *Project) Preview(ctx context.Context, args ...string) (*Result, error) {
	return p.operate(ctx, "preview", args)
}

// Refresh is described at Up.
func (p *Project) Refresh(ctx context.Context, args ...string) (*Result, error) {
	return p.operate(ctx, "refresh", append([]string{"--yes", "--skip-preview"}, args...))
}

// Destroy is described at Up.
func (p *Project) Destroy(ctx context.Context, args ...string) (*Result, error) {
	return p.operate(ctx, "destroy", append([]string{"--yes", "--skip-preview"}, args...))
}

// Import imports one resource by its id, unprotected, and without printing
// code for it.
func (p *Project) Import(ctx context.Context, token, name, id string) (*Result, error) {
	return p.operate(ctx, "import", []string{
		token, name, id, "--yes", "--skip-preview", "--protect=false", "--generate-code=false",
	})
}

// Export is the stack's state as the backend has it: secrets are encrypted. It
// is read from the backend's file, which a `pulumi stack export` would only
// copy, at the price of a process.
func (p *Project) Export() (*apitype.DeploymentV3, error) {
	data, err := os.ReadFile(p.statePath())
	if err != nil {
		return nil, fmt.Errorf("reading the state: %w", err)
	}
	var file struct {
		Checkpoint apitype.CheckpointV3 `json:"checkpoint"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("reading the state: %w", err)
	}
	if file.Checkpoint.Latest == nil {
		return &apitype.DeploymentV3{}, nil // nothing was ever made
	}
	return file.Checkpoint.Latest, nil
}

// Resource is the recorded resource of that name in the program, or nil.
func (p *Project) Resource(name string) (*apitype.ResourceV3, error) {
	state, err := p.Export()
	if err != nil {
		return nil, err
	}
	for i, r := range state.Resources {
		if r.URN.Name() == name && !strings.HasPrefix(string(r.Type), "pulumi:") && !r.Delete {
			return &state.Resources[i], nil
		}
	}
	return nil, nil
}

// Outputs are the stack's outputs, with secrets in plain text.
func (p *Project) Outputs(ctx context.Context) (map[string]any, error) {
	r, err := p.Run(ctx, "stack", "output", "--json", "--show-secrets")
	if err != nil {
		return nil, err
	}
	if err := r.Failure(); err != nil {
		return nil, err
	}
	out := map[string]any{}
	if err := json.Unmarshal([]byte(r.Stdout), &out); err != nil {
		return nil, fmt.Errorf("reading the stack's outputs: %w", err)
	}
	return out, nil
}

// operate runs a command that has events.
func (p *Project) operate(ctx context.Context, command string, args []string) (*Result, error) {
	events := p.path("log", fmt.Sprintf("events-%d.json", p.runs.Add(1)))
	all := append([]string{command, "--non-interactive", "--color=never", "--event-log", events}, args...)
	r, err := p.run(ctx, events, all)
	if err != nil {
		return nil, err
	}
	r.Typed = append([]string{command}, args...)
	return r, nil
}

func (p *Project) run(ctx context.Context, eventLog string, args []string) (*Result, error) {
	ctx, cancel := context.WithTimeout(ctx, Limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, p.opts.CLI, args...)
	cmd.Dir = p.Dir
	cmd.Env = p.env
	var calls string
	if p.opts.RecordGRPC {
		calls = p.path("log", fmt.Sprintf("grpc-%s-%d.json", args[0], p.runs.Add(1)))
		cmd.Env = append(cmd.Env[:len(cmd.Env):len(cmd.Env)], "PULUMI_DEBUG_GRPC="+calls)
	}
	// The CLI cleans its plugins up when it is interrupted, and not when it is
	// killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		return nil, fmt.Errorf("pulumi %s: %w\n%s%s", strings.Join(args, " "), errors.Join(err, ctx.Err()), &stdout, &stderr)
	}
	r := &Result{Typed: args, ExitCode: cmd.ProcessState.ExitCode(), Stdout: stdout.String(), Stderr: stderr.String()}
	var unread error
	r.Events, err = readLines[apitype.EngineEvent](eventLog)
	r.Calls, unread = readLines[RPC](calls)
	if r.ExitCode < 0 {
		return r, nil // it was killed, perhaps in the middle of a line
	}
	return r, errors.Join(err, unread)
}

// readLines decodes a file of one JSON document a line; "" and a file that was
// never written are empty.
func readLines[T any](path string) ([]T, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []T
	for line := range bytes.Lines(data) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var one T
		if err := json.Unmarshal(line, &one); err != nil {
			return nil, fmt.Errorf("%s, line %s: %w", path, strconv.Itoa(len(all)+1), err)
		}
		all = append(all, one)
	}
	return all, nil
}
