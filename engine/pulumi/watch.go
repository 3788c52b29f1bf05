package pulumi

import (
	"context"
	"io"
	"net"
	"time"
)

// engineCheck is how often an engine is looked for once standard input has
// ended.
const engineCheck = 5 * time.Second

// watchEngine closes orphaned when the engine is gone: an engine that is killed
// sends no signal, but the pipe it held our standard input by closes. As that
// says little (some start us without any), the engine is then looked for where
// it listens, until nobody answers there.
func watchEngine(ctx context.Context, stdin io.Reader, address string, orphaned chan<- struct{}) {
	_, _ = io.Copy(io.Discard, stdin) // an error ends it as well as an end does
	for alive(ctx, address) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(engineCheck):
		}
	}
	close(orphaned)
}

func alive(ctx context.Context, address string) bool {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	_ = conn.Close() // that it opened is all we wanted
	return true
}
