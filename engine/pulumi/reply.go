package pulumi

import (
	"context"
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

// reply is what an operation leaves, as it travels.
type reply struct {
	id                 string
	properties, inputs *structpb.Struct
	// given are the inputs of which the properties are a copy, where they are.
	given property.Map
}

// settle turns what a create, update or read has done into a reply, or into an
// error that carries one. Whatever the engine left is recorded.
func (s *Server) settle(ctx context.Context, result engine.Result, withInputs bool) (reply, error) {
	state := result.State
	if state == nil {
		if result.Err == nil {
			return reply{}, status.Error(codes.Internal, bug("the engine answered with neither a state nor an error"))
		}
		return reply{}, operationFailure(ctx, result.Err)
	}
	if state.ID == "" {
		return reply{}, operationFailure(ctx, errors.Join(result.Err,
			errors.New("the resource has no id, so that it cannot be recorded; look for what is left of it by hand")))
	}
	r := reply{id: state.ID, given: state.Inputs}
	var lost, lostInputs error
	r.properties, lost = writeState(s.encoder(), state)
	if withInputs {
		r.inputs, lostInputs = writeSalvaging(s.encoder(), state.Inputs)
	}
	if lost = errors.Join(lost, lostInputs); lost != nil {
		lost = fmt.Errorf("what the operation yielded cannot all be recorded: %w", lost)
	}
	switch {
	case result.Err != nil:
		return reply{}, partly(operationFailure(ctx, errors.Join(result.Err, lost)), r)
	case lost != nil:
		return reply{}, partly(status.Error(codes.FailedPrecondition, message(lost)), r)
	default:
		return r, nil
	}
}

// settlePreview is settle for a preview, which leaves nothing: perhaps no id, and
// an error is only an error. The private part is not known yet, by which a method
// that the program calls next sees that its resource is still to change.
func (s *Server) settlePreview(ctx context.Context, result engine.Result) (reply, error) {
	if result.Err != nil {
		return reply{}, operationFailure(ctx, result.Err)
	}
	if result.State == nil {
		return reply{}, status.Error(codes.Internal, bug("the engine previewed nothing"))
	}
	properties, err := s.encoder().Encode(result.State.Outputs)
	if err != nil {
		return reply{}, failure(err)
	}
	properties.Fields[privateKey] = wire.String(wire.Unknown)
	return reply{id: result.State.ID, properties: properties}, nil
}
