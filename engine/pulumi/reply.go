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

// reply is the result of an operation in the protocol.
type reply struct {
	id                 string
	properties, inputs *structpb.Struct
	// given are the inputs that the properties contain as copies, if any.
	given property.Map
}

// newReply converts the result of a create or update, or of a preview of it.
func newReply(ctx context.Context, e wire.Encoder, result engine.Result, preview bool) (reply, error) {
	if preview {
		return previewedReply(ctx, e, result)
	}
	return recordedReply(ctx, e, result, false)
}

// recordedReply converts the result of a create, update or read into a reply, or into an
// error that contains one. The state is always recorded, if there is one.
func recordedReply(ctx context.Context, e wire.Encoder, result engine.Result, withInputs bool) (reply, error) {
	state := result.State
	if state == nil {
		if result.Err == nil {
			return reply{}, status.Error(codes.Internal, bug("the engine returned neither a state nor an error"))
		}
		return reply{}, operationFailure(ctx, result.Err)
	}
	if state.ID == "" {
		return reply{}, operationFailure(ctx, errors.Join(result.Err,
			errors.New("the resource has no id and cannot be recorded; look for its remains in the service")))
	}
	r := reply{id: state.ID, given: state.Inputs}
	var lost, lostInputs error
	r.properties, lost = writeState(e, state)
	if withInputs {
		r.inputs, lostInputs = encodePossible(e, state.Inputs)
	}
	if lost = errors.Join(lost, lostInputs); lost != nil {
		lost = fmt.Errorf("parts of the result cannot be recorded: %w", lost)
	}
	switch {
	case result.Err != nil:
		return reply{}, partialFailure(operationFailure(ctx, errors.Join(result.Err, lost)), r)
	case lost != nil:
		return reply{}, partialFailure(status.Error(codes.FailedPrecondition, message(lost)), r)
	default:
		return r, nil
	}
}

// previewedReply is like recordedReply for a preview, which changes nothing: it may have no
// id, and its errors contain no state. The private part of the state is unknown,
// which tells a method that the program calls next that the resource has yet to
// change.
func previewedReply(ctx context.Context, e wire.Encoder, result engine.Result) (reply, error) {
	if result.Err != nil {
		return reply{}, operationFailure(ctx, result.Err)
	}
	if result.State == nil {
		return reply{}, status.Error(codes.Internal, bug("the engine previewed nothing"))
	}
	properties, err := e.Encode(result.State.Outputs)
	if err != nil {
		return reply{}, failure(err)
	}
	properties.Fields[privateKey] = wire.String(wire.Unknown)
	return reply{id: result.State.ID, properties: properties}, nil
}
