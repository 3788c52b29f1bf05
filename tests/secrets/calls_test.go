package secrets

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

func (b *bench) create(c cell, inputs *structpb.Struct) (out outcome) {
	b.Helper()
	out, _ = b.makes(c.String(), c.name, c.name, inputs)
	return out
}

// makes checks and creates a resource, as Pulumi does.
func (b *bench) makes(what, kind, name string, inputs *structpb.Struct) (out outcome, id string) {
	b.Helper()
	typ := "matrix:index:" + kind
	urn := b.URN(client.Resource{Type: typ, Name: name})
	checked, err := b.Raw().Check(b.Context(), &pulumirpc.CheckRequest{Urn: urn, Name: name, Type: typ, News: inputs})
	if err != nil {
		b.Errorf("%s: %v", what, err)
		return outcome{failed: err.Error()}, ""
	}
	out.failed = checkFailures(checked.GetFailures(), inputs)
	b.cleanValues(what+": checked inputs", checked.GetInputs())
	if out.failed != "" {
		return out, ""
	}
	made, err := b.Raw().Create(b.Context(), &pulumirpc.CreateRequest{Urn: urn, Name: name, Type: typ, Properties: checked.GetInputs()})
	out.failed, out.outputs = b.failure(what, err), made.GetProperties().GetFields()
	out.said += made.GetId() + "\n"
	b.cleanValues(what+": outputs", made.GetProperties())
	return out, made.GetId()
}

// later does something with a resource that is recorded.
func (b *bench) later(c cell, inputs *structpb.Struct) (out outcome) {
	b.Helper()
	typ := "matrix:index:" + c.name
	urn := b.URN(client.Resource{Type: typ, Name: c.name})
	with := func(members *structpb.Struct, name string, v *structpb.Value) *structpb.Struct {
		all := proto.CloneOf(members)
		if all.Fields == nil {
			all.Fields = map[string]*structpb.Value{}
		}
		all.Fields[name] = v
		return all
	}
	before := inputs
	if c.shape.name == "a change" {
		before = &structpb.Struct{}
	}
	before = with(before, "n", structpb.NewNumberValue(1))
	state := with(before, "secretive", wire.Secret(wire.String(pin)))
	var err error
	var outputs *structpb.Struct
	switch c.holder.name {
	case update:
		checked, failed := b.Raw().Check(b.Context(), &pulumirpc.CheckRequest{Urn: urn, Name: c.name, Type: typ, Olds: before, News: with(inputs, "n", structpb.NewNumberValue(2))})
		out.failed = b.failure(c.String(), failed) + checkFailures(checked.GetFailures(), inputs)
		if out.failed != "" {
			return out
		}
		var res *pulumirpc.UpdateResponse
		res, err = b.Raw().Update(b.Context(), &pulumirpc.UpdateRequest{Urn: urn, Name: c.name, Type: typ, Id: "it", Olds: state, OldInputs: before, News: checked.GetInputs()})
		outputs = res.GetProperties()
	case read:
		var res *pulumirpc.ReadResponse
		res, err = b.Raw().Read(b.Context(), &pulumirpc.ReadRequest{Urn: urn, Name: c.name, Type: typ, Id: "it", Properties: state, Inputs: before})
		outputs = res.GetProperties()
		out.said += res.GetId() + "\n"
		b.cleanValues(c.String()+": the inputs", res.GetInputs())
	default:
		_, err = b.Raw().Delete(b.Context(), &pulumirpc.DeleteRequest{Urn: urn, Name: c.name, Type: typ, Id: "it", Properties: state, OldInputs: before})
	}
	out.failed, out.outputs = b.failure(c.String(), err), outputs.GetFields()
	b.cleanValues(c.String()+": outputs", outputs)
	return out
}

func failures(all []*pulumirpc.CheckFailure) string {
	var text strings.Builder
	for _, f := range all {
		text.WriteString(f.GetProperty() + ": " + f.GetReason() + "\n")
	}
	return text.String()
}

// checkFailures are failures of inputs as Pulumi shows them: each with the value of its property.
func checkFailures(all []*pulumirpc.CheckFailure, news *structpb.Struct) string {
	var text strings.Builder
	for _, f := range all {
		text.WriteString(f.GetProperty() + " value " + news.GetFields()[f.GetProperty()].String() + ": " + f.GetReason() + "\n")
	}
	return text.String()
}

// failure is the text of an error, with all that it carries.
func (b *bench) failure(what string, err error) string {
	b.Helper()
	if err == nil {
		return ""
	}
	text := err.Error() + "\n"
	for _, detail := range status.Convert(err).Details() {
		if f, ok := detail.(*pulumirpc.ErrorResourceInitFailed); ok {
			text += f.GetId() + "\n" + strings.Join(f.GetReasons(), "\n")
			b.cleanValues(what+": the outputs of what is half made", f.GetProperties())
			b.cleanValues(what+": the inputs of what is half made", f.GetInputs())
		}
	}
	return text
}

