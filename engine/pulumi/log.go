package pulumi

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/screen"
)

// callLog sends the messages of one call, for its resource, to the engine of Pulumi that made
// the call.
type callLog struct {
	host *host
	urn  string
	used atomic.Bool
}

var _ engine.Log = (*callLog)(nil)

// begin begins an operation on the resource of a URN, or on none; see calls.begin. The caller must
// call end.
func (s *Server) begin(ctx context.Context, urn string, timeout time.Duration) (_ context.Context, log *callLog, end func()) {
	ctx, leave := s.calls.begin(ctx, timeout)
	log = s.hosts.log(urn)
	return ctx, log, func() {
		defer leave()
		log.done()
	}
}

// Message sends a message, which Pulumi's engine keeps and shows among the resource's
// diagnostics.
func (l *callLog) Message(severity engine.Severity, text screen.Text) {
	l.used.Store(true)
	l.host.put(entry{urn: l.urn, severity: severity, text: text})
}

// Status sends a status, which Pulumi's engine shows beside the resource until the next
// one.
func (l *callLog) Status(text screen.Text) {
	l.used.Store(true)
	l.host.put(entry{urn: l.urn, severity: engine.Info, text: text, status: true})
}

// done waits at the end of the call until the messages are sent, because Pulumi's engine
// drops messages that arrive after the response.
func (l *callLog) done() {
	if l.used.Load() {
		l.host.flush()
	}
}
