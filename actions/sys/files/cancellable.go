package files

import (
	"context"
	"io"
)

// CancellableReader returns a reader that fails with the cause of the context once the
// context is done. It is for long copies from a reader that knows no context.
func CancellableReader(ctx context.Context, from io.Reader) io.Reader {
	return &cancellable{ctx: ctx, Reader: from}
}

type cancellable struct {
	ctx context.Context
	io.Reader
}

func (c *cancellable) Read(p []byte) (int, error) {
	if err := context.Cause(c.ctx); err != nil {
		return 0, err
	}
	return c.Reader.Read(p)
}
