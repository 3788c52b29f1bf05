// Raw is the floor that declprov is measured against: providers for files and
// for pets, written by hand on the protocol's own server, with no framework, no
// schema check and no spec. Which of them it is, its name says, as declprov's
// does.
package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// maxMessage is Pulumi's own limit.
const maxMessage = 400 << 20

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage))
	pulumirpc.RegisterResourceProviderServer(server, named(filepath.Base(os.Args[0])))
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	if err := server.Serve(listener); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// named is the provider of that name.
func named(program string) pulumirpc.ResourceProviderServer {
	if program != "pulumi-resource-petstore" {
		return &files{sync: os.Getenv("RAW_NO_FSYNC") == ""}
	}
	return &pets{
		endpoint: os.Getenv("PETSTORE_ENDPOINT"), token: os.Getenv("PETSTORE_TOKEN"),
		client: &http.Client{
			Transport: &http.Transport{MaxIdleConns: 256, MaxIdleConnsPerHost: 256, IdleConnTimeout: 90 * time.Second},
			Timeout:   2 * time.Minute,
		},
	}
}

// host is what both answer alike.
type host struct {
	pulumirpc.UnimplementedResourceProviderServer
}

// Parameterize accepts every parameter.
func (host) Parameterize(_ context.Context, req *pulumirpc.ParameterizeRequest) (*pulumirpc.ParameterizeResponse, error) {
	return &pulumirpc.ParameterizeResponse{Name: req.GetValue().GetName(), Version: req.GetValue().GetVersion()}, nil
}

// Handshake accepts secrets and resources as values.
func (host) Handshake(context.Context, *pulumirpc.ProviderHandshakeRequest) (*pulumirpc.ProviderHandshakeResponse, error) {
	return &pulumirpc.ProviderHandshakeResponse{AcceptSecrets: true, AcceptResources: true, AcceptOutputs: true}, nil
}

func (host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "0.1.0"}, nil
}

func (host) CheckConfig(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: req.GetNews()}, nil
}

func (host) DiffConfig(context.Context, *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}, nil
}

func (host) Configure(context.Context, *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	return &pulumirpc.ConfigureResponse{AcceptSecrets: true, SupportsPreview: true, AcceptResources: true, AcceptOutputs: true}, nil
}

func (host) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// diff compares inputs; a change of the one that is named replaces.
func diff(req *pulumirpc.DiffRequest, replacing string) *pulumirpc.DiffResponse {
	out := &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE, HasDetailedDiff: true}
	for name, v := range req.GetNews().GetFields() {
		if proto.Equal(v, req.GetOldInputs().GetFields()[name]) {
			continue
		}
		out.Changes = pulumirpc.DiffResponse_DIFF_SOME
		out.Diffs = append(out.Diffs, name)
		if name == replacing {
			out.Replaces = append(out.Replaces, name)
		}
	}
	return out
}
