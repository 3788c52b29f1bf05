package pulumi

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"
)

// Cancel ends the operations under way that came over the same connection, and
// does not wait for them; each of them still answers with what it has done. The
// first Cancel of an operation stops it: nothing new is sent, and what was sent
// may be answered. The second aborts it. See calls.cancel for what a Cancel means
// to later calls. What was opened for the run is closed.
func (s *Server) Cancel(ctx context.Context, _ *emptypb.Empty) (*emptypb.Empty, error) {
	s.calls.cancel(ctx)
	if now := s.sessionOf(ctx); now != nil && now.engine != nil {
		s.cancelled(now.engine)
	}
	return &emptypb.Empty{}, nil
}
