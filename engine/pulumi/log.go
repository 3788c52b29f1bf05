package pulumi

import (
	"sync/atomic"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/screen"
)

// callLog is where one call's messages go: to its resource, at the engine that
// the call came from.
type callLog struct {
	host *host
	urn  string
	used atomic.Bool
}

var _ engine.Log = (*callLog)(nil)

func (s *Server) log(urn string) *callLog { return &callLog{host: s.host.Load(), urn: urn} }

// Message is kept and shown among the resource's diagnostics.
func (l *callLog) Message(severity engine.Severity, text screen.Text) {
	l.used.Store(true)
	l.host.put(entry{urn: l.urn, severity: severity, text: text})
}

// Status is shown beside the resource until the next one.
func (l *callLog) Status(text screen.Text) {
	l.used.Store(true)
	l.host.put(entry{urn: l.urn, severity: engine.Info, text: text, status: true})
}

// done is called at the end of the call: messages arrive before its answer, as
// the engine drops those of steps that are over.
func (l *callLog) done() {
	if l.used.Load() {
		l.host.flush()
	}
}
