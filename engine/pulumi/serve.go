package pulumi

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/declprov/declprov/engine/pulumi/wire"
)

const (
	// maxMessage is the size of message that Pulumi allows itself
	// (sdk/go/common/util/rpcutil/serve.go).
	maxMessage = 400 << 20
	// streamWorkers are kept for calls, which spares each a new goroutine whose
	// stack has to grow: a twentieth to a tenth of what a call costs. More calls
	// than these get goroutines of their own.
	streamWorkers = 16
	// undoTimeout is how long operations may take, once they are cancelled, to
	// undo or to report what they have done: the engine sends SIGKILL after five
	// seconds.
	undoTimeout = 4 * time.Second
	// closeTimeout is how long connections without operations may stay: the
	// engine makes the user wait for them.
	closeTimeout = 800 * time.Millisecond
)

// Serve is the life of a provider process: it listens on a port of the loopback
// interface, prints that port alone on the first line of standard output, and
// answers until ctx ends, SIGINT or SIGTERM arrives, or the engine that started
// it is gone. Operations under way are then aborted, whatever was cancelled before,
// and may still answer, but not for long.
func Serve(ctx context.Context, options Options) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listening on the loopback interface: %w", err)
	}
	s := New(options)
	server := s.GRPC()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(ownPeersOnly(listener, s.options.Stderr)) }()

	port := listener.Addr().(*net.TCPAddr).Port
	if _, err := fmt.Fprintf(s.options.Stdout, "%d\n", port); err != nil {
		server.Stop()
		return fmt.Errorf("telling the engine the port: %w", err)
	}
	orphaned := make(chan struct{})
	if options.Stdin != nil && options.EngineAddress != "" {
		go watchEngine(ctx, options.Stdin, options.EngineAddress, orphaned)
	}
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	case <-orphaned:
	}
	s.shutDown(server)
	if err := <-failed; err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return fmt.Errorf("serving: %w", err)
	}
	return nil
}

// GRPC is a gRPC server that answers with s.
func (s *Server) GRPC() *grpc.Server {
	g := guard{stderr: s.options.Stderr, debug: s.options.Debug, leave: s.leave}
	server := grpc.NewServer(
		grpc.Creds(perConnection{insecure.NewCredentials()}),
		grpc.NumStreamWorkers(streamWorkers),
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage), grpc.ForceServerCodecV2(wire.Codec(s.maxValues)),
		grpc.UnaryInterceptor(g.unary), grpc.StreamInterceptor(g.stream),
	)
	pulumirpc.RegisterResourceProviderServer(server, s)
	return server
}

// shutDown aborts what is under way, waits for its answers as long as the engine
// lets it, closes what is open, and ends.
func (s *Server) shutDown(server *grpc.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), undoTimeout)
	defer cancel()
	s.calls.abortAll()
	stopped := make(chan struct{})
	go func() {
		server.GracefulStop()
		close(stopped)
	}()
	select {
	case <-s.calls.ended():
		select {
		case <-stopped:
		case <-time.After(closeTimeout):
		}
	case <-ctx.Done():
		ctx, cancel = context.WithTimeout(context.Background(), shortestClosing)
		defer cancel()
	}
	s.closeAll(ctx)
	server.Stop()
	s.host.Load().close()
}
