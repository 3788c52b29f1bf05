package plugin

import (
	"context"
	"io"
	"net"
	"time"
)

// engineCheck is the interval at which Pulumi's engine is checked after standard input has
// ended.
const engineCheck = time.Second

// watchEngine closes orphaned when Pulumi's engine is gone. A killed engine sends no
// signal, but the pipe to our standard input is closed. Some engines of Pulumi start providers
// without such a pipe, so watchEngine then connects to the address of Pulumi's engine until
// that fails.
func watchEngine(ctx context.Context, stdin io.Reader, address string, orphaned chan<- struct{}) {
	_, _ = io.Copy(io.Discard, stdin) // an error means the same as the end
	for alive(ctx, address) {
		select {
		case <-ctx.Done():
			return
		case <-time.After(engineCheck):
		}
	}
	close(orphaned)
}

// watchHost closes orphaned when the language host that started this process is gone. The host
// writes nothing to our standard input, and a killed host closes it.
func watchHost(stdin io.Reader, orphaned chan<- struct{}) {
	_, _ = io.Copy(io.Discard, stdin) // an error means the same as the end
	close(orphaned)
}

func alive(ctx context.Context, address string) bool {
	dialer := net.Dialer{Timeout: time.Second}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	_ = conn.Close() // only tests whether it opens
	return true
}
