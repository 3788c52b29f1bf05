package pulumi

import (
	"context"
	"fmt"
	"io"
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
	stderr io.Writer // Pulumi's engine may be gone

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

// close starts to close the ephemerals of an engine, and does not wait.
func (o *openers) close(e *engine.Engine) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ended || !slices.Contains(o.engines, e) {
		return
	}
	o.closing.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
		defer cancel()
		o.closeNow(ctx, e)
	})
}

// closeAll closes the ephemerals of all engines.
func (o *openers) closeAll(ctx context.Context) {
	o.mu.Lock()
	o.ended = true
	for _, e := range o.engines {
		o.closing.Go(func() { o.closeNow(ctx, e) })
	}
	o.mu.Unlock()
	o.closing.Wait()
}

// closeNow closes the ephemerals of an engine, and reports errors on stderr.
func (o *openers) closeNow(ctx context.Context, e *engine.Engine) {
	if err := e.Close(ctx); err != nil {
		fmt.Fprintf(o.stderr, "declprov: %s\n", screen.Show(err.Error(), nil))
	}
}
