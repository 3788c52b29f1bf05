package pulumi_test

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/urn"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

// registering is a resource monitor that answers as a test says and keeps what
// it was asked.
type registering struct {
	pulumirpc.UnimplementedResourceMonitorServer

	mu     sync.Mutex
	asked  map[string]*pulumirpc.RegisterResourceRequest
	ended  *pulumirpc.RegisterResourceOutputsRequest
	answer func(*pulumirpc.RegisterResourceRequest) (*pulumirpc.RegisterResourceResponse, error)
}

func startRegistering(t *testing.T) (*registering, string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m := &registering{asked: map[string]*pulumirpc.RegisterResourceRequest{}}
	server := grpc.NewServer()
	pulumirpc.RegisterResourceMonitorServer(server, m)
	go func() { _ = server.Serve(listener) }() // ends with Stop
	t.Cleanup(server.Stop)
	return m, listener.Addr().String()
}

func (m *registering) SupportsFeature(_ context.Context, req *pulumirpc.SupportsFeatureRequest) (*pulumirpc.SupportsFeatureResponse, error) {
	return &pulumirpc.SupportsFeatureResponse{HasSupport: req.GetId() == "outputValues"}, nil
}

func (m *registering) RegisterResource(
	_ context.Context, req *pulumirpc.RegisterResourceRequest,
) (*pulumirpc.RegisterResourceResponse, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked[req.GetName()] = req
	if m.answer != nil {
		if res, err := m.answer(req); res != nil || err != nil {
			return res, err
		}
	}
	res := &pulumirpc.RegisterResourceResponse{Urn: "urn:pulumi:dev::try::" + req.GetType() + "::" + req.GetName(), Object: req.GetObject()}
	if req.GetCustom() {
		res.Id = "id-" + req.GetName()
	}
	return res, nil
}

func (m *registering) RegisterResourceOutputs(_ context.Context, req *pulumirpc.RegisterResourceOutputsRequest) (*emptypb.Empty, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = req
	return &emptypb.Empty{}, nil
}

const groups = `
package lab
name: "lab"
version: "1.2.3"
resources: Thing: {
	inputs: {name: string, token?: string @secret()}
	outputs: colour?: string
	id: "${inputs.name}"
	create: lab: do: what: "make"
	delete: lab: do: what: "drop"
}
components: {
	Inner: {
		inputs: {name: string, token?: string}
		outputs: name?: string
		children: thing: {type: "Thing", inputs: {name: "${inputs.name}"}}
		return: name: "${children.thing.name}"
	}
	Group: {
		inputs: {name: =~"^[a-z]+$", token?: string @secret()}
		outputs: {first: string, second?: string, token?: string @secret()}
		children: {
			first: {type: "Thing", inputs: {name: "${inputs.name}", token: "${inputs.token}"}}
			second: {
				type: "Inner"
				inputs: {name: "${children.first.id}", token: "${children.first.token}"}
				options: customTimeouts: {create: "1m30s"}
			}
			third: {type: "other:index:Pet", inputs: like: "${children.second.name}", options: aliases: ["old", {parent: "urn:p"}]}
		}
		return: {first: "${children.first.name}", second: "${children.second.name}", token: "${inputs.token}"}
	}
}
`

const providerURN = "urn:pulumi:dev::try::pulumi:providers:lab::default"

// grouped is a provider of groups that knows which one it is.
func grouped(t *testing.T) *client.Client {
	t.Helper()
	c := (&lab{}).provider(t, groups)
	address, id := providerURN, "p-1"
	if _, err := c.Raw().Configure(t.Context(), &pulumirpc.ConfigureRequest{Args: &structpb.Struct{}, Urn: &address, Id: &id}); err != nil {
		t.Fatal(err)
	}
	return c
}

func groupRequest(endpoint string, inputs *structpb.Struct) *pulumirpc.ConstructRequest {
	return &pulumirpc.ConstructRequest{
		Type: "lab:index:Group", Name: "g", Parent: "urn:parent", MonitorEndpoint: endpoint, Inputs: inputs, Parallel: 4, AcceptsOutputValues: true,
	}
}

