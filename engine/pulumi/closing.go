package pulumi

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/declprov/declprov/engine"
	"github.com/declprov/declprov/spec/screen"
)

// shortestClosing is the time for closing ephemerals if the operations have taken all
// the time for shutting down.
const shortestClosing = 500 * time.Millisecond

// openers are the engines that may have open ephemerals. Pulumi has no call that
// closes one. They are closed on Cancel, which Pulumi also sends at the end of a run,
// and when the process ends.
type openers struct {
	mu      sync.Mutex
	engines []*engine.Engine
	// closing waits for engines that are closing their ephemerals. ended is true when
	// the process ends; a Cancel then has no effect.
	closing sync.WaitGroup
	ended   bool
}

// add records an engine whose spec has ephemerals.
func (o *openers) add(e *engine.Engine) {
	if !e.Opens() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.engines = append(o.engines, e)
}

// closeOpened starts to close the ephemerals of an engine, and does not wait.
func (s *Server) closeOpened(e *engine.Engine) {
	s.openers.mu.Lock()
	defer s.openers.mu.Unlock()
	if s.openers.ended || !slices.Contains(s.openers.engines, e) {
		return
	}
	s.openers.closing.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
		defer cancel()
		s.close(ctx, e)
	})
}

// closeAll closes the ephemerals of all engines.
func (s *Server) closeAll(ctx context.Context) {
	s.openers.mu.Lock()
	s.openers.ended = true
	for _, e := range s.openers.engines {
		s.openers.closing.Go(func() { s.close(ctx, e) })
	}
	s.openers.mu.Unlock()
	s.openers.closing.Wait()
}

// close reports errors on stderr, because Pulumi's engine may be gone.
func (s *Server) close(ctx context.Context, e *engine.Engine) {
	if err := e.Close(ctx); err != nil {
		fmt.Fprintf(s.options.Stderr, "declprov: %s\n", screen.Show(err.Error(), nil))
	}
}
