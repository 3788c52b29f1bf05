// Package pulumi serves a program over the Pulumi provider protocol. It
// translates, and decides nothing: what a resource does is the engine's.
//
// Each of the protocol's calls has a file of its name. What they share is how
// values travel (package wire), how a state is kept (state.go), how errors are
// told (failure.go), what a call may cost and when it ends (calls.go), where its
// messages go (log.go, host.go) and how the process lives (serve.go).
package pulumi

import (
	"cmp"
	"context"
	"io"
	"os"
	"sync/atomic"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"

	"github.com/declprov/declprov/actions/sys/process"
	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/engine/pulumi/wire"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/screen"
)

// Options are what a server is made of.
type Options struct {
	// Program is what is served. It may be nil where Parameterize is set: then
	// there is none until the engine has said which.
	Program *engine.Program
	// Version is the package's, as strict semver.
	Version string
	// Schema gives the package schema, as JSON. It is asked once.
	Schema func() ([]byte, error)
	// Parameterize makes the package that the engine asks for; nil where there
	// is but one.
	Parameterize func(context.Context, Parameters) (*Package, error)

	// EngineAddress is where the Pulumi engine that started the process
	// listens; "" where none did (see ParseArgs).
	EngineAddress string
	// Dir is the folder of the user's program, where relative paths of theirs
	// start; "" is the working directory. The directories that a handshake
	// names are the provider's own, and no help here.
	Dir string
	// Journal is the folder where intents are kept; "" is the user's own: see
	// journal.DefaultDir.
	Journal string
	// Debug writes the stacks of recovered panics to Stderr.
	Debug bool

	// Stdin, where not nil, is watched: at its end a dead engine ends the server.
	Stdin io.Reader
	// Stdout gets the port, Stderr what has nowhere else to go. nil is the
	// process's own.
	Stdout, Stderr io.Writer
}

// Package is a program with what describes it.
type Package struct {
	Program *engine.Program
	Version string
	Schema  func() ([]byte, error)
}

// Server is a provider, for any number of concurrent calls.
type Server struct {
	pulumirpc.UnimplementedResourceProviderServer

	options Options
	// session is the latest, for connections without one of their own; each
	// Parameterize and Configure puts a new one in its place, whole. See put.
	session atomic.Pointer[session]
	// host is where messages go; the latest handshake says where that is.
	host  atomic.Pointer[host]
	bytes atomic.Bool // the engine takes strings of bytes
	// most is how many values a request may have: the most of all packages that were
	// served, or 0 before there was one. What a request is about is known too late.
	most atomic.Int64
	// decoder is for the calls about resources.
	decoder wire.Decoder
	calls   *calls
	// graceFault says what is wrong with DECLPROV_CANCEL_GRACE; Configure shows it.
	graceFault error
	notices    notices
	// openers are closed at the end.
	openers openers
}

// session is a package and, once it is configured, the engine that serves it.
type session struct {
	*Package
	schema func() (string, error)
	engine *engine.Engine // nil until configured
	// provider is how the engine refers to the provider resource that this is
	// configured as; "" where it does not say.
	provider string
}

// New makes a server that is not listening yet; see Serve.
func New(options Options) *Server {
	if options.Dir == "" {
		// Configure reports what comes of having none.
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
	s.host.Store(newHost(options.EngineAddress, options.Stderr))
	if options.Program != nil {
		s.put(context.Background(), newSession(&Package{
			Program: options.Program, Version: options.Version, Schema: options.Schema,
		}))
	}
	return s
}

// maxValues is how many values a request may have.
func (s *Server) maxValues() int { return cmp.Or(int(s.most.Load()), decode.DefaultValues) }

// allow lets requests have as many values as a package takes.
func (s *Server) allow(most int64) {
	for {
		now := s.most.Load()
		if most <= now || s.most.CompareAndSwap(now, most) {
			return
		}
	}
}

// encoder writes values for the engine at the other end.
func (s *Server) encoder() wire.Encoder { return wire.Encoder{Bytes: s.bytes.Load()} }
