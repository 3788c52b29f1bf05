package pulumi

import (
	"context"
	"net"
	"sync/atomic"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
)

// connection is a connection of an engine of Pulumi, with the session that was configured over
// it. Usually each explicit provider has its own process. But if engines of Pulumi attach to a
// process, all their providers share it, each over its own connection (dialPlugin in
// pkg/resource/plugin/plugin.go of Pulumi). Only the connection shows which provider
// a call is for.
type connection struct {
	credentials.AuthInfo
	session atomic.Pointer[session]
	// caller counts the Cancels of the connection.
	caller caller
}

// perConnection adds a *connection to each connection. Credentials are the only way
// in gRPC to recognize a connection; perConnection adds no security to the
// credentials that it wraps.
type perConnection struct {
	credentials.TransportCredentials
}

func (p perConnection) ServerHandshake(raw net.Conn) (net.Conn, credentials.AuthInfo, error) {
	conn, info, err := p.TransportCredentials.ServerHandshake(raw)
	if err != nil {
		return nil, nil, err
	}
	return conn, &connection{AuthInfo: info}, nil
}

func (p perConnection) Clone() credentials.TransportCredentials {
	return perConnection{p.TransportCredentials.Clone()}
}

// connectionOf returns the connection of a call, or nil.
func connectionOf(ctx context.Context) *connection {
	from, ok := peer.FromContext(ctx)
	if !ok {
		return nil
	}
	c, _ := from.AuthInfo.(*connection)
	return c
}
