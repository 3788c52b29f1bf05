package assets

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/url"

	"github.com/declprov/declprov/spec"
)

// verified is content of which the host has recorded a hash. If it has changed since, it ends with an
// error in place of its last bytes, so that nobody takes it for whole: the state would say that the new
// content is the old one, for ever.
type verified struct {
	io.Closer
	content *bufio.Reader
	sum     hash.Hash
	of      *spec.File
}

func verify(content io.ReadCloser, of *spec.File) io.ReadCloser {
	return &verified{Closer: content, content: bufio.NewReaderSize(content, 64<<10), sum: sha256.New(), of: of}
}

func (v *verified) Read(p []byte) (int, error) {
	n, err := v.content.Read(p)
	v.sum.Write(p[:n])
	last := err == io.EOF
	if n > 0 && err == nil {
		_, next := v.content.Peek(1)
		last = next == io.EOF
	}
	if last && hex.EncodeToString(v.sum.Sum(nil)) != v.of.Hash {
		name := v.of.Path
		if u, err := url.Parse(v.of.URI); name == "" && err == nil {
			name = display(u)
		}
		return 0, fmt.Errorf("asset %q has changed since Pulumi has read it: run `pulumi up` again", name)
	}
	return n, err
}