func TestConstruct(t *testing.T) {
	const outside, beside = urn.URN("urn:pulumi:dev::try::a::outside"), urn.URN("urn:pulumi:dev::try::a::beside")
	c := grouped(t)
	m, endpoint := startRegistering(t)
	m.answer = func(req *pulumirpc.RegisterResourceRequest) (*pulumirpc.RegisterResourceResponse, error) {
		if req.GetName() != "g-second" {
			return nil, nil
		}
		return &pulumirpc.RegisterResourceResponse{
			Urn: "urn:pulumi:dev::try::lab:index:Inner::g-second", Object: fields("name", wire.String("n2")),
			PropertyDependencies: map[string]*pulumirpc.RegisterResourceResponse_PropertyDependencies{"name": {Urns: []string{"urn:pulumi:dev::try::lab:index:Thing::inside"}}},
		}, nil
	}
	yes := true
	req := groupRequest(endpoint, fields(
		"name", output(t, property.New("rex").WithDependencies([]urn.URN{outside})), "token", wire.Secret(wire.String("hush")),
	))
	req.InputDependencies = map[string]*pulumirpc.ConstructRequest_PropertyDependencies{"name": {Urns: []string{string(beside)}}}
	req.Protect, req.RetainOnDelete, req.DeleteBeforeReplace = &yes, &yes, &yes
	req.Aliases = []*pulumirpc.Alias{{Alias: &pulumirpc.Alias_Urn{Urn: "urn:old"}}}
	req.Dependencies = []string{string(beside)}
	req.Providers = map[string]string{"other": "urn:other::o-1"}
	req.IgnoreChanges, req.ReplaceOnChanges, req.AdditionalSecretOutputs = []string{"a"}, []string{"b"}, []string{"first"}
	req.DeletedWith, req.ReplaceWith, req.StackTraceHandle = "urn:with", []string{"urn:replace"}, "trace"
	req.CustomTimeouts = &pulumirpc.ConstructRequest_CustomTimeouts{Create: "5m", Read: "1m"}
	req.ResourceHooks = &pulumirpc.ConstructRequest_ResourceHooksBinding{BeforeCreate: []string{"hook"}}
	req.ReplacementTrigger = wire.String("now")

	res, err := c.Raw().Construct(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "the outputs", decoded(t, res.GetState()), object(
		"first", property.New("rex").WithSecret(true), "second", "n2", "token", property.New("hush").WithSecret(true)))
	if diff := cmp.Diff(map[string][]string{
		"first": {"urn:pulumi:dev::try::lab:index:Thing::g-first"}, "token": nil,
		"second": {"urn:pulumi:dev::try::lab:index:Inner::g-second", "urn:pulumi:dev::try::lab:index:Thing::inside"},
	}, stateDependencies(res), cmpopts.EquateEmpty()); diff != "" || res.GetUrn() != "urn:pulumi:dev::try::lab:index:Group::g" {
		t.Errorf("%s: what outputs depend on (-want +got):\n%s", res.GetUrn(), diff)
	}

	group := m.asked["g"]
	if diff := cmp.Diff(&pulumirpc.RegisterResourceRequest{
		Type: "lab:index:Group", Name: "g", Parent: "urn:parent", Protect: &yes, RetainOnDelete: &yes,
		DeleteBeforeReplace: true, DeleteBeforeReplaceDefined: true, Aliases: req.GetAliases(), Providers: req.GetProviders(),
		IgnoreChanges: []string{"a"}, ReplaceOnChanges: []string{"b"}, AdditionalSecretOutputs: []string{"first"},
		DeletedWith: "urn:with", ReplaceWith: []string{"urn:replace"}, ParentStackTraceHandle: "trace",
		CustomTimeouts:     &pulumirpc.RegisterResourceRequest_CustomTimeouts{Create: "5m", Read: "1m"},
		Hooks:              &pulumirpc.RegisterResourceRequest_ResourceHooksBinding{BeforeCreate: []string{"hook"}},
		ReplacementTrigger: wire.String("now"),
		Dependencies:       []string{string(beside), string(outside)},
		Object:             fields("name", wire.String("rex"), "token", wire.Secret(wire.String("hush"))),
		PropertyDependencies: map[string]*pulumirpc.RegisterResourceRequest_PropertyDependencies{
			"name": {Urns: []string{string(beside), string(outside)}}, "token": {},
		},
		AcceptSecrets: true, AcceptResources: true, AcceptsByteString: true, SupportsPartialValues: true, SupportsResultReporting: true, AliasSpecs: true,
	}, group, protocmp.Transform()); diff != "" {
		t.Errorf("the component (-want +got):\n%s", diff)
	}
	first := m.asked["g-first"]
	if first.GetProvider() != providerURN+"::p-1" || !first.GetCustom() || first.GetRemote() || first.GetParent() != res.GetUrn() || first.GetType() != "lab:index:Thing" {
		t.Errorf("first: %v", first)
	}
	second := m.asked["g-second"]
	if !second.GetRemote() || second.GetCustom() || second.GetProvider() != providerURN+"::p-1" || second.GetProviders()["other"] == "" || second.GetCustomTimeouts().GetCreate() != "1m30s" {
		t.Errorf("second: %v", second)
	}
	on := property.New("hush").WithSecret(true).WithDependencies([]urn.URN{"urn:pulumi:dev::try::lab:index:Thing::g-first"})
	if diff := cmp.Diff(output(t, on), second.GetObject().GetFields()["token"], protocmp.Transform()); diff != "" {
		t.Errorf("what a component child is given, as an output value (-want +got):\n%s", diff)
	}
	third := m.asked["g-third"]
	if third.GetProvider() != "urn:other::o-1" || third.GetVersion() != "" || third.GetAliases()[0].GetSpec().GetName() != "old" || third.GetAliases()[1].GetSpec().GetParentUrn() != "urn:p" {
		t.Errorf("third: %v", third)
	}
	if diff := cmp.Diff("urn:pulumi:dev::try::lab:index:Group::g", m.ended.GetUrn()); diff != "" {
		t.Errorf("outputs were recorded of %s", m.ended.GetUrn())
	}
	same(t, "the recorded outputs", decoded(t, m.ended.GetOutputs()), decoded(t, res.GetState()))
}

