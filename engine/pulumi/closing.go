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

// shortestClosing is what closing what is open gets even where operations took
// all the time there was to end.
const shortestClosing = 500 * time.Millisecond

// openers are the engines that may have ephemeral values open. Pulumi has no call
// that ends one: they are closed when it cancels, as it does at the end of each
// run, and when the process ends.
type openers struct {
	mu      sync.Mutex
	engines []*engine.Engine
	// closing are those that are being closed; ended says that no Cancel may
	// begin with another.
	closing sync.WaitGroup
	ended   bool
}

// add notes an engine whose spec opens values.
func (o *openers) add(e *engine.Engine) {
	if !e.Opens() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.engines = append(o.engines, e)
}

// cancelled begins to close what an engine has open, and does not wait.
func (s *Server) cancelled(e *engine.Engine) {
	s.openers.mu.Lock()
	defer s.openers.mu.Unlock()
	if s.openers.ended || !slices.Contains(s.openers.engines, e) {
		return
	}
	s.openers.closing.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), undoTimeout)
		defer cancel()
		s.close(ctx, e)
	})
}

// closeAll closes what all of them have open.
func (s *Server) closeAll(ctx context.Context) {
	s.openers.mu.Lock()
	s.openers.ended = true
	for _, e := range s.openers.engines {
		s.openers.closing.Go(func() { s.close(ctx, e) })
	}
	s.openers.mu.Unlock()
	s.openers.closing.Wait()
}

// close says on stderr what could not be closed: the engine may be gone.
func (s *Server) close(ctx context.Context, e *engine.Engine) {
	if err := e.Close(ctx); err != nil {
		fmt.Fprintf(s.options.Stderr, "declprov: %s\n", screen.Show(err.Error(), nil))
	}
}
