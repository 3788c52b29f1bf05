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
	// maxMessage is the maximum message size of Pulumi
	// (sdk/go/common/util/rpcutil/serve.go).
	maxMessage = 400 << 20
	// streamWorkers is the number of goroutines that wait for calls. They save starting
	// a goroutine and growing its stack, which is 5 to 10 % of the cost of a call.
	// Further concurrent calls start goroutines.
	streamWorkers = 16
	// undoTimeout is how long cancelled operations may take to undo or report what
	// they have done. The engine sends SIGKILL after five seconds.
	undoTimeout = 4 * time.Second
	// closeTimeout is how long connections without operations may remain open, because
	// the user waits for the engine meanwhile.
	closeTimeout = 800 * time.Millisecond
)

// Serve runs a provider process. It listens on a port of the loopback interface, and
// prints the port on the first line of standard output. It serves until ctx ends,
// SIGINT or SIGTERM arrives, or the engine that started it is gone. Then it aborts
// the operations under way, which may still respond for a short time.
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

// GRPC returns a gRPC server for s.
func (s *Server) GRPC() *grpc.Server {
	g := guard{stderr: s.options.Stderr, debug: s.options.Debug, leave: s.screenReply}
	server := grpc.NewServer(
		grpc.Creds(perConnection{insecure.NewCredentials()}),
		grpc.NumStreamWorkers(streamWorkers),
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage), grpc.ForceServerCodecV2(wire.Codec(s.maxValues)),
		grpc.UnaryInterceptor(g.unary), grpc.StreamInterceptor(g.stream),
	)
	pulumirpc.RegisterResourceProviderServer(server, s)
	return server
}

// shutDown aborts the operations under way, waits for their responses as long as the
// engine allows, closes ephemerals, and stops the server.
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
