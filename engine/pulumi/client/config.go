package client

import (
	"context"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/lists"
)

// provider returns the resource of the package's default provider.
func provider(pkg string) Resource { return Resource{Type: plan.ProviderType + pkg, Name: "default"} }

// CheckConfig checks a package's configuration, which is sent without secret marks.
func (c *Client) CheckConfig(ctx context.Context, pkg string, news property.Map) (Checked, error) {
	p := provider(pkg)
	sent, err := encode(withoutSecrets(news))
	if err != nil {
		return Checked{}, err
	}
	res, err := c.provider.CheckConfig(ctx, &pulumirpc.CheckRequest{
		Urn: c.URN(p), Name: p.Name, Type: p.Type, News: sent,
	})
	if err != nil {
		return Checked{}, err
	}
	return checked(res)
}

// DiffConfig returns the effect of a change of configuration.
func (c *Client) DiffConfig(ctx context.Context, pkg string, olds, news property.Map) (Diff, error) {
	p := provider(pkg)
	sentOlds, err := encode(withoutSecrets(olds))
	if err != nil {
		return Diff{}, err
	}
	sentNews, err := encode(withoutSecrets(news))
	if err != nil {
		return Diff{}, err
	}
	res, err := c.provider.DiffConfig(ctx, &pulumirpc.DiffRequest{
		Urn: c.URN(p), Name: p.Name, Type: p.Type, OldInputs: sentOlds, Olds: sentOlds, News: sentNews,
	})
	if err != nil {
		return Diff{}, err
	}
	return readDiff(res), nil
}

// Configure configures the provider with the inputs that CheckConfig returned. The
// error is a *MissingKeys if required settings are missing.
func (c *Client) Configure(ctx context.Context, pkg string, inputs property.Map) error {
	p := provider(pkg)
	sent, err := encode(inputs)
	if err != nil {
		return err
	}
	urn := c.URN(p)
	_, err = c.provider.Configure(ctx, &pulumirpc.ConfigureRequest{
		Urn: &urn, Name: &p.Name, Type: &p.Type, Args: sent,
		AcceptSecrets: true, AcceptResources: true, SendsOldInputs: true, SendsOldInputsToDelete: true,
	})
	for _, detail := range status.Convert(err).Details() {
		if d, ok := detail.(*pulumirpc.ConfigureErrorMissingKeys); ok {
			missing := &MissingKeys{status: err}
			for _, key := range d.GetMissingKeys() {
				missing.Keys = append(missing.Keys, MissingKey{Name: strings.TrimPrefix(key.GetName(), pkg+":"), Doc: key.GetDescription()})
			}
			return missing
		}
	}
	return err
}

// MissingKeys is the error of a configuration that lacks required settings.
type MissingKeys struct {
	Keys   []MissingKey
	status error
}

// MissingKey is a setting with its documentation.
type MissingKey struct{ Name, Doc string }

func (m *MissingKeys) Error() string {
	names := lists.Map(m.Keys, func(key MissingKey) string { return key.Name })
	return "missing required configuration: " + strings.Join(names, ", ")
}

// Unwrap returns the original error.
func (m *MissingKeys) Unwrap() error { return m.status }

// withoutSecrets returns properties without secret marks at any depth.
func withoutSecrets(m property.Map) property.Map {
	members := m.AsMap()
	for k, v := range members {
		members[k] = bareValue(v)
	}
	return property.NewMap(members)
}

func bareValue(v property.Value) property.Value {
	switch {
	case v.IsMap():
		return property.New(withoutSecrets(v.AsMap()))
	case v.IsArray():
		items := v.AsArray().AsSlice()
		for i := range items {
			items[i] = bareValue(items[i])
		}
		return property.New(property.NewArray(items))
	default:
		return v.WithSecret(false)
	}
}

// encode encodes properties for a declprov provider, which accepts all values.
func encode(m property.Map) (*structpb.Struct, error) { return wire.Encoder{Bytes: true}.Encode(m) }
