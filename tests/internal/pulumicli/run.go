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

// Limit is how long one command may take, far more than required on a slow machine. It makes
// a test fail if its provider hangs.
const Limit = 3 * time.Minute

// Run runs a command of the CLI in the folder of the program. If the command fails, that is
// in the result; the error means that it could not be run.
func (p *Project) Run(ctx context.Context, args ...string) (*Result, error) {
	return p.run(ctx, "", args)
}

// Up runs `pulumi up` without prompts, and records its events. args are additional arguments
// (`--target`, `--replace`).
func (p *Project) Up(ctx context.Context, args ...string) (*Result, error) {
	return p.operate(ctx, "up", append([]string{"--yes", "--skip-preview"}, args...))
}

// Preview runs `pulumi preview` like Up.
func (p *Project) Preview(ctx context.Context, args ...string) (*Result, error) {
	return p.operate(ctx, "preview", args)
}

// Refresh runs `pulumi refresh` like Up.
func (p *Project) Refresh(ctx context.Context, args ...string) (*Result, error) {
	return p.operate(ctx, "refresh", append([]string{"--yes", "--skip-preview"}, args...))
}

// Destroy runs `pulumi destroy` like Up.
func (p *Project) Destroy(ctx context.Context, args ...string) (*Result, error) {
	return p.operate(ctx, "destroy", append([]string{"--yes", "--skip-preview"}, args...))
}

// Import imports one resource by its id, unprotected, without generating code.
func (p *Project) Import(ctx context.Context, token, name, id string) (*Result, error) {
	return p.operate(ctx, "import", []string{
		token, name, id, "--yes", "--skip-preview", "--protect=false", "--generate-code=false",
	})
}

// Export returns the state of the stack with encrypted secrets. It reads the file of the
// backend, which is faster than `pulumi stack export`.
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
		return &apitype.DeploymentV3{}, nil // nothing was ever created
	}
	return file.Checkpoint.Latest, nil
}

// Resource returns the recorded resource with this name in the program, or nil.
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

// Outputs returns the outputs of the stack, with secrets in plain text.
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

// operate runs a command with events.
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
	// When interrupted, the CLI stops its plugins. When killed, it does not.
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
		return r, nil // the CLI was killed, perhaps while writing a line
	}
	return r, errors.Join(err, unread)
}

// readLines decodes a file with one JSON document per line. It returns nothing for "" and for
// a missing file.
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
