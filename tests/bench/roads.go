package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// roads measures the starts of a provider on each way to its users, and the size of its
// parameter. The way by plugins.providers is measured by starts.
func (b *bench) roads(ctx context.Context) error {
	fmt.Println("starting on every road ...")
	r := roads{b}
	for _, types := range []int{3, 30, 300} {
		spec, err := r.specFile(types)
		if err != nil {
			return err
		}
		base, err := r.basePlugin(ctx, spec, types)
		if err != nil {
			return err
		}
		archived, err := r.archived(ctx, spec)
		if err != nil {
			return err
		}
		folder, err := r.project(spec)
		if err != nil {
			return err
		}
		for _, road := range []struct {
			peer
			processes float64
		}{
			{archived, 1},
			{base, 1},
			{folder, 2}, // the language host, and the provider that it starts
		} {
			hand := b.raw
			hand.parameter = road.parameter
			raw, own, err := b.startsOf(ctx, hand, road.peer, 4*b.rounds)
			if err != nil {
				return err
			}
			budget := 1.5
			if types > 30 {
				budget = 1.8
			}
			b.rows = append(b.rows, row{
				what: fmt.Sprintf("start by %s, %d types", road.name, types), got: median(ratios(own, raw)), budget: budget * road.processes, unit: "x",
				detail: fmt.Sprintf("(%s, by hand %s)", ms(median(own)), ms(median(raw))),
			})
		}
	}
	return nil
}

// roads prepares a provider for each way to its users.
type roads struct{ *bench }

// specFile writes a spec with a number of types, and returns its path.
func (r roads) specFile(types int) (string, error) {
	folder, err := os.MkdirTemp(r.dir, "spec-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "api.cue")
	return path, os.WriteFile(path, []byte(apiOf(types)), 0o644)
}

// install runs `declprov install` with an own home for Pulumi, and returns the folder of plugins.
func (r roads) install(ctx context.Context, args ...string) (plugins string, err error) {
	home, err := os.MkdirTemp(r.dir, "home-")
	if err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, r.whole, append([]string{"install"}, args...)...)
	cmd.Env = append(os.Environ(), "PULUMI_HOME="+home)
	if printed, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("declprov install %v: %w\n%s", args, err, printed)
	}
	return filepath.Join(home, "plugins"), nil
}

// archived returns the provider of an archive: a binary and the compiled spec.
func (r roads) archived(ctx context.Context, spec string) (peer, error) {
	plugins, err := r.install(ctx, spec)
	if err != nil {
		return peer{}, err
	}
	found, err := filepath.Glob(filepath.Join(plugins, "*", "pulumi-resource-api"))
	if err != nil || len(found) != 1 {
		return peer{}, fmt.Errorf("the installed provider: %v, %w", found, err)
	}
	return peer{name: "archive", program: found[0]}, nil
}

// basePlugin returns the base plugin with a spec as its parameter, and adds the size of the
// parameter to the table.
func (r roads) basePlugin(ctx context.Context, spec string, types int) (peer, error) {
	plugins, err := r.install(ctx, "--base")
	if err != nil {
		return peer{}, err
	}
	found, err := filepath.Glob(filepath.Join(plugins, "*", "pulumi-resource-declprov"))
	if err != nil || len(found) != 1 {
		return peer{}, fmt.Errorf("the base plugin: %v, %w", found, err)
	}
	p := peer{name: "parameter", program: found[0]}
	plugin, err := launch(ctx, p, r.dir)
	if err != nil {
		return peer{}, err
	}
	defer plugin.stop()
	if _, err := plugin.Parameterize(ctx, &pulumirpc.ParameterizeRequest{Parameters: &pulumirpc.ParameterizeRequest_Args{
		Args: &pulumirpc.ParameterizeRequest_ParametersArgs{Args: []string{spec}},
	}}); err != nil {
		return peer{}, err
	}
	got, err := plugin.GetSchema(ctx, &pulumirpc.GetSchemaRequest{})
	if err != nil {
		return peer{}, err
	}
	var schema struct {
		Parameterization struct{ Parameter []byte }
	}
	if err := json.Unmarshal([]byte(got.GetSchema()), &schema); err != nil {
		return peer{}, err
	}
	p.parameter = schema.Parameterization.Parameter
	budget := 10.0
	if types > 30 {
		budget *= float64(types) / 30
	}
	r.rows = append(r.rows, row{what: fmt.Sprintf("parameter, %d types", types), got: float64(len(p.parameter)) / 1024, budget: budget, unit: "KiB"})
	return p, nil
}

// project returns the provider of a checked-out project, which a language host runs.
func (r roads) project(spec string) (peer, error) {
	folder := filepath.Dir(spec)
	if err := os.WriteFile(filepath.Join(folder, "PulumiPlugin.yaml"), []byte("runtime: declprov\n"), 0o644); err != nil {
		return peer{}, err
	}
	host := filepath.Join(r.dir, "host")
	if err := os.MkdirAll(host, 0o755); err != nil {
		return peer{}, err
	}
	program := filepath.Join(host, "pulumi-language-declprov")
	for from, to := range map[string]string{r.serving: program, r.whole: filepath.Join(host, "declprov")} {
		if _, err := os.Stat(to); err == nil {
			continue
		}
		if err := os.Link(from, to); err != nil {
			return peer{}, err
		}
	}
	return peer{name: "folder", program: program, folder: folder}, nil
}

// runPlugin lets the language host at a port start the provider of a folder, and returns the
// port of the provider.
func runPlugin(ctx context.Context, port, folder, dir string) (string, error) {
	conn, err := grpc.NewClient("passthrough:///127.0.0.1:"+port, grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithNoProxy())
	if err != nil {
		return "", err
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	stream, err := pulumirpc.NewLanguageRuntimeClient(conn).RunPlugin(ctx, &pulumirpc.RunPluginRequest{
		Pwd: dir, Env: os.Environ(), Kind: "resource",
		Info: &pulumirpc.ProgramInfo{RootDirectory: folder, ProgramDirectory: folder, EntryPoint: "."},
	})
	if err != nil {
		return "", err
	}
	printed, printing := io.Pipe()
	var stderr bytes.Buffer
	go func() {
		for {
			said, err := stream.Recv()
			if err != nil {
				printing.CloseWithError(err)
				return
			}
			printing.Write(said.GetStdout())
			stderr.Write(said.GetStderr())
		}
	}()
	line, err := bufio.NewReader(printed).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("the provider of the folder gave no port: %w\n%s", err, &stderr)
	}
	go io.Copy(io.Discard, printed)
	return strings.TrimSpace(line), nil
}
