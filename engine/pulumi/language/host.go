// Package language implements Pulumi's language host for `runtime: declprov`: a folder with
// a PulumiPlugin.yaml of that runtime and a spec is a provider. Pulumi starts the host as
// pulumi-language-declprov, and asks it to run the provider.
//
// The protocol is LanguageRuntime of github.com/pulumi/pulumi/sdk/v3/proto/go; which calls the
// CLI sends for such a folder was observed with Pulumi 3.259.
package language

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/declprov/declprov/engine/pulumi/plugin"
)

// Runtime is the name of the runtime in PulumiPlugin.yaml.
const Runtime = "declprov"

// Binary is the file name of the language host, without the extension of the platform.
const Binary = "pulumi-language-" + Runtime

// IsHost reports whether a process that was started as argv0 is the language host.
func IsHost(argv0 string) bool {
	return strings.TrimSuffix(filepath.Base(argv0), ".exe") == Binary
}

// Folder is a folder with a PulumiPlugin.yaml of the runtime.
type Folder struct {
	// Dir is the path of the folder.
	Dir string
	// Options are those of the runtime in PulumiPlugin.yaml.
	Options map[string]any
}

// Options determine how a host runs providers.
type Options struct {
	// Version is the version of declprov, as strict semver.
	Version string
	// Check compiles the spec of a folder. It writes warnings to stderr. The error contains the
	// mistakes of the spec.
	Check func(ctx context.Context, f Folder, stderr io.Writer) error
	// Arguments returns the arguments with which this binary serves the spec of a folder. The
	// arguments that Pulumi passes to a provider follow.
	Arguments func(f Folder) ([]string, error)
}

// Host is the language host.
type Host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer

	options Options
	// ended is done when the host shuts down. Providers that it runs then end.
	ended context.Context
}

// Run serves a language host until the engine of Pulumi that started it ends. args are the arguments of
// the process.
func Run(ctx context.Context, options Options, args []string) error {
	ended, end := context.WithCancel(ctx)
	defer end()
	h := &Host{options: options, ended: ended}
	server := grpc.NewServer(grpc.Creds(insecure.NewCredentials()))
	pulumirpc.RegisterLanguageRuntimeServer(server, h)
	return plugin.Process{
		Server: server, EngineAddress: plugin.ParseArgs(args),
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		ShutDown: func() {
			end()
			server.GracefulStop() // RunPlugin returns when its provider has ended
		},
	}.Run(ctx)
}

// GetPluginInfo returns the version of declprov.
func (h *Host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: h.options.Version}, nil
}

// Handshake is what an engine of Pulumi calls that attaches to the host. There is nothing to agree on.
func (h *Host) Handshake(context.Context, *pulumirpc.LanguageHandshakeRequest) (*pulumirpc.LanguageHandshakeResponse, error) {
	return &pulumirpc.LanguageHandshakeResponse{}, nil
}

// About describes the host for `pulumi about`.
func (h *Host) About(context.Context, *pulumirpc.AboutRequest) (*pulumirpc.AboutResponse, error) {
	executable, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return &pulumirpc.AboutResponse{Executable: executable, Version: h.options.Version}, nil
}

// GetRequiredPlugins returns no plugins: a spec requires none.
func (h *Host) GetRequiredPlugins(context.Context, *pulumirpc.GetRequiredPluginsRequest) (*pulumirpc.GetRequiredPluginsResponse, error) {
	return &pulumirpc.GetRequiredPluginsResponse{}, nil
}

// GetRequiredPackages returns no packages: a spec requires none.
func (h *Host) GetRequiredPackages(context.Context, *pulumirpc.GetRequiredPackagesRequest) (*pulumirpc.GetRequiredPackagesResponse, error) {
	return &pulumirpc.GetRequiredPackagesResponse{}, nil
}

// GetProgramDependencies returns no dependencies: a spec has none.
func (h *Host) GetProgramDependencies(context.Context, *pulumirpc.GetProgramDependenciesRequest) (*pulumirpc.GetProgramDependenciesResponse, error) {
	return &pulumirpc.GetProgramDependenciesResponse{}, nil
}

// RuntimeOptionsPrompts returns no prompts.
func (h *Host) RuntimeOptionsPrompts(context.Context, *pulumirpc.RuntimeOptionsRequest) (*pulumirpc.RuntimeOptionsResponse, error) {
	return &pulumirpc.RuntimeOptionsResponse{}, nil
}

// errNoPrograms reports that a Pulumi.yaml has `runtime: declprov`.
const errNoPrograms = "runtime: declprov is the runtime of providers, in PulumiPlugin.yaml. A program needs another runtime in its Pulumi.yaml, such as yaml, nodejs, python or go"

// Run returns an error, because declprov runs providers and no programs.
func (h *Host) Run(context.Context, *pulumirpc.RunRequest) (*pulumirpc.RunResponse, error) {
	return &pulumirpc.RunResponse{Error: errNoPrograms}, nil
}

// GeneratePackage returns an error, because declprov is not a language for programs.
func (h *Host) GeneratePackage(context.Context, *pulumirpc.GeneratePackageRequest) (*pulumirpc.GeneratePackageResponse, error) {
	return nil, status.Error(codes.Unimplemented, errNoPrograms)
}

// InstallDependencies compiles the spec of a provider, so that `pulumi install` reports its
// mistakes, and later starts find it in the cache.
func (h *Host) InstallDependencies(
	req *pulumirpc.InstallDependenciesRequest, stream grpc.ServerStreamingServer[pulumirpc.InstallDependenciesResponse],
) error {
	if !req.GetIsPlugin() {
		return status.Error(codes.FailedPrecondition, errNoPrograms)
	}
	stderr := func(text []byte) error { return stream.Send(&pulumirpc.InstallDependenciesResponse{Stderr: text}) }
	return h.options.Check(stream.Context(), folderOf(req.GetInfo()), writerFunc(stderr))
}

// folderOf returns the folder that a request is about. Its root directory is that of the
// program.
func folderOf(info *pulumirpc.ProgramInfo) Folder {
	return Folder{Dir: info.GetProgramDirectory(), Options: info.GetOptions().AsMap()}
}
