package pulumi_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/emptypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi"
	"github.com/declprov/declprov/engine/pulumi/client"
)

var thing = client.Resource{Type: "lab:index:Thing", Name: "one"}

func TestHandshake(t *testing.T) {
	c := start(t, pulumi.Options{Program: (&lab{}).program(t, things), Version: "1.2.3"})
	got, err := c.Raw().Handshake(t.Context(), &pulumirpc.ProviderHandshakeRequest{})
	if err != nil {
		t.Fatal(err)
	}
	want := &pulumirpc.ProviderHandshakeResponse{
		AcceptSecrets: true, AcceptResources: true, AcceptOutputs: true,
		SupportsAutonamingConfiguration: true, AcceptsByteString: true,
	}
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if v, err := c.Version(t.Context()); err != nil || v != "1.2.3" {
		t.Errorf("version %q, %v", v, err)
	}
}

func TestSchema(t *testing.T) {
	asked := 0
	c := start(t, pulumi.Options{
		Program: (&lab{}).program(t, things),
		Schema:  func() ([]byte, error) { asked++; return []byte(`{"name":"lab"}`), nil },
	})
	for range 2 {
		if got, err := c.Schema(t.Context()); err != nil || got != `{"name":"lab"}` {
			t.Errorf("schema %q, %v", got, err)
		}
	}
	if asked != 1 {
		t.Errorf("the schema was made %d times", asked)
	}
	for name, req := range map[string]*pulumirpc.GetSchemaRequest{
		"format":     {Version: 1},
		"subpackage": {SubpackageName: "other", SubpackageVersion: "1.0.0"},
	} {
		if _, err := c.Raw().GetSchema(t.Context(), req); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestRefusals are the calls that cannot be served, each with its code and what
// to do about it.
func TestRefusals(t *testing.T) {
	p := (&lab{}).program(t, things)
	configured := (&lab{}).provider(t, things)
	fresh := start(t, pulumi.Options{Program: p})
	empty := start(t, pulumi.Options{})
	check := func(typ string) func(*client.Client) error {
		return func(c *client.Client) error {
			_, err := c.Raw().Check(t.Context(), &pulumirpc.CheckRequest{Type: typ, Name: "x"})
			return err
		}
	}
	cases := []struct {
		name string
		on   *client.Client
		call func(*client.Client) error
		code codes.Code
		says string
	}{
		{"misspelt type", configured, check("lab:index:Thin"), codes.NotFound, `Did you mean "Thing"?`},
		{"the delete of a type that the spec does not have any more", configured, func(c *client.Client) error {
			_, err := c.Raw().Delete(t.Context(), &pulumirpc.DeleteRequest{Urn: "urn:pulumi:dev::test::lab:index:Former::x", Id: "7"})
			return err
		}, codes.NotFound, "`aliases: [\"Former\"]`"},
		{"the refresh of one", configured, func(c *client.Client) error {
			_, err := c.Raw().Read(t.Context(), &pulumirpc.ReadRequest{Urn: "urn:pulumi:dev::test::lab:index:Former::x", Id: "7", Inputs: &structpb.Struct{}, Properties: &structpb.Struct{Fields: map[string]*structpb.Value{"__declprov": structpb.NewStringValue("{}")}}})
			return err
		}, codes.NotFound, "pulumi state delete 'urn:pulumi:dev::test::lab:index:Former::x'"},
		{"another package", configured, check("aws:index:Thing"), codes.InvalidArgument, `package "aws"`},
		{"another module", configured, check("lab:core:Thing"), codes.NotFound, `module "core"`},
		{"no token", configured, check("Thing"), codes.InvalidArgument, `"lab:index:Type"`},
		{"not configured", fresh, check("lab:index:Thing"), codes.FailedPrecondition, "not configured"},
		{"no spec", empty, check("lab:index:Thing"), codes.FailedPrecondition, "no spec is loaded"},
		{"malformed value", configured, func(c *client.Client) error {
			_, err := c.Raw().Check(t.Context(), &pulumirpc.CheckRequest{
				Type: "lab:index:Thing", News: signedStruct("nonsense"),
			})
			return err
		}, codes.InvalidArgument, `property "p"`},
		{"parameters", configured, func(c *client.Client) error {
			_, err := c.Raw().Parameterize(t.Context(), &pulumirpc.ParameterizeRequest{})
			return err
		}, codes.Unimplemented, "accepts no parameters"},
		{"function", configured, func(c *client.Client) error {
			_, err := c.Raw().Invoke(t.Context(), &pulumirpc.InvokeRequest{Tok: "lab:index:getThing"})
			return err
		}, codes.NotFound, `no function "getThing"`},
		{"method", configured, func(c *client.Client) error {
			_, err := c.Raw().Call(t.Context(), &pulumirpc.CallRequest{Tok: "lab:index:Thing/poke"})
			return err
		}, codes.NotFound, `Thing of provider "lab" has no method "poke"`},
		{"method of nothing", configured, func(c *client.Client) error {
			_, err := c.Raw().Call(t.Context(), &pulumirpc.CallRequest{Tok: "lab:index:poke"})
			return err
		}, codes.NotFound, "a method is called on a resource"},
		{"component", configured, func(c *client.Client) error {
			_, err := c.Raw().Construct(t.Context(), &pulumirpc.ConstructRequest{Type: "lab:index:Group"})
			return err
		}, codes.NotFound, `no component "Group"`},
		{"list", configured, func(c *client.Client) error {
			_, err := c.List(t.Context(), thing.Type, property.Map{}, 0, 0, "")
			return err
		}, codes.Unimplemented, "no `list`"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := c.call(c.on)
			if status.Code(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error = %v, want code %v and %q", err, c.code, c.says)
			}
		})
	}
}

// TestURNAlone: engines older than the name and type fields.
func TestURNAlone(t *testing.T) {
	c := (&lab{}).provider(t, things)
	got, err := c.Raw().Check(t.Context(), &pulumirpc.CheckRequest{
		Urn: "urn:pulumi:dev::proj::my:comp:Parent$lab:index:Thing::na::me",
	})
	if err != nil || len(got.GetFailures()) != 1 {
		t.Errorf("%v, %v; want the failure of the missing name", got, err)
	}
}

func TestMappings(t *testing.T) {
	c := (&lab{}).provider(t, things)
	one, err := c.Raw().GetMapping(t.Context(), &pulumirpc.GetMappingRequest{Key: "terraform"})
	if err != nil || len(one.GetData()) != 0 {
		t.Errorf("%v, %v", one, err)
	}
	all, err := c.Raw().GetMappings(t.Context(), &pulumirpc.GetMappingsRequest{Key: "terraform"})
	if err != nil || len(all.GetProviders()) != 0 {
		t.Errorf("%v, %v", all, err)
	}
}

// TestEveryCallIsAnswered: none of the protocol's calls falls through to the
// generated "method X not implemented".
func TestEveryCallIsAnswered(t *testing.T) {
	c := (&lab{}).provider(t, things)
	p, ctx := c.Raw(), t.Context()
	calls := map[string]func() error{
		"Attach":      func() error { _, err := p.Attach(ctx, &pulumirpc.PluginAttach{}); return err },
		"Call":        func() error { _, err := p.Call(ctx, &pulumirpc.CallRequest{}); return err },
		"Cancel":      func() error { _, err := p.Cancel(ctx, &emptypb.Empty{}); return err },
		"Check":       func() error { _, err := p.Check(ctx, &pulumirpc.CheckRequest{}); return err },
		"CheckConfig": func() error { _, err := p.CheckConfig(ctx, &pulumirpc.CheckRequest{}); return err },
		"Configure":   func() error { _, err := p.Configure(ctx, &pulumirpc.ConfigureRequest{}); return err },
		"Construct":   func() error { _, err := p.Construct(ctx, &pulumirpc.ConstructRequest{}); return err },
		"Create":      func() error { _, err := p.Create(ctx, &pulumirpc.CreateRequest{}); return err },
		"Delete":      func() error { _, err := p.Delete(ctx, &pulumirpc.DeleteRequest{}); return err },
		"Diff":        func() error { _, err := p.Diff(ctx, &pulumirpc.DiffRequest{}); return err },
		"DiffConfig":  func() error { _, err := p.DiffConfig(ctx, &pulumirpc.DiffRequest{}); return err },
		"GetMapping":  func() error { _, err := p.GetMapping(ctx, &pulumirpc.GetMappingRequest{}); return err },
		"GetMappings": func() error { _, err := p.GetMappings(ctx, &pulumirpc.GetMappingsRequest{}); return err },
		"GetPluginInfo": func() error {
			_, err := p.GetPluginInfo(ctx, &emptypb.Empty{})
			return err
		},
		"GetSchema":    func() error { _, err := p.GetSchema(ctx, &pulumirpc.GetSchemaRequest{}); return err },
		"Handshake":    func() error { return c.Handshake(ctx, "") },
		"Invoke":       func() error { _, err := p.Invoke(ctx, &pulumirpc.InvokeRequest{}); return err },
		"List":         func() error { _, err := c.List(ctx, "", property.Map{}, 0, 0, ""); return err },
		"Parameterize": func() error { _, err := p.Parameterize(ctx, &pulumirpc.ParameterizeRequest{}); return err },
		"Read":         func() error { _, err := p.Read(ctx, &pulumirpc.ReadRequest{}); return err },
		"Update":       func() error { _, err := p.Update(ctx, &pulumirpc.UpdateRequest{}); return err },
	}
	methods := pulumirpc.ResourceProvider_ServiceDesc
	if want := len(methods.Methods) + len(methods.Streams); len(calls) != want {
		t.Errorf("%d calls are tried, the protocol has %d", len(calls), want)
	}
	for name, call := range calls {
		if err := call(); err != nil && strings.Contains(err.Error(), "method "+name+" not implemented") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestParameterize: a plugin without a program becomes the provider of the one
// that it is given.
func TestParameterize(t *testing.T) {
	l := &lab{}
	c := start(t, pulumi.Options{
		Version: "0.1.0",
		Parameterize: func(ctx context.Context, p pulumi.Parameters) (*pulumi.Package, error) {
			if len(p.Args) != 1 && string(p.Value) != "the spec" {
				return nil, errors.New("lab.cue:3:1: unknown-key: unknown key \"foo\"")
			}
			version := p.Version
			if version == "" {
				version = "1.2.3"
			}
			made, err := l.compile(ctx, things)
			return &pulumi.Package{Program: made, Version: version}, err
		},
	})
	_, err := c.Raw().Parameterize(t.Context(), &pulumirpc.ParameterizeRequest{})
	if status.Code(err) != codes.InvalidArgument || !strings.Contains(err.Error(), "lab.cue:3:1") {
		t.Errorf("a bad spec: %v", err)
	}
	got, err := c.Raw().Parameterize(t.Context(), &pulumirpc.ParameterizeRequest{
		Parameters: &pulumirpc.ParameterizeRequest_Value{Value: &pulumirpc.ParameterizeRequest_ParametersValue{
			Name: "lab", Version: "9.9.9", Value: []byte("the spec"),
		}},
	})
	if err != nil || got.GetName() != "lab" || got.GetVersion() != "9.9.9" {
		t.Fatalf("%v, %v", got, err)
	}
	if err := c.Configure(t.Context(), "lab", property.Map{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Create(t.Context(), thing, object("name", "a"), client.Operation{}); err != nil {
		t.Error(err)
	}
	if _, err := c.Raw().Parameterize(t.Context(), &pulumirpc.ParameterizeRequest{
		Parameters: &pulumirpc.ParameterizeRequest_Args{Args: &pulumirpc.ParameterizeRequest_ParametersArgs{Args: []string{"./lab.cue"}}},
	}); err != nil {
		t.Fatal(err)
	}
	_, err = c.Create(t.Context(), thing, object("name", "a"), client.Operation{})
	if status.Code(err) != codes.FailedPrecondition {
		t.Errorf("after another Parameterize the provider is still configured: %v", err)
	}
}
