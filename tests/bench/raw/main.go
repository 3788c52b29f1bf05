// Raw is the floor that declprov is measured against: a provider for files
// written by hand on the protocol's own server, with no framework, no schema
// check and no spec. It writes as declprov does: to a temporary file, to the
// disk, and renamed.
package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
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
	pulumirpc.RegisterResourceProviderServer(server, &provider{sync: os.Getenv("RAW_NO_FSYNC") == ""})
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	if err := server.Serve(listener); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type provider struct {
	pulumirpc.UnimplementedResourceProviderServer
	sync bool
}

func (*provider) Handshake(context.Context, *pulumirpc.ProviderHandshakeRequest) (*pulumirpc.ProviderHandshakeResponse, error) {
	return &pulumirpc.ProviderHandshakeResponse{AcceptSecrets: true, AcceptResources: true, AcceptOutputs: true}, nil
}

func (*provider) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "0.1.0"}, nil
}

func (*provider) GetSchema(context.Context, *pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error) {
	return &pulumirpc.GetSchemaResponse{Schema: schema}, nil
}

func (*provider) CheckConfig(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: req.GetNews()}, nil
}

func (*provider) DiffConfig(context.Context, *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}, nil
}

func (*provider) Configure(context.Context, *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	return &pulumirpc.ConfigureResponse{AcceptSecrets: true, SupportsPreview: true, AcceptResources: true, AcceptOutputs: true}, nil
}

func (*provider) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

func (*provider) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	in := req.GetNews()
	for _, name := range []string{"path", "content"} {
		if in.GetFields()[name] == nil {
			return &pulumirpc.CheckResponse{Failures: []*pulumirpc.CheckFailure{{Property: name, Reason: "missing"}}}, nil
		}
	}
	if in.Fields["mode"] == nil {
		in.Fields["mode"] = structpb.NewStringValue("0644")
	}
	if in.Fields["force"] == nil {
		in.Fields["force"] = structpb.NewBoolValue(false)
	}
	return &pulumirpc.CheckResponse{Inputs: in}, nil
}

func (*provider) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	out := &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE, HasDetailedDiff: true}
	for name, v := range req.GetNews().GetFields() {
		if proto.Equal(v, req.GetOldInputs().GetFields()[name]) {
			continue
		}
		out.Changes = pulumirpc.DiffResponse_DIFF_SOME
		out.Diffs = append(out.Diffs, name)
		if name == "path" {
			out.Replaces = append(out.Replaces, name)
		}
	}
	return out, nil
}

func (p *provider) Create(_ context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	in := req.GetProperties()
	if req.GetPreview() {
		return &pulumirpc.CreateResponse{Properties: in}, nil
	}
	path := in.Fields["path"].GetStringValue()
	if _, err := os.Lstat(path); err == nil && !in.Fields["force"].GetBoolValue() {
		return nil, fmt.Errorf("%s exists", path)
	}
	if err := p.write(in); err != nil {
		return nil, err
	}
	return &pulumirpc.CreateResponse{Id: path, Properties: outputs(in)}, nil
}

func (p *provider) Update(_ context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	in := req.GetNews()
	if req.GetPreview() {
		return &pulumirpc.UpdateResponse{Properties: in}, nil
	}
	if err := p.write(in); err != nil {
		return nil, err
	}
	return &pulumirpc.UpdateResponse{Properties: outputs(in)}, nil
}

func (*provider) Read(_ context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	data, err := os.ReadFile(req.GetId())
	if errors.Is(err, fs.ErrNotExist) {
		return &pulumirpc.ReadResponse{}, nil
	}
	if err != nil {
		return nil, err
	}
	in := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for name, v := range req.GetInputs().GetFields() {
		in.Fields[name] = v
	}
	in.Fields["path"] = structpb.NewStringValue(req.GetId())
	in.Fields["content"] = structpb.NewStringValue(string(data))
	return &pulumirpc.ReadResponse{Id: req.GetId(), Inputs: in, Properties: outputs(in)}, nil
}

func (p *provider) Delete(_ context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	if err := os.Remove(req.GetId()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &emptypb.Empty{}, p.settle(req.GetId())
}

// write is whole or not at all.
func (p *provider) write(in *structpb.Struct) error {
	path, content := in.Fields["path"].GetStringValue(), in.Fields["content"].GetStringValue()
	mode, err := strconv.ParseUint(in.Fields["mode"].GetStringValue(), 8, 32)
	if err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".raw-")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	defer temp.Close()
	if _, err := temp.WriteString(content); err != nil {
		return err
	}
	if err := temp.Chmod(fs.FileMode(mode)); err != nil {
		return err
	}
	if p.sync {
		if err := temp.Sync(); err != nil {
			return err
		}
	}
	if err := os.Rename(temp.Name(), path); err != nil {
		return err
	}
	return p.settle(path)
}

// settle makes the names beside the path outlast a crash, as declprov does
// after every change.
func (p *provider) settle(path string) error {
	if !p.sync {
		return nil
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}

func outputs(in *structpb.Struct) *structpb.Struct {
	out := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(in.Fields)+2)}
	for name, v := range in.Fields {
		out.Fields[name] = v
	}
	content := in.Fields["content"].GetStringValue()
	sum := sha256.Sum256([]byte(content))
	out.Fields["sha256"] = structpb.NewStringValue(hex.EncodeToString(sum[:]))
	out.Fields["size"] = structpb.NewNumberValue(float64(len(content)))
	return out
}

const schema = `{"name":"files","version":"0.1.0","resources":{"files:index:File":{` +
	`"inputProperties":{"path":{"type":"string","willReplaceOnChanges":true},"content":{"type":"string"},"mode":{"type":"string"},"force":{"type":"boolean"}},` +
	`"requiredInputs":["path","content"],` +
	`"properties":{"path":{"type":"string"},"content":{"type":"string"},"mode":{"type":"string"},"force":{"type":"boolean"},"sha256":{"type":"string"},"size":{"type":"integer"}},` +
	`"required":["path","content","sha256","size"]}}}`
