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

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/engine/run/stop"
	"github.com/declprov/declprov/spec/screen"
)

// failure converts an error to the protocol. The codes Unknown, Internal and DataLoss
// mean that the state of the resource is not known, so ordinary failures do not use
// them.
func failure(err error) error {
	if err == nil {
		return nil
	}
	if s, ok := status.FromError(err); ok && s.Code() != codes.Unknown {
		return err
	}
	return status.Error(codeOf(err), message(err))
}

// operationFailure is like failure, for an operation that ran with ctx. If the host
// cancelled it, or it ran out of time, that is the code, whatever error it returned.
func operationFailure(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	switch {
	case stop.IsStopped(ctx) || errors.Is(ctx.Err(), context.Canceled):
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
	case errors.Is(err, context.Canceled), errors.Is(err, actions.ErrStopped), errors.Is(err, stop.ErrAborted), errors.Is(err, errEnding):
		return codes.Canceled
	case errors.Is(err, context.DeadlineExceeded):
		return codes.DeadlineExceeded
	default:
		return codes.FailedPrecondition
	}
}

// message returns the text of an error. screenReply masks secrets that the engine did
// not.
func message(err error) string { return screen.Show(err.Error(), nil).String() }

const (
	// largestOutputs is the maximum size of the properties in the state of an error.
	// largestDetail is the maximum size of the whole detail, including the private part
	// of the state: it is sent in a trailer, in base64, and Pulumi's engine accepts 16 MB of
	// trailers. The limit of the properties excludes texts and the private part, so that
	// no error text displaces a property.
	largestOutputs = 8 << 20
	largestDetail  = 11 << 20
)

// partialFailure returns the error for an operation after which the resource exists,
// but is not complete. Pulumi's engine records the state in the error.
func partialFailure(failed error, r reply) error {
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
			"too large to be recorded with a failure, and omitted: "+strings.Join(dropped, ", "))
	}
	with, err := s.WithDetails(detail)
	if err != nil {
		return status.Errorf(codes.Internal, "%s; its state cannot be sent: %v", s.Message(), err)
	}
	return with.Err()
}

// shrink removes outputs until the detail is small enough: the largest first, and
// copies of inputs last. A state without them is better than none. If all outputs are
// removed, it also removes the results of completed steps.
func shrink(detail *pulumirpc.ErrorResourceInitFailed, given property.Map) (dropped []string) {
	fields := detail.GetProperties().GetFields()
	for !isSmallEnough(detail) {
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

// isSmallEnough reports whether a detail can be sent.
func isSmallEnough(detail *pulumirpc.ErrorResourceInitFailed) bool {
	all := proto.Size(detail)
	own := proto.Size(detail.GetProperties().GetFields()[privateKey])
	return all <= largestDetail && all-own <= largestOutputs
}

// withoutResults returns the private part of a state without the results of completed
// steps. The next run then starts over, and treats every input as changed.
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

// names returns the names of the outputs without the private part of the state.
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

// valid replaces invalid UTF-8, which protobuf does not accept.
func valid(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
