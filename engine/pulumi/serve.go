package pulumi

import (
	"context"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/declprov/declprov/engine/pulumi/plugin"
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
	// shutdownTimeout is how long cancelled operations may take to undo or report what
	// they have done. Pulumi's engine sends SIGKILL after five seconds.
	shutdownTimeout = 4 * time.Second
	// closeTimeout is how long connections without operations may remain open, because
	// the user waits for Pulumi meanwhile.
	closeTimeout = 800 * time.Millisecond
)

// Serve runs a provider process. It aborts the operations under way when the process has to
// end; they may still respond for a short time.
func Serve(ctx context.Context, options Options) error {
	s := New(options)
	server := s.GRPC()
	return plugin.Process{
		Server: server, EngineAddress: options.EngineAddress,
		Stdin: options.Stdin, Hosted: options.Hosted, Stdout: s.options.Stdout, Stderr: s.options.Stderr,
		ShutDown: func() { s.shutDown(server) },
	}.Run(ctx)
}

// GRPC returns a gRPC server for s.
func (s *Server) GRPC() *grpc.Server {
	g := guard{stderr: s.options.Stderr, debug: s.options.Debug, sessions: &s.sessions}
	server := grpc.NewServer(
		grpc.Creds(perConnection{insecure.NewCredentials()}),
		grpc.NumStreamWorkers(streamWorkers),
		grpc.MaxRecvMsgSize(maxMessage), grpc.MaxSendMsgSize(maxMessage), grpc.ForceServerCodecV2(wire.Codec(s.sessions.maxValues)),
		grpc.UnaryInterceptor(g.unary), grpc.StreamInterceptor(g.stream),
	)
	pulumirpc.RegisterResourceProviderServer(server, s)
	return server
}

// shutDown aborts the operations under way, waits for their responses as long as the
// engine allows, closes ephemerals, and stops the server.
func (s *Server) shutDown(server *grpc.Server) {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
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
	s.openers.closeAll(ctx)
	server.Stop()
	s.hosts.latest.Load().close()
}
