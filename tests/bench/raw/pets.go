package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"
)

// pets is the provider of examples/rest-api.cue, as far as its pets go: one
// client, and the API's objects as structs.
type pets struct {
	host
	endpoint, token string
	client          *http.Client
}

// pet is a pet as the API has it.
type pet struct {
	ID     int               `json:"id,omitempty"`
	Name   string            `json:"name"`
	Kind   string            `json:"kind"`
	Tags   map[string]string `json:"tags,omitempty"`
	Status string            `json:"status,omitempty"`
}

func (*pets) GetSchema(context.Context, *pulumirpc.GetSchemaRequest) (*pulumirpc.GetSchemaResponse, error) {
	return &pulumirpc.GetSchemaResponse{Schema: petSchema}, nil
}

func (p *pets) Configure(ctx context.Context, _ *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	if err := p.send(ctx, http.MethodGet, "/me", nil, nil); err != nil {
		return nil, err
	}
	return &pulumirpc.ConfigureResponse{AcceptSecrets: true, SupportsPreview: true, AcceptResources: true, AcceptOutputs: true}, nil
}

func (*pets) Check(_ context.Context, req *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	in := req.GetNews()
	if in.GetFields()["name"] == nil {
		return &pulumirpc.CheckResponse{Failures: []*pulumirpc.CheckFailure{{Property: "name", Reason: "missing"}}}, nil
	}
	if in.Fields["kind"] == nil {
		in.Fields["kind"] = structpb.NewStringValue("dog")
	}
	return &pulumirpc.CheckResponse{Inputs: in}, nil
}

func (*pets) Diff(_ context.Context, req *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return diff(req, "kind"), nil
}

func (p *pets) Create(ctx context.Context, req *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	in := req.GetProperties()
	if req.GetPreview() {
		return &pulumirpc.CreateResponse{Properties: in}, nil
	}
	wanted := pet{
		Name: in.Fields["name"].GetStringValue(), Kind: in.Fields["kind"].GetStringValue(),
		Tags: texts(in.Fields["tags"].GetStructValue()),
	}
	var got pet
	if err := p.send(ctx, http.MethodPost, "/pets", wanted, &got); err != nil {
		return nil, err
	}
	return &pulumirpc.CreateResponse{Id: strconv.Itoa(got.ID), Properties: petOutputs(in, got)}, nil
}

func (p *pets) Read(ctx context.Context, req *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	var got pet
	err := p.send(ctx, http.MethodGet, "/pets/"+url.PathEscape(req.GetId()), nil, &got)
	if errors.Is(err, errMissing) {
		return &pulumirpc.ReadResponse{}, nil
	}
	if err != nil {
		return nil, err
	}
	in := &structpb.Struct{Fields: map[string]*structpb.Value{
		"name": structpb.NewStringValue(got.Name), "kind": structpb.NewStringValue(got.Kind),
	}}
	if len(got.Tags) > 0 {
		tags := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(got.Tags))}
		for name, value := range got.Tags {
			tags.Fields[name] = structpb.NewStringValue(value)
		}
		in.Fields["tags"] = structpb.NewStructValue(tags)
	}
	return &pulumirpc.ReadResponse{Id: req.GetId(), Inputs: in, Properties: petOutputs(in, got)}, nil
}

func (p *pets) Update(ctx context.Context, req *pulumirpc.UpdateRequest) (*pulumirpc.UpdateResponse, error) {
	in := req.GetNews()
	if req.GetPreview() {
		return &pulumirpc.UpdateResponse{Properties: in}, nil
	}
	changes := map[string]any{}
	for name, v := range in.GetFields() {
		if !proto.Equal(v, req.GetOldInputs().GetFields()[name]) {
			changes[name] = v.AsInterface()
		}
	}
	if in.Fields["tags"] == nil && req.GetOldInputs().GetFields()["tags"] != nil {
		changes["tags"] = nil
	}
	var got pet
	if err := p.send(ctx, http.MethodPatch, "/pets/"+url.PathEscape(req.GetId()), changes, &got); err != nil {
		return nil, err
	}
	return &pulumirpc.UpdateResponse{Properties: petOutputs(in, got)}, nil
}

func (p *pets) Delete(ctx context.Context, req *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	err := p.send(ctx, http.MethodDelete, "/pets/"+url.PathEscape(req.GetId()), nil, nil)
	if err != nil && !errors.Is(err, errMissing) {
		return nil, err
	}
	return &emptypb.Empty{}, nil
}

var errMissing = errors.New("not found")

// mostBytes is the most that is read of an answer, as declprov has it.
const mostBytes = 16 << 20

// send sends a request, and reads the answer into a struct.
func (p *pets) send(ctx context.Context, method, path string, body, into any) error {
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.endpoint+path, content)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+p.token)
	req.Header.Set("Accept", "application/json")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := p.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, mostBytes))
	switch {
	case err != nil:
		return err
	case res.StatusCode == http.StatusNotFound:
		return errMissing
	case res.StatusCode < 200 || res.StatusCode > 299:
		return fmt.Errorf("%s %s answered %s: %.200s", method, path, res.Status, data)
	case into == nil:
		return nil
	default:
		return json.Unmarshal(data, into)
	}
}

// texts is a struct whose members are all text.
func texts(s *structpb.Struct) map[string]string {
	if s == nil {
		return nil
	}
	out := make(map[string]string, len(s.Fields))
	for name, v := range s.Fields {
		out[name] = v.GetStringValue()
	}
	return out
}

func petOutputs(in *structpb.Struct, got pet) *structpb.Struct {
	out := &structpb.Struct{Fields: make(map[string]*structpb.Value, len(in.Fields)+2)}
	for name, v := range in.Fields {
		out.Fields[name] = v
	}
	out.Fields["petId"] = structpb.NewNumberValue(float64(got.ID))
	out.Fields["status"] = structpb.NewStringValue(got.Status)
	return out
}

const petSchema = `{"name":"petstore","version":"1.2.0","resources":{"petstore:index:Pet":{` +
	`"inputProperties":{"name":{"type":"string"},"kind":{"type":"string","willReplaceOnChanges":true},"tags":{"type":"object","additionalProperties":{"type":"string"}}},` +
	`"requiredInputs":["name"],` +
	`"properties":{"name":{"type":"string"},"kind":{"type":"string"},"tags":{"type":"object","additionalProperties":{"type":"string"}},` +
	`"petId":{"type":"integer"},"status":{"type":"string"}},"required":["name","kind","petId","status"]}}}`
