package pulumi

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/decode"
)

// session is a package and, if it is configured, its engine.
type session struct {
	*Package
	schema func() (string, error)
	engine *engine.Engine // nil until configured
	// provider is Pulumi's reference to the provider resource, or "" if it is not
	// known.
	provider string
}

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

// sessions are the sessions of a process: one for each connection that has configured its own, and
// the latest.
type sessions struct {
	// latest is for connections without their own. Parameterize and Configure replace it as a whole.
	latest atomic.Pointer[session]
	// most is the maximum number of values in a request: the largest limit of all
	// packages that were served, or 0 before the first. The limit of the package that a
	// request is for is not known before it is decoded.
	most atomic.Int64
}

// set sets the session of the connection, which is also the latest one.
func (s *sessions) set(ctx context.Context, made *session) {
	s.raiseMaxValues(int64(made.Program.MaxValues()))
	if c := connectionOf(ctx); c != nil {
		c.session.Store(made)
	}
	s.latest.Store(made)
}

// of returns the session of the call's connection. If it has none, because the
// engine has reconnected, of returns the latest one.
func (s *sessions) of(ctx context.Context) *session {
	if c := connectionOf(ctx); c != nil {
		if own := c.session.Load(); own != nil {
			return own
		}
	}
	return s.latest.Load()
}

// current returns the session of a call. A call uses it from start to end.
func (s *sessions) current(ctx context.Context) (*session, error) {
	session := s.of(ctx)
	if session == nil {
		return nil, status.Error(codes.FailedPrecondition,
			"no spec is loaded: this provider requires one as its parameter (pulumi package add declprov ./spec.cue)")
	}
	return session, nil
}

// ready returns the session of a call if its provider is configured.
func (s *sessions) ready(ctx context.Context) (*session, error) {
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
func (s *sessions) forResource(ctx context.Context, req request) (*session, engine.Ref, error) {
	session, err := s.ready(ctx)
	if err != nil {
		return nil, engine.Ref{}, err
	}
	ref, err := session.ref(req.GetUrn(), req.GetName(), req.GetType())
	return session, ref, err
}

// forRecorded is forResource for a call about a recorded state. The error says what to do about a resource that only an earlier version of
// the spec has.
func (s *sessions) forRecorded(ctx context.Context, req request) (*session, engine.Ref, error) {
	session, ref, err := s.forResource(ctx, req)
	if status.Code(err) == codes.NotFound {
		typ, _ := splitURN(req.GetUrn())
		err = status.Errorf(codes.NotFound, "%s If the spec has it under another name now, add `aliases: [%q]` there. Otherwise, use the version of the provider that had it to destroy it, "+
			"or run `pulumi state delete '%s'`, which leaves the object alone", status.Convert(err).Message(), typ[strings.LastIndex(typ, ":")+1:], req.GetUrn())
	}
	return session, ref, err
}

// maxValues returns the maximum number of values in a request.
func (s *sessions) maxValues() int { return cmp.Or(int(s.most.Load()), decode.DefaultValues) }

// raiseMaxValues raises the maximum number of values in a request to the limit of a
// package.
func (s *sessions) raiseMaxValues(most int64) {
	for {
		current := s.most.Load()
		if most <= current || s.most.CompareAndSwap(current, most) {
			return
		}
	}
}
