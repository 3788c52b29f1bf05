package pulumi

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"
)

// Cancel ends the operations under way, and does not wait for them; each of them
// still answers with what it has done. What was opened for the run is closed. Calls
// that come later are served.
func (s *Server) Cancel(ctx context.Context, _ *emptypb.Empty) (*emptypb.Empty, error) {
	s.calls.cancelAll()
	if now := s.sessionOf(ctx); now != nil && now.engine != nil {
		s.cancelled(now.engine)
	}
	return &emptypb.Empty{}, nil
}
