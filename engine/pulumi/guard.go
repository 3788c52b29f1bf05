package pulumi

import (
	"context"
	"fmt"
	"io"
	"path"
	"runtime"
	"runtime/debug"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// bug returns the text for a bug of declprov.
func bug(what string) string {
	return what + ". This is a bug in declprov, not in the spec or the program: " +
		"please report it at https://github.com/declprov/declprov/issues"
}

// guard answers calls that panic, so that the process and other calls continue, and
// makes the texts of all replies safe to show.
type guard struct {
	stderr   io.Writer
	debug    bool
	sessions *sessions
}

func (g guard) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (res any, err error) {
	defer func() { res, err = g.screenReply(ctx, req, res, err) }() // also for a panic
	defer g.recoverPanic(info.FullMethod, &err)
	return handler(ctx, req)
}

func (g guard) stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	heard := &recordingStream{ServerStream: stream}
	defer func() { _, err = g.screenReply(stream.Context(), heard.request, nil, err) }()
	defer g.recoverPanic(info.FullMethod, &err)
	return handler(srv, heard)
}

// recordingStream is a stream that keeps its request.
type recordingStream struct {
	grpc.ServerStream
	request any
}

// RecvMsg receives the request.
func (h *recordingStream) RecvMsg(m any) error {
	h.request = m
	return h.ServerStream.RecvMsg(m)
}

// recoverPanic turns a panic into an Internal error. The error only contains messages
// of the Go runtime, because any other value may contain a secret.
func (g guard) recoverPanic(method string, err *error) {
	value := recover()
	if value == nil {
		return
	}
	what := "panic"
	if fault, ok := value.(runtime.Error); ok {
		what = fault.Error()
	}
	name := path.Base(method)
	*err = status.Error(codes.Internal, bug(fmt.Sprintf("%s failed (%s)", name, what)))
	if g.debug {
		fmt.Fprintf(g.stderr, "declprov: %s: %s\n%s", name, what, debug.Stack())
	}
}
