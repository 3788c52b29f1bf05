package pulumi

import (
	"context"
	"net"
	"sync/atomic"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
)

// connection is one that an engine has made, with the session that was set up
// over it. An engine has one process for each explicit provider, except where it
// attaches: then all of them, and those of other engines, share a process, each
// over a connection of its own (dialPlugin in pkg/resource/plugin/plugin.go of
// Pulumi). Which provider a call is for, only its connection tells.
type connection struct {
	credentials.AuthInfo
	session atomic.Pointer[session]
	// caller counts the Cancels that came over it.
	caller caller
}

// perConnection hands each connection its place for a session, as gRPC's way to
// know a connection again: it adds no security to the credentials it wraps.
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

// connectionOf is the connection that a call came over, or nil.
func connectionOf(ctx context.Context) *connection {
	from, ok := peer.FromContext(ctx)
	if !ok {
		return nil
	}
	c, _ := from.AuthInfo.(*connection)
	return c
}

// put makes a session that of the connection, and the latest.
func (s *Server) put(ctx context.Context, made *session) {
	s.allow(int64(made.Program.MaxValues()))
	if c := connectionOf(ctx); c != nil {
		c.session.Store(made)
	}
	s.session.Store(made)
}

// sessionOf is the session that was set up over the call's connection; else, for
// an engine that has connected anew, the latest.
func (s *Server) sessionOf(ctx context.Context) *session {
	if c := connectionOf(ctx); c != nil {
		if own := c.session.Load(); own != nil {
			return own
		}
	}
	return s.session.Load()
}
