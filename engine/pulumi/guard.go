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

// bug says that something is declprov's own fault.
func bug(what string) string {
	return what + ". This is a bug in declprov, not in the spec or the program: " +
		"please report it at https://github.com/declprov/declprov/issues"
}

// guard answers calls whose handling panics, so that the process and the calls
// beside it go on, and sees to it that what every call says is fit to be shown.
type guard struct {
	stderr io.Writer
	debug  bool
	leave  func(ctx context.Context, req, res any, err error) (any, error)
}

func (g guard) unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (res any, err error) {
	defer func() { res, err = g.leave(ctx, req, res, err) }() // also what caught says
	defer g.caught(info.FullMethod, &err)
	return handler(ctx, req)
}

func (g guard) stream(srv any, stream grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	heard := &hearing{ServerStream: stream}
	defer func() { _, err = g.leave(stream.Context(), heard.request, nil, err) }()
	defer g.caught(info.FullMethod, &err)
	return handler(srv, heard)
}

// hearing is a stream of which the request is kept.
type hearing struct {
	grpc.ServerStream
	request any
}

// RecvMsg receives the request.
func (h *hearing) RecvMsg(m any) error {
	h.request = m
	return h.ServerStream.RecvMsg(m)
}

// caught turns a panic into an Internal error. Only the runtime's own messages
// are told: any other value may hold a secret.
func (g guard) caught(method string, err *error) {
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
