package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
)

// files is the provider of files. It writes as declprov does: to a temporary
// file, to the disk, and renamed.
type files struct {
	host
	sync bool
}

func (*files) GetSchema(context.Context, *pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error) {
	return &pulumirpc.GetSchemaResponse{Schema: fileSchema}, nil
}

func (*files) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
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

func (*files) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return diff(req, "path"), nil
}

func (p *files) Create(_ context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
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
	return &pulumirpc.CreateResponse{Id: path, Properties: fileOutputs(in)}, nil
}

func (p *files) Update(_ context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	in := req.GetNews()
	if req.GetPreview() {
		return &pulumirpc.UpdateResponse{Properties: in}, nil
	}
	if err := p.write(in); err != nil {
		return nil, err
	}
	return &pulumirpc.UpdateResponse{Properties: fileOutputs(in)}, nil
}

func (*files) Read(_ context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
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
	return &pulumirpc.ReadResponse{Id: req.GetId(), Inputs: in, Properties: fileOutputs(in)}, nil
}

func (p *files) Delete(_ context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	if err := os.Remove(req.GetId()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return &emptypb.Empty{}, p.settle(req.GetId())
}

// write is whole or not at all.
func (p *files) write(in *structpb.Struct) error {
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
func (p *files) settle(path string) error {
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

func fileOutputs(in *structpb.Struct) *structpb.Struct {
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

const fileSchema = `{"name":"files","version":"0.1.0","resources":{"files:index:File":{` +
	`"inputProperties":{"path":{"type":"string","willReplaceOnChanges":true},"content":{"type":"string"},"mode":{"type":"string"},"force":{"type":"boolean"}},` +
	`"requiredInputs":["path","content"],` +
	`"properties":{"path":{"type":"string"},"content":{"type":"string"},"mode":{"type":"string"},"force":{"type":"boolean"},"sha256":{"type":"string"},"size":{"type":"integer"}},` +
	`"required":["path","content","sha256","size"]}}}`
