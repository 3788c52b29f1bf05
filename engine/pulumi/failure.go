package pulumi

import (
	"context"
	"errors"
	"slices"
	"strings"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
)

// failure tells an error to the engine. The code matters: Unknown, Internal and
// DataLoss mean that nobody knows what became of the resource, so an ordinary
// failure has none of them.
func failure(err error) error {
	if err == nil {
		return nil
	}
	if s, ok := status.FromError(err); ok && s.Code() != codes.Unknown {
		return err
	}
	return status.Error(codeOf(err), message(err))
}

// operationFailure is failure for an operation that ran with ctx: one that the
// host cancelled, or that ran out of time, failed for that reason, whatever the
// error it came back with says.
func operationFailure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	switch {
	case engine.Stopped(ctx) || errors.Is(ctx.Err(), context.Canceled):
		return status.Error(codes.Canceled, message(err))
	case ctx.Err() != nil:
		return status.Error(codes.DeadlineExceeded, message(err))
	default:
		return failure(err)
	}
}

func codeOf(err error) codes.Code {
	var malformed *wire.Error
	switch {
	case errors.As(err, &malformed):
		return codes.InvalidArgument
	case errors.Is(err, context.Canceled), errors.Is(err, engine.ErrStopped), errors.Is(err, engine.ErrAborted), errors.Is(err, errEnding):
		return codes.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return codes.DeadlineExceeded
	default:
		return codes.FailedPrecondition
	}
}

// longestMessage keeps messages well inside what HTTP/2 headers, in which they
// travel, may be.
const longestMessage = 64 << 10

func message(err error) string {
	text := valid(err.Error())
	if len(text) > longestMessage {
		text = strings.ToValidUTF8(text[:longestMessage], "") + " [...]"
	}
	return text
}

// largestDetail is how big a state may be that travels with an error: it goes
// in a trailer, in base64, and the engine takes 16 MB of those.
const largestDetail = 8 << 20

// partly is the failure of an operation after which the resource exists and is
// not as it should be. The engine stores what is in it.
func partly(failed error, r reply) error {
	s := status.Convert(failed)
	detail := &pulumirpc.ErrorResourceInitFailed{
		Id:         r.id,
		Properties: r.properties,
		Inputs:     r.inputs,
		Reasons:    []string{s.Message()},
	}
	if dropped := shrink(detail); len(dropped) > 0 {
		detail.Reasons = append(detail.Reasons,
			"too large to be recorded with a failure, and left out: "+strings.Join(dropped, ", "))
	}
	with, err := s.WithDetails(detail)
	if err != nil {
		return status.Errorf(codes.Internal, "%s; its state cannot be told: %v", s.Message(), err)
	}
	return with.Err()
}

// shrink leaves the largest outputs out until the detail can travel: a state
// without them is worth more than none.
func shrink(detail *pulumirpc.ErrorResourceInitFailed) (dropped []string) {
	fields := detail.GetProperties().GetFields()
	for proto.Size(detail) > largestDetail {
		left := names(fields)
		if len(left) == 0 {
			break
		}
		largest := slices.MaxFunc(left, func(a, b string) int {
			return proto.Size(fields[a]) - proto.Size(fields[b])
		})
		delete(fields, largest)
		dropped = append(dropped, largest)
	}
	return dropped
}

// names are those of the outputs, without the engine's own part of the state.
func names(fields map[string]*structpb.Value) []string {
	var all []string
	for k := range fields {
		if k != privateKey {
			all = append(all, k)
		}
	}
	slices.Sort(all)
	return all
}

// valid is a text that protobuf can carry.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
