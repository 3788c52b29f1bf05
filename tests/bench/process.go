package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"
)

// peer is one of the providers that are compared.
type peer struct {
	name string
	// program is the path of pulumi-resource-NAME.
	program string
	env     []string
	// parameter is the value for Parameterize, or nil.
	parameter []byte
	// folder is the folder of a checked-out project, if program is its language host.
	folder string
}

// process is a peer that runs, configured.
type process struct {
	pulumirpc.ResourceProviderClient
	cmd    *exec.Cmd
	stdin  io.Closer
	conn   *grpc.ClientConn
	stderr *bytes.Buffer
	begun  time.Time // when it was executed
	// ready is how long it took from exec to the response to Configure.
	ready time.Duration
	end   context.CancelFunc
}

// start runs a peer with a program in dir, up to its response to Configure.
func start(ctx context.Context, p peer, dir string) (*process, error) {
	r, err := launch(ctx, p, dir)
	if err != nil {
		return nil, err
	}
	if err := r.configure(ctx, p.parameter, dir); err != nil {
		r.stop()
		return nil, fmt.Errorf("%s: %w\n%s", p.name, err, r.stderr)
	}
	r.ready = time.Since(r.begun)
	return r, nil
}

// launch runs a peer, and connects to it.
func launch(ctx context.Context, p peer, dir string) (*process, error) {
	cmd := exec.CommandContext(ctx, p.program)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), p.env...)
	stderr := &bytes.Buffer{}
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &process{cmd: cmd, stdin: stdin, stderr: stderr, begun: begun}
	ctx, r.end = context.WithCancel(ctx) // of the provider that a language host runs
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		r.stop()
		return nil, fmt.Errorf("%s gave no port: %w\n%s", p.name, err, stderr)
	}
	port := strings.TrimSpace(line)
	if p.folder != "" {
		if port, err = runPlugin(ctx, port, p.folder, dir); err != nil {
			r.stop()
			return nil, err
		}
	}
	r.conn, err = grpc.NewClient("passthrough:///127.0.0.1:"+port, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy())
	if err != nil {
		r.stop()
		return nil, err
	}
	r.ResourceProviderClient = pulumirpc.NewResourceProviderClient(r.conn)
	return r, nil
}

func (r *process) configure(ctx context.Context, parameter []byte, dir string) (err error) {
	if _, err := r.Handshake(ctx, &pulumirpc.ProviderHandshakeRequest{ProgramDirectory: &dir}); err != nil {
		return err
	}
	if parameter != nil {
		if _, err := r.Parameterize(ctx, &pulumirpc.ParameterizeRequest{Parameters: &pulumirpc.ParameterizeRequest_Value{
			Value: &pulumirpc.ParameterizeRequest_ParametersValue{Name: "api", Version: "0.1.0", Value: parameter},
		}}); err != nil {
			return err
		}
	}
	const urn = "urn:pulumi:dev::bench::pulumi:providers:files::default"
	checked, err := r.CheckConfig(ctx, &pulumirpc.CheckRequest{Urn: urn, News: &structpb.Struct{}})
	if err != nil {
		return err
	}
	_, err = r.Configure(ctx, &pulumirpc.ConfigureRequest{Args: checked.GetInputs(), AcceptSecrets: true, AcceptResources: true})
	return err
}

func (r *process) stop() {
	r.end()
	if r.conn != nil {
		r.conn.Close()
	}
	r.stdin.Close()
	r.cmd.Process.Kill()
	r.cmd.Wait()
}

// cpu is the processor time that the process has used.
func (r *process) cpu() (time.Duration, error) {
	// The scheduler's figure of each thread is exact to the nanosecond, where
	// /proc/PID/stat counts ticks of ten milliseconds. Go ends no threads here.
	total := time.Duration(0)
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", r.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for _, thread := range threads {
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", r.cmd.Process.Pid, thread.Name()))
		if err != nil {
			continue // it ended meanwhile
		}
		ns, err := strconv.ParseInt(strings.Fields(string(data))[0], 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(ns)
	}
	return total, nil
}

// resident is the memory that the process holds, in bytes.
func (r *process) resident() (float64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", r.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kb * 1024, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no VmRSS", r.cmd.Process.Pid)
}
