package pulumi

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/screen"
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

// message is the text of an error; leave masks what the engine did not.
func message(err error) string { return screen.Show(err.Error(), nil).String() }

const (
	// largestOutputs is how big the properties of a state may be that travels with an
	// error, and largestDetail how big all of it, with the engine's own part: it goes in
	// a trailer, in base64, and the engine takes 16 MB of those. Texts and the engine's
	// own part are not counted among the properties, so that no error text pushes one
	// out.
	largestOutputs = 8 << 20
	largestDetail  = 11 << 20
)

// partly is the failure of an operation after which the resource exists and is
// not as it should be. The engine stores what is in it.
func partly(failed error, r reply) error {
	s := status.Convert(failed)
	detail := &pulumirpc.ErrorResourceInitFailed{
		Id:         r.id,
		Properties: r.properties,
		Inputs:     r.inputs,
	}
	dropped := shrink(detail, r.given)
	detail.Reasons = []string{s.Message()}
	if len(dropped) > 0 {
		detail.Reasons = append(detail.Reasons,
			"too large to be recorded with a failure, and left out: "+strings.Join(dropped, ", "))
	}
	with, err := s.WithDetails(detail)
	if err != nil {
		return status.Errorf(codes.Internal, "%s; its state cannot be told: %v", s.Message(), err)
	}
	return with.Err()
}

// shrink leaves outputs out until the detail can travel, the largest first, and inputs
// last: a state without them is worth more than none. What the engine has kept of the
// steps that were done goes only where nothing else is left.
func shrink(detail *pulumirpc.ErrorResourceInitFailed, given property.Map) (dropped []string) {
	fields := detail.GetProperties().GetFields()
	for !travels(detail) {
		left := names(fields)
		if len(left) == 0 {
			if private, ok := fields[privateKey]; ok {
				fields[privateKey] = withoutResults(private)
			}
			break
		}
		largest := slices.MaxFunc(left, func(a, b string) int {
			_, aGiven := given.GetOk(a)
			_, bGiven := given.GetOk(b)
			if aGiven != bGiven {
				if aGiven {
					return -1
				}
				return 1
			}
			return proto.Size(fields[a]) - proto.Size(fields[b])
		})
		delete(fields, largest)
		dropped = append(dropped, largest)
	}
	return dropped
}

// travels reports whether a detail is small enough.
func travels(detail *pulumirpc.ErrorResourceInitFailed) bool {
	all := proto.Size(detail)
	own := proto.Size(detail.GetProperties().GetFields()[privateKey])
	return all <= largestDetail && all-own <= largestOutputs
}

// withoutResults is the private part of a state without the results of the steps that
// were done: the next run starts over, with every input as a change.
func withoutResults(private *structpb.Value) *structpb.Value {
	p := readPrivate(&structpb.Struct{Fields: map[string]*structpb.Value{privateKey: private}})
	if p.Failed == nil {
		return private
	}
	failed := *p.Failed
	failed.Results, failed.Elements, failed.Inputs = nil, nil, ""
	p.Failed = &failed
	return privateValue(p)
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
