package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// Parameters determine the package of a plugin that can serve any: either the
// arguments that a user typed, or the value that an earlier Parameterize returned for
// the package's schema, with the name and version of the package.
type Parameters struct {
	Args []string

	Name, Version string
	Value         []byte // nil if there are arguments
}

// Parameterize makes the plugin the provider of one package.
func (s *Server) Parameterize(
	ctx context.Context, req *pulumirpc.ParameterizeRequest,
) (*pulumirpc.ParameterizeResponse, error) {
	if s.options.Parameterize == nil {
		return nil, status.Error(codes.Unimplemented,
			"this provider serves one spec and accepts no parameters; use the plugin \"declprov\" instead")
	}
	var p Parameters
	if v := req.GetValue(); v != nil {
		p.Name, p.Version, p.Value = v.GetName(), v.GetVersion(), append([]byte{}, v.GetValue()...)
	} else {
		p.Args = req.GetArgs().GetArgs()
	}
	made, err := s.options.Parameterize(ctx, p)
	if err != nil {
		if _, ok := status.FromError(err); ok {
			return nil, err
		}
		return nil, status.Error(codes.InvalidArgument, message(err))
	}
	s.sessions.set(ctx, newSession(made))
	return &pulumirpc.ParameterizeResponse{Name: made.Program.Metadata().Name, Version: made.Version}, nil
}
