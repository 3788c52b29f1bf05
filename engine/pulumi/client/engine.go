package client

import (
	"context"
	"fmt"
	"net"
	"slices"
	"sync"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Engine is the service of a Pulumi engine that providers call. It records their log
// messages.
type Engine struct {
	pulumirpc.UnimplementedEngineServer

	// OnLog is called with each message, unless it is nil. It must be set before a
	// provider knows the address.
	OnLog func(LogMessage)

	server  *grpc.Server
	address string

	mu   sync.Mutex
	logs []LogMessage
}

// LogMessage is a message of a provider.
type LogMessage struct {
	// Severity is DEBUG, INFO, WARNING or ERROR.
	Severity  string
	Text      string
	URN       string
	Ephemeral bool
}

// StartEngine starts an engine of Pulumi on a port of the loopback interface.
func StartEngine() (*Engine, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the provider's messages: %w", err)
	}
	e := &Engine{server: grpc.NewServer(grpc.MaxRecvMsgSize(maxMessage)), address: listener.Addr().String()}
	pulumirpc.RegisterEngineServer(e.server, e)
	go func() { _ = e.server.Serve(listener) }() // ends with Stop
	return e, nil
}

// Address returns the address for the handshake.
func (e *Engine) Address() string { return e.address }

// Stop stops the engine.
func (e *Engine) Stop() { e.server.Stop() }

// Logs returns the messages so far.
func (e *Engine) Logs() []LogMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.logs)
}

// Log records a message.
func (e *Engine) Log(_ context.Context, req *pulumirpc.LogRequest) (*emptypb.Empty, error) {
	m := LogMessage{
		Severity: req.GetSeverity().String(), Text: req.GetMessage(), URN: req.GetUrn(), Ephemeral: req.GetEphemeral(),
	}
	e.mu.Lock()
	e.logs = append(e.logs, m)
	e.mu.Unlock()
	if e.OnLog != nil {
		e.OnLog(m)
	}
	return &emptypb.Empty{}, nil
}
