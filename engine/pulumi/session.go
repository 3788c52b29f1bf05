package pulumi

import (
	"context"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine"
)

// newSession returns the session of a package that is not configured.
func newSession(p *Package) *session {
	return &session{Package: p, schema: sync.OnceValues(func() (string, error) {
		if p.Schema == nil {
			return "", status.Error(codes.Unimplemented, "this provider was started without a schema")
		}
		raw, err := p.Schema()
		return string(raw), err
	})}
}

// configured returns the session with an engine.
func (s *session) configured(e *engine.Engine, provider string) *session {
	return &session{Package: s.Package, schema: s.schema, engine: e, provider: provider}
}

// current returns the session of a call. A call uses it from start to end.
func (s *Server) current(ctx context.Context) (*session, error) {
	session := s.sessionOf(ctx)
	if session == nil {
		return nil, status.Error(codes.FailedPrecondition,
			"no spec is loaded: this provider requires one as its parameter (pulumi package add declprov ./spec.cue)")
	}
	return session, nil
}

// ready returns the session of a call if its provider is configured.
func (s *Server) ready(ctx context.Context) (*session, error) {
	session, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	if session.engine == nil {
		return nil, status.Error(codes.FailedPrecondition,
			"the provider is not configured: Configure must succeed before this call")
	}
	return session, nil
}

// request is a call about a resource.
type request interface {
	GetUrn() string
	GetName() string
	GetType() string
}

// forResource returns the session of a call about a resource, and the resource.
func (s *Server) forResource(ctx context.Context, req request) (*session, engine.Ref, error) {
	session, err := s.ready(ctx)
	if err != nil {
		return nil, engine.Ref{}, err
	}
	ref, err := session.ref(req.GetUrn(), req.GetName(), req.GetType())
	return session, ref, err
}
