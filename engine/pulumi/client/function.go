package client

import (
	"context"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/engine/pulumi/wire"
)

// Invoke calls a function of the provider.
func (c *Client) Invoke(ctx context.Context, token string, args property.Map) (result property.Map, failures []Failure, err error) {
	sent, err := encode(args)
	if err != nil {
		return property.Map{}, nil, err
	}
	res, err := c.provider.Invoke(ctx, &pulumirpc.InvokeRequest{Tok: token, Args: sent})
	if err != nil {
		return property.Map{}, nil, err
	}
	for _, f := range res.GetFailures() {
		failures = append(failures, Failure{Property: f.GetProperty(), Reason: f.GetReason()})
	}
	result, err = wire.Decode(res.GetReturn())
	return result, failures, err
}
