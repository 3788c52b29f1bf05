package files

import (
	"context"
	"io"
)

// Cancellable is a reader that ends with its call, whose cause is then its error:
// for copies that may take long from what knows no context.
func Cancellable(ctx context.Context, from io.Reader) io.Reader {
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
