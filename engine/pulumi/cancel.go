package pulumi

import (
	"context"

	"google.golang.org/protobuf/types/known/emptypb"
)

// Cancel ends the operations under way, and does not wait for them; each of them
// still answers with what it has done. Calls that come later are served.
func (s *Server) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	s.calls.cancelAll()
	return &emptypb.Empty{}, nil
}
