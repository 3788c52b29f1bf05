package pulumi

import (
	"context"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/anypb"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/screen"
)

// Pulumi shows the texts of a provider unchanged. The terminal would interpret control
// characters in them, and Pulumi its own colour tags. So the texts of all replies pass
// through this file: errors, their details, and failures of inputs. Messages during a call
// pass through host.send, and all others through the server's Stderr, which both take or
// create screen.Text.

// screenReply makes the texts of a reply safe to show. It masks the secrets of the
// request and of the configuration, even if the engine has already done so.
func (g guard) screenReply(ctx context.Context, req, res any, err error) (any, error) {
	if err != nil {
		return nil, shownError(err, secretsOf(req, g.sessions.of(ctx)))
	}
	var failures []*pulumirpc.CheckFailure
	switch res := res.(type) {
	case *pulumirpc.CheckResponse:
		failures = res.GetFailures()
	case *pulumirpc.InvokeResponse:
		failures = res.GetFailures()
	case *pulumirpc.CallResponse:
		failures = res.GetFailures()
	}
	if len(failures) > 0 {
		hide := secretsOf(req, g.sessions.of(ctx))
		for _, f := range failures {
			f.Property, f.Reason = shownPath(f.GetProperty(), hide), screen.Show(f.GetReason(), hide).String()
		}
	}
	return res, nil
}

// shownPath returns a property path on one line.
func shownPath(path string, hide *screen.Mask) string {
	return screen.Exact(screen.Show(path, hide).String())
}

// shownError makes the message of an error, and those of its details that Pulumi
// shows, safe to show.
func shownError(err error, hide *screen.Mask) error {
	known, ok := status.FromError(err)
	if !ok {
		known = status.FromContextError(err)
	}
	was := known.Proto()
	shown := status.New(codes.Code(was.GetCode()), screen.Show(was.GetMessage(), hide).String()).Proto()
	for _, packed := range was.GetDetails() {
		detail, bad := packed.UnmarshalNew()
		if bad != nil {
			continue // Pulumi cannot read it either
		}
		showDetail(detail, hide)
		if packed, bad = anypb.New(detail); bad == nil {
			shown.Details = append(shown.Details, packed)
		}
	}
	return status.FromProto(shown).Err()
}

func showDetail(detail proto.Message, hide *screen.Mask) {
	switch detail := detail.(type) {
	case *pulumirpc.ErrorResourceInitFailed:
		for i, reason := range detail.GetReasons() {
			detail.Reasons[i] = screen.Show(reason, hide).String()
		}
	case *pulumirpc.ConfigureErrorMissingKeys:
		for _, key := range detail.GetMissingKeys() {
			key.Name, key.Description = shownPath(key.GetName(), hide), screen.Show(key.GetDescription(), hide).String()
		}
	case *pulumirpc.InputPropertiesError:
		for _, e := range detail.GetErrors() {
			e.PropertyPath, e.Reason = shownPath(e.GetPropertyPath(), hide), screen.Show(e.GetReason(), hide).String()
		}
	}
}

// secretsOf returns a mask of the secrets of a request and of the configuration of its session. It
// is only called if there is a text to show.
func secretsOf(req any, session *session) *screen.Mask {
	message, ok := req.(proto.Message)
	if !ok {
		return nil
	}
	var values []property.Value
	message.ProtoReflect().Range(func(_ protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		inner, ok := v.Interface().(protoreflect.Message)
		if !ok {
			return true
		}
		if fields, ok := inner.Interface().(*structpb.Struct); ok {
			if decoded, err := wire.Decode(fields); err == nil {
				values = append(values, property.New(decoded))
			}
		}
		return true
	})
	switch {
	case session == nil:
		return nil
	case session.engine != nil && !isConfiguring(req):
		return session.engine.Mask(values...)
	default:
		return session.Program.Mask(values...)
	}
}

// isConfiguring reports whether a request contains the provider's configuration, in
// which secrets are not marked.
func isConfiguring(req any) bool {
	switch req := req.(type) {
	case *pulumirpc.ConfigureRequest:
		return true
	case *pulumirpc.CheckRequest:
		return isProvider(req.GetUrn())
	case *pulumirpc.DiffRequest:
		return isProvider(req.GetUrn())
	default:
		return false
	}
}

// isProvider reports whether a URN is that of a provider.
func isProvider(urn string) bool {
	typ, _ := splitURN(urn)
	return strings.HasPrefix(typ, plan.ProviderType)
}
