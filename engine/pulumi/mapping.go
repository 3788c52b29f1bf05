package pulumi

import (
	"context"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
)

// GetMapping would tell converters how to translate programs of another tool. There
// is no mapping, which an empty response means.
func (s *Server) GetMapping(
	context.Context, *pulumirpc.GetMappingRequest,
) (*pulumirpc.GetMappingResponse, error) {
	return &pulumirpc.GetMappingResponse{}, nil
}

// GetMappings returns the providers that GetMapping supports: none.
func (s *Server) GetMappings(
	context.Context, *pulumirpc.GetMappingsRequest,
) (*pulumirpc.GetMappingsResponse, error) {
	return &pulumirpc.GetMappingsResponse{}, nil
}
