package client

import (
	"context"
	"fmt"
	"net"
	"sync"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/pulumi/wire"
)

// Monitor is the resource monitor of a Pulumi engine. It returns recorded resources.
type Monitor struct {
	pulumirpc.UnimplementedResourceMonitorServer

	server  *grpc.Server
	address string

	mu        sync.Mutex
	resources map[string]recorded
}

// recorded is the state of a resource for getResource.
type recorded struct {
	id      string
	outputs *structpb.Struct
}

// StartMonitor starts a monitor on a port of the loopback interface.
func StartMonitor() (*Monitor, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the provider's calls: %w", err)
	}
	m := &Monitor{
		server:    grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage)),
		address:   listener.Addr().String(),
		resources: map[string]recorded{},
	}
	pulumirpc.RegisterResourceMonitorServer(m.server, m)
	go func() { _ = m.server.Serve(listener) }() // ends with Stop
	return m, nil
}

// Address returns the endpoint for Call and Construct.
func (m *Monitor) Address() string { return m.address }

// Stop stops the monitor.
func (m *Monitor) Stop() { m.server.Stop() }

// Record sets the state of a resource: its outputs as the provider sent them, and its
// id, or "" if it is not known yet.
func (m *Monitor) Record(urn, id string, outputs *structpb.Struct) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.resources[urn] = recorded{id: id, outputs: outputs}
}

// Invoke implements getResource, and no other function.
func (m *Monitor) Invoke(_ context.Context, req *pulumirpc.ResourceInvokeRequest) (*pulumirpc.ResourceInvokeResponse, error) {
	if req.GetTok() != "pulumi:pulumi:getResource" {
		return nil, status.Errorf(codes.Unimplemented, "unrecognized function name: %q", req.GetTok())
	}
	urn := req.GetArgs().GetFields()["urn"].GetStringValue()
	m.mu.Lock()
	r, ok := m.resources[urn]
	m.mu.Unlock()
	if !ok {
		return nil, status.Errorf(codes.Unknown, "unknown resource %s", urn)
	}
	return &pulumirpc.ResourceInvokeResponse{Return: &structpb.Struct{Fields: map[string]*structpb.Value{
		"urn":      wire.String(urn),
		"id":       wire.String(r.id),
		"provider": wire.String(""),
		"state":    structpb.NewStructValue(r.outputs),
	}}}, nil
}
