// Package monitor talks to the resource monitor of a Pulumi engine: where a
// provider that serves Call and Construct learns of the program's resources, and
// registers resources of its own.
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
	// maxMessage is the size of message that Pulumi allows itself
	// (sdk/go/common/util/rpcutil/serve.go).
	maxMessage = 400 << 20
	// lookupTimeout is how long the engine may take to look up what it has in
	// memory. Registrations have none: they take as long as their resources.
	lookupTimeout = 30 * time.Second
)

// getResource is the engine's own function that tells a resource's state
// (pkg/resource/deploy/builtins.go of Pulumi).
const getResource = "pulumi:pulumi:getResource"

// Monitor is a connection to one. It is safe for concurrent use.
type Monitor struct {
	client pulumirpc.ResourceMonitorClient
	conn   *grpc.ClientConn
}

// Dial prepares a connection to the monitor at an endpoint, as Call and
// Construct name it. The caller closes it at the end of the request: the
// endpoint is that of one run of Pulumi.
//
// Its responses may have so many values: see wire.Codec.
func Dial(endpoint string, maxValues int) (*Monitor, error) {
	if endpoint == "" {
		return nil, errors.New("the engine named no resource monitor, which this call needs; call it from a Pulumi program")
	}
	conn, err := grpc.NewClient("passthrough:///"+endpoint,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithNoProxy(), grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxMessage), grpc.MaxCallSendMsgSize(maxMessage), grpc.ForceCodecV2(wire.Codec(func() int { return maxValues }))))
	if err != nil {
		return nil, fmt.Errorf("connecting to the engine's resource monitor: %w", err)
	}
	return &Monitor{client: pulumirpc.NewResourceMonitorClient(conn), conn: conn}, nil
}

// Close ends the connection.
func (m *Monitor) Close() error { return m.conn.Close() }

// Resource is what the engine has recorded of a resource in this run.
type Resource struct {
	URN string
	// ID is "" where it is not known yet, as in the preview of a create.
	ID string
	// Outputs are as the resource's provider answered, with what that provider
	// keeps for itself among them. In previews some may be unknown.
	Outputs *structpb.Struct
}

// Resource looks a resource up that the program has registered or read before.
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
		return Resource{}, fmt.Errorf("asking the engine for the state of %s: %w", urn, err)
	}
	for _, f := range res.GetFailures() {
		return Resource{}, fmt.Errorf("asking the engine for the state of %s: %s: %s", urn, f.GetProperty(), f.GetReason())
	}
	fields := res.GetReturn().GetFields()
	outputs := fields["state"].GetStructValue()
	if outputs == nil {
		return Resource{}, fmt.Errorf("the engine answered without the state of %s", urn)
	}
	id, err := wire.DecodeValue(fields["id"])
	if err != nil {
		return Resource{}, fmt.Errorf("the engine answered with an id of %s that cannot be read: %w", urn, err)
	}
	r := Resource{URN: urn, Outputs: outputs}
	if id.IsString() {
		r.ID = id.AsString()
	}
	return r, nil
}

// Supports asks the monitor for a feature by its name, as of
// supportsFeatureID in pkg/resource/deploy/source_eval.go of Pulumi.
func (m *Monitor) Supports(ctx context.Context, feature string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	res, err := m.client.SupportsFeature(ctx, &pulumirpc.SupportsFeatureRequest{Id: feature})
	if err != nil {
		return false, fmt.Errorf("asking the engine whether it supports %s: %w", feature, err)
	}
	return res.GetHasSupport(), nil
}
