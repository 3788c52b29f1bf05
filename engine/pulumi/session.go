package pulumi

import (
	"context"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine"
)

// newSession is a package that nobody has configured.
func newSession(p *Package) *session {
	return &session{Package: p, schema: sync.OnceValues(func() (string, error) {
		if p.Schema == nil {
			return "", status.Error(codes.Unimplemented, "this provider was started without a schema")
		}
		raw, err := p.Schema()
		return string(raw), err
	})}
}

// configured is the session with an engine.
func (s *session) configured(e *engine.Engine, provider string) *session {
	return &session{Package: s.Package, schema: s.schema, engine: e, provider: provider}
}

// current is the session that a call works with, from its start to its end.
func (s *Server) current(ctx context.Context) (*session, error) {
	now := s.sessionOf(ctx)
	if now == nil {
		return nil, status.Error(codes.FailedPrecondition,
			"no spec is loaded: this provider needs one as its parameter (pulumi package add declprov ./spec.cue)")
	}
	return now, nil
}

// ready is a session whose provider is configured.
func (s *Server) ready(ctx context.Context) (*session, error) {
	now, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	if now.engine == nil {
		return nil, status.Error(codes.FailedPrecondition,
			"the provider is not configured: Configure has to be called, and to succeed, before this call")
	}
	return now, nil
}

// request is what every call about a resource says of it.
type request interface {
	GetUrn() string
	GetName() string
	GetType() string
}

// about is the session that serves a call about a resource, and the resource.
func (s *Server) about(ctx context.Context, req request) (*session, engine.Ref, error) {
	now, err := s.ready(ctx)
	if err != nil {
		return nil, engine.Ref{}, err
	}
	ref, err := now.ref(req.GetUrn(), req.GetName(), req.GetType())
	return now, ref, err
}