func TestConstructPreview(t *testing.T) {
	c := grouped(t)
	m, endpoint := startRegistering(t)
	m.answer = func(req *pulumirpc.RegisterResourceRequest) (*pulumirpc.RegisterResourceResponse, error) {
		return &pulumirpc.RegisterResourceResponse{Urn: "urn:" + req.GetName(), Id: wire.Unknown, Object: fields("name", wire.String(wire.Unknown))}, nil
	}
	req := groupRequest(endpoint, fields("name", wire.String(wire.Unknown)))
	req.DryRun = true
	res, err := c.Raw().Construct(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	computed := property.New(property.Computed)
	same(t, "the outputs", decoded(t, res.GetState()), object("first", computed, "second", computed))
	same(t, "what third is given", decoded(t, m.asked["g-third"].GetObject()), object("like", computed))
}

func TestConstructFails(t *testing.T) {
	c := grouped(t)
	m, endpoint := startRegistering(t)
	rightInputs := fields("name", wire.String("rex"))
	cases := []struct {
		name   string
		inputs *structpb.Struct
		answer error
		result pulumirpc.Result
		code   codes.Code
		says   string
	}{
		{"an input that does not match", fields("name", wire.String("Rex")), nil, 0, codes.InvalidArgument, "invalid inputs of Group"},
		{"a secret that does not match", fields("name", wire.Secret(wire.String("Rex"))), nil, 0, codes.InvalidArgument, "name: must match"},
		{"a monitor that ends", rightInputs, status.Error(codes.Unavailable, "resource monitor shut down"), 0, codes.FailedPrecondition, "the engine of Pulumi ended the run"},
		{"a monitor that refuses", rightInputs, status.Error(codes.InvalidArgument, "no such parent"), 0, codes.FailedPrecondition, "no such parent"},
		{"a resource that fails", rightInputs, nil, pulumirpc.Result_FAIL, codes.FailedPrecondition, "the registration failed"},
		{"a resource that is left out", rightInputs, nil, pulumirpc.Result_SKIP, codes.FailedPrecondition, "the engine of Pulumi skipped it"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			m.answer = func(req *pulumirpc.RegisterResourceRequest) (*pulumirpc.RegisterResourceResponse, error) {
				if req.GetName() == "g" {
					return nil, nil
				}
				if tc.answer != nil {
					return nil, tc.answer
				}
				return &pulumirpc.RegisterResourceResponse{Result: tc.result}, nil
			}
			_, err := c.Raw().Construct(t.Context(), groupRequest(endpoint, tc.inputs))
			if s := status.Convert(err); s.Code() != tc.code || !strings.Contains(s.Message(), tc.says) {
				t.Errorf("error = %v, want code %v and %q", err, tc.code, tc.says)
			}
		})
	}
	_, err := c.Raw().Construct(t.Context(), groupRequest(endpoint, fields("name", wire.String("Rex"), "n.mae", wire.String("x"))))
	var paths []string
	for _, d := range status.Convert(err).Details() {
		if d, ok := d.(*pulumirpc.InputPropertiesError); ok {
			for _, e := range d.GetErrors() {
				paths = append(paths, e.GetPropertyPath())
			}
		}
	}
	slices.Sort(paths)
	if diff := cmp.Diff([]string{`["n.mae"]`, "name"}, paths); diff != "" {
		t.Errorf("the inputs that are wrong (-want +got):\n%s", diff)
	}
	req := groupRequest("", rightInputs)
	if _, err := c.Raw().Construct(t.Context(), req); status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), "resource monitor") {
		t.Errorf("without a monitor: %v", err)
	}
}

func stateDependencies(res *pulumirpc.ConstructResponse) map[string][]string {
	out := map[string][]string{}
	for name, on := range res.GetStateDependencies() {
		out[name] = on.GetUrns()
	}
	return out
}

// fields is a message of a few properties.
func fields(pairs ...any) *structpb.Struct {
	s := &structpb.Struct{Fields: map[string]*structpb.Value{}}
	for i := 0; i < len(pairs); i += 2 {
		s.Fields[pairs[i].(string)] = pairs[i+1].(*structpb.Value)
	}
	return s
}

func decoded(t *testing.T, s *structpb.Struct) property.Map {
	t.Helper()
	m, err := wire.Decode(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
