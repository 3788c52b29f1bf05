package pulumi

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"
)

// Cancel cancels the operations under way of the same connection, and does not wait
// for them. Each operation still reports what it has done. The first Cancel stops an
// operation: it sends nothing new, but may wait for a response. The second aborts it.
// calls.cancel explains the effect on later calls. Cancel also closes the ephemerals
// that were opened for the run.
func (s *Server) Cancel(ctx context.Context, _ *emptypb.Empty) (*emptypb.Empty, error) {
	s.calls.cancel(ctx)
	if session := s.sessions.of(ctx); session != nil && session.engine != nil {
		s.openers.close(session.engine)
	}
	return &emptypb.Empty{}, nil
}
