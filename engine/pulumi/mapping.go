package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// GetMapping tells converters how another tool's program would look here. There
// is nothing to map: an empty answer says so.
func (s *Server) GetMapping(
	context.Context, *pulumirpc.GetMappingRequest,
) (*pulumirpc.GetMappingResponse, error) {
	return &pulumirpc.GetMappingResponse{}, nil
}

// GetMappings names the providers that GetMapping knows: none.
func (s *Server) GetMappings(
	context.Context, *pulumirpc.GetMappingsRequest,
) (*pulumirpc.GetMappingsResponse, error) {
	return &pulumirpc.GetMappingsResponse{}, nil
}
