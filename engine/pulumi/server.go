// Package pulumi serves a program over the Pulumi provider protocol. It only
// translates; package engine makes all decisions.
//
// Each call of the protocol has a file with its name. Other files contain what they
// share: the encoding of values (package wire), states (state.go), errors
// (failure.go), the lifetime of calls (calls.go), and messages (log.go, host.go). The
// process is in package plugin.
package pulumi

import (
	"context"
	"io"
	"os"
	"sync/atomic"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/screen"
)

// Options are the options of a server.
type Options struct {
	// Program is the program to serve. It may be nil if Parameterize is set; then the
	// engine must parameterize the provider first.
	Program *engine.Program
	// Version is the version of the package in strict semver.
	Version string
	// Schema returns the package schema as JSON. It is called once.
	Schema func() ([]byte, error)
	// Parameterize returns the package that Pulumi's engine requests. It is nil if the server
	// has only one.
	Parameterize func(context.Context, Parameters) (*Package, error)

	// EngineAddress is the address of the engine of Pulumi that started the process, or "" (see
	// plugin.ParseArgs).
	EngineAddress string
	// Dir is the folder of the user's program, to which paths are relative. "" is the
	// working directory. The directories in a handshake cannot be used, because they
	// belong to the provider.
	Dir string
	// Journal is the folder of the journal. "" is the user's default; see
	// journal.DefaultDir.
	Journal string
	// Trace receives each request, command and file operation, as it happens. It may be nil,
	// and must be safe for concurrent use.
	Trace func(actions.Event)
	// Lose decides which responses to steps with an effect are lost, for trials; see
	// actions.WithLoss. It may be nil.
	Lose func() bool
	// Look decides which creates only look whether their object exists, for trials; see
	// actions.Look. It may be nil.
	Look func() *actions.Look
	// Debug writes the stacks of recovered panics to Stderr.
	Debug bool

	// Stdin detects the death of Pulumi's engine, unless it is nil; see plugin.Process.
	Stdin io.Reader
	// Hosted says that a language host started the process; see plugin.Process.
	Hosted bool
	// Stdout receives the port, and Stderr messages that cannot be sent to an engine.
	// nil is the process's own.
	Stdout, Stderr io.Writer
}

// Package is a program with its version and schema.
type Package struct {
	Program *engine.Program
	Version string
	Schema  func() ([]byte, error)
}

// Server is a provider. It is safe for concurrent use.
type Server struct {
	pulumirpc.UnimplementedResourceProviderServer

	options  Options
	sessions sessions
	hosts    hosts
	bytes    atomic.Bool // whether Pulumi's engine accepts byte strings
	// decoder decodes the requests about resources.
	decoder wire.Decoder
	calls   *calls
	// graceFault is the error of an invalid DECLPROV_CANCEL_GRACE, which Configure
	// shows.
	graceFault error
	notices    notices
	// openers are closed when the server ends.
	openers openers
}

// New returns a server that does not listen yet; see Serve.
func New(options Options) *Server {
	if options.Dir == "" {
		// Configure reports a missing directory.
		options.Dir, _ = os.Getwd()
	}
	if options.Stdout == nil {
		options.Stdout = os.Stdout
	}
	if options.Stderr == nil {
		options.Stderr = os.Stderr
	}
	options.Stderr = screen.NewWriter(options.Stderr, false)
	grace, err := graceFrom(process.Variable(graceVariable))
	s := &Server{options: options, calls: newCalls(grace), graceFault: err}
	s.calls.trace, s.calls.lose, s.calls.look = options.Trace, options.Lose, options.Look
	s.hosts.latest.Store(newHost(options.EngineAddress, options.Stderr))
	s.openers.stderr = options.Stderr
	if options.Program != nil {
		s.sessions.set(context.Background(), newSession(&Package{
			Program: options.Program, Version: options.Version, Schema: options.Schema,
		}))
	}
	return s
}

// encoder returns an encoder for the connected engine.
func (s *Server) encoder() wire.Encoder { return wire.Encoder{Bytes: s.bytes.Load()} }
