package request

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/assets"
	"github.com/declprov/declprov/spec"
)

// handed makes bodies of what the user hands over. A body can be sent more than
// once, so each is opened anew for each, and must have its size then.
type handed struct {
	ctx context.Context // of the call, whose bodies these are
	env *actions.Env    // nil where nothing can be read
	// format is how an archive is packed, "" for the usual one.
	format string
}

func (h handed) bytes(v any) (*Body, error) {
	switch v := v.(type) {
	case *spec.File:
		return h.body(v)
	case string:
		data, err := base64.StdEncoding.DecodeString(v)
		if err != nil {
			return nil, errors.New("it is no standard base64")
		}
		return NewBody("application/octet-stream", data), nil
	default:
		return nil, fmt.Errorf("it is %s, and base64, an asset or an archive is wanted", actions.KindOf(v))
	}
}

// body is what an asset holds, or an archive packed.
func (h handed) body(f *spec.File) (*Body, error) {
	switch {
	case f.Archive:
		return h.archive(f)
	case f.Text != nil:
		return NewBody("text/plain; charset=utf-8", []byte(*f.Text)), nil
	default:
		return measured("application/octet-stream", func() (*assets.Opened, error) { return assets.Open(h.ctx, h.env, f) })
	}
}

// archive packs an archive while it is sent. The same files give the same bytes,
// so that it can be packed for its size alone before.
func (h handed) archive(f *spec.File) (*Body, error) {
	format := h.archiveFormat()
	return measured(assets.MediaType(format), func() (*assets.Opened, error) {
		r, w := io.Pipe()
		go func() { w.CloseWithError(assets.Pack(h.ctx, h.env, f, format, w)) }()
		return &assets.Opened{ReadCloser: r, Size: -1}, nil
	})
}

// measured is a body of what open gives. Where that does not know its size, it
// is read once to know it.
func measured(contentType string, open func() (*assets.Opened, error)) (*Body, error) {
	first, err := open()
	if err != nil {
		return nil, err
	}
	size := first.Size
	if size < 0 {
		size, err = io.Copy(io.Discard, first)
	}
	if err := errors.Join(err, first.Close()); err != nil {
		return nil, err
	}
	return &Body{contentType: contentType, Size: size, Open: func() (io.ReadCloser, error) {
		again, err := open()
		if err != nil {
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{io.LimitReader(again, size), again}, nil
	}}, nil
}

func (h handed) archiveFormat() string { return cmp.Or(h.format, assets.Formats()[0]) }

// filename is what a part with a file is called where nobody says: as the file,
// or by the name of the part; an archive, by how it is packed.
func (h handed) filename(f *spec.File, part string) string {
	name := lastName(f.Path, part)
	if end := "." + h.archiveFormat(); f.Archive && !strings.HasSuffix(name, end) {
		name += end
	}
	return name
}
