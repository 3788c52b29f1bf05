package eval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"

	"github.com/declprov/declprov/spec"
)

// CopyAsset writes the content of an asset to w, and returns its size. It reads the content in
// parts, however large it is, and returns an error if the content is not the one that the hash of
// the asset belongs to: the file has changed, or belongs to an older state.
func (r *Run) CopyAsset(w io.Writer, f *spec.File) (int64, error) {
	if r.vars == nil || r.vars.Open == nil {
		return 0, Faultf("reading an asset is not available here")
	}
	ctx := r.vars.Context
	if ctx == nil {
		ctx = context.Background()
	}
	content, err := r.vars.Open(ctx, f)
	if err != nil {
		return 0, err
	}
	defer content.Close()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(sum, w), &cancellable{ctx, content})
	if err == nil && f.Hash != "" && hex.EncodeToString(sum.Sum(nil)) != f.Hash {
		err = Faultf("the asset has changed since the program passed it; run the command again, or use sha256, which is recorded")
	}
	return n, err
}

// cancellable is a reader that ends with a context.
type cancellable struct {
	ctx  context.Context
	from io.Reader
}

func (c *cancellable) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	return c.from.Read(p)
}