func (b *bench) invoke(c cell, function string, args *structpb.Struct) (out outcome) {
	b.Helper()
	res, err := b.Raw().Invoke(b.Context(), &pulumirpc.InvokeRequest{Tok: "matrix:index:" + function, Args: args})
	out.failed, out.outputs = b.failure(c.String(), err)+failures(res.GetFailures()), res.GetReturn().GetFields()
	b.cleanValues(c.String()+": what it yields", res.GetReturn())
	return out
}

// list lists what there is of a resource.
func (b *bench) list(c cell, query *structpb.Struct) (out outcome) {
	b.Helper()
	typ := "matrix:index:" + c.name
	stream, err := b.Raw().List(b.Context(), &pulumirpc.ListRequest{Token: typ, Query: query})
	for err == nil {
		var one *pulumirpc.ListResponse
		if one, err = stream.Recv(); err == nil {
			out.said += one.String() + "\n"
		}
	}
	if !errors.Is(err, io.EOF) {
		out.failed = b.failure(c.String(), err)
	}
	return out
}

// call calls a method of what the monitor has recorded.
func (b *bench) call(c cell, args *structpb.Struct) (out outcome) {
	b.Helper()
	held := client.Resource{Type: "matrix:index:Held", Name: "held"}
	reference, err := wire.Encoder{Bytes: true}.Encode(property.NewMap(map[string]property.Value{
		"__self__": property.New(property.ResourceReference{URN: urn.URN(b.URN(held))}),
	}))
	if err != nil {
		b.Fatal(err)
	}
	all := proto.CloneOf(args)
	if all.Fields == nil {
		all.Fields = map[string]*structpb.Value{}
	}
	all.Fields["__self__"] = reference.GetFields()["__self__"]
	res, err := b.Raw().Call(b.Context(), &pulumirpc.CallRequest{
		Tok: held.Type + "/" + c.name, Args: all, MonitorEndpoint: b.monitor.Address(), AcceptsOutputValues: true,
	})
	out.failed, out.outputs = b.failure(c.String(), err)+failures(res.GetFailures()), res.GetReturn().GetFields()
	b.cleanValues(c.String()+": what it yields", res.GetReturn())
	return out
}

// registering is the side of an engine that registers the children of a component, and
// has the provider make them.
type registering struct {
	pulumirpc.UnimplementedResourceMonitorServer
	*bench
	out outcome
}

func (r *registering) SupportsFeature(_ context.Context, req *pulumirpc.SupportsFeatureRequest) (*pulumirpc.SupportsFeatureResponse, error) {
	return &pulumirpc.SupportsFeatureResponse{HasSupport: req.GetId() == "outputValues" || req.GetId() == "secrets"}, nil
}

func (r *registering) RegisterResource(_ context.Context, req *pulumirpc.RegisterResourceRequest) (*pulumirpc.RegisterResourceResponse, error) {
	_, kind, _ := strings.Cut(req.GetType(), ":index:")
	r.cleanValues(req.GetName()+": what a child is given", req.GetObject())
	beside := proto.CloneOf(req)
	beside.Object = nil
	r.clean(req.GetName()+": how it is registered", beside.String())
	res := &pulumirpc.RegisterResourceResponse{Urn: "urn:pulumi:dev::try::" + req.GetType() + "::" + req.GetName()}
	if !req.GetCustom() {
		return res, nil
	}
	var out outcome
	out, res.Id = r.makes(req.GetName(), kind, req.GetName(), req.GetObject())
	r.out.said += out.said
	if out.failed != "" {
		r.out.failed += out.failed
		return nil, status.Error(codes.Unknown, "resource registration failed")
	}
	res.Object = &structpb.Struct{Fields: out.outputs}
	return res, nil
}

func (r *registering) RegisterResourceOutputs(_ context.Context, req *pulumirpc.RegisterResourceOutputsRequest) (*emptypb.Empty, error) {
	r.cleanValues("the outputs of "+req.GetUrn(), req.GetOutputs())
	return &emptypb.Empty{}, nil
}

func (b *bench) construct(c cell, inputs *structpb.Struct) outcome {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server, r := grpc.NewServer(), &registering{bench: b}
	pulumirpc.RegisterResourceMonitorServer(server, r)
	go func() { _ = server.Serve(listener) }() // ends with Stop
	defer server.Stop()
	res, err := b.Raw().Construct(b.Context(), &pulumirpc.ConstructRequest{
		Type: "matrix:index:" + c.name, Name: c.name, Parent: "urn:parent", MonitorEndpoint: listener.Addr().String(), Inputs: inputs,
		Parallel: 4, AcceptsOutputValues: true,
	})
	r.out.failed += b.failure(c.String(), err)
	r.out.outputs = res.GetState().GetFields()
	b.cleanValues(c.String()+": what it yields", res.GetState())
	return r.out
}
