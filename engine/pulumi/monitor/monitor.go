// Package monitor communicates with the resource monitor of a Pulumi engine. A
// provider that serves Call and Construct looks up resources of the program there,
// and registers its own.
package monitor

import (
	"context"
	"errors"
	"fmt"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/wire"
)

const (
	// maxMessage is the maximum message size of Pulumi
	// (sdk/go/common/util/rpcutil/serve.go).
	maxMessage = 400 << 20
	// lookupTimeout is the timeout for lookups in the memory of Pulumi's engine. Registrations have
	// no timeout, because they take as long as their resources.
	lookupTimeout = 30 * time.Second
)

// getResource is the function of Pulumi's engine that returns the state of a resource
// (pkg/resource/deploy/builtins.go of Pulumi).
const getResource = "pulumi:pulumi:getResource"

// Monitor is a connection to a resource monitor. It is safe for concurrent use.
type Monitor struct {
	client pulumirpc.ResourceMonitorClient
	conn   *grpc.ClientConn
}

// Dial prepares a connection to the monitor at an endpoint from Call or Construct.
// The caller closes it at the end of the request, because the endpoint belongs to one
// run of Pulumi.
//
// maxValues is the maximum number of values in a response; see wire.Codec.
func Dial(endpoint string, maxValues int) (*Monitor, error) {
	if endpoint == "" {
		return nil, errors.New("this call requires a resource monitor, but Pulumi's engine named none; call it from a Pulumi program")
	}
	conn, err := grpc.NewClient("passthrough:///"+endpoint,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithNoProxy(), grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage), grpc.ForceCodecV2(wire.Codec(func() int { return maxValues }))))
	if err != nil {
		return nil, fmt.Errorf("connecting to Pulumi's resource monitor: %w", err)
	}
	return &Monitor{client: pulumirpc.NewResourceMonitorClient(conn), conn: conn}, nil
}

// Close closes the connection.
func (m *Monitor) Close() error { return m.conn.Close() }

// Resource is the recorded state of a resource in this run.
type Resource struct {
	URN string
	// ID is "" if it is not known yet, as in the preview of a create.
	ID string
	// Outputs are the outputs from the resource's provider, including its private ones.
	// In previews some may be unknown.
	Outputs *structpb.Struct
}

// Resource returns a resource that the program has registered or read before.
func (m *Monitor) Resource(ctx context.Context, urn string) (Resource, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	res, err := m.client.Invoke(ctx, &pulumirpc.ResourceInvokeRequest{
		Tok:               getResource,
		Args:              &structpb.Struct{Fields: map[string]*structpb.Value{"urn": wire.String(urn)}},
		AcceptResources:   true,
		AcceptsByteString: true,
	})
	if err != nil {
		return Resource{}, fmt.Errorf("asking Pulumi's engine for the state of %s: %w", urn, err)
	}
	for _, f := range res.GetFailures() {
		return Resource{}, fmt.Errorf("asking Pulumi's engine for the state of %s: %s: %s", urn, f.GetProperty(), f.GetReason())
	}
	fields := res.GetReturn().GetFields()
	outputs := fields["state"].GetStructValue()
	if outputs == nil {
		return Resource{}, fmt.Errorf("the response of Pulumi's engine lacks the state of %s", urn)
	}
	id, err := wire.DecodeValue(fields["id"])
	if err != nil {
		return Resource{}, fmt.Errorf("cannot read the id of %s in the response of Pulumi's engine: %w", urn, err)
	}
	r := Resource{URN: urn, Outputs: outputs}
	if id.IsString() {
		r.ID = id.AsString()
	}
	return r, nil
}

// Supports reports whether the monitor supports a feature; see supportsFeatureID in
// pkg/resource/deploy/source_eval.go of Pulumi.
func (m *Monitor) Supports(ctx context.Context, feature string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	res, err := m.client.SupportsFeature(ctx, &pulumirpc.SupportsFeatureRequest{Id: feature})
	if err != nil {
		return false, fmt.Errorf("asking Pulumi's engine whether it supports %s: %w", feature, err)
	}
	return res.GetHasSupport(), nil
}
