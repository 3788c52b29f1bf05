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

// assetEncoder makes bodies of assets and archives. A body can be sent more than once, so it
// opens its file each time, and requires that the size stays the same.
type assetEncoder struct {
	ctx context.Context // the context of the call
	env *actions.Env    // nil if assets are not available
	// format is the archive format, "" for the default.
	format string
	// lists is how a form writes lists and maps, and nulls how it writes null.
	lists ListRule
	nulls string
}

func (h assetEncoder) encodeBytes(v any) (*Body, error) {
	switch v := v.(type) {
	case *spec.File:
		return h.encodeAsset(v)
	case string:
		data, err := base64.StdEncoding.DecodeString(v)
		if err != nil {
			return nil, errors.New("it is not valid standard base64")
		}
		return NewBody("application/octet-stream", data), nil
	default:
		return nil, fmt.Errorf("expected base64, an asset or an archive, got %s", actions.KindOf(v))
	}
}

// encodeAsset returns a body with the content of an asset, or with a packed archive.
func (h assetEncoder) encodeAsset(f *spec.File) (*Body, error) {
	switch {
	case f.Archive:
		return h.encodeArchive(f)
	case f.Text != nil:
		return NewBody("text/plain; charset=utf-8", []byte(*f.Text)), nil
	default:
		return sizedBody("application/octet-stream", func() (*assets.Opened, error) { return assets.Open(h.ctx, h.env, f) })
	}
}

// encodeArchive returns a body that packs the archive while it is sent. The same files always
// pack to the same bytes, so packing once determines the size.
func (h assetEncoder) encodeArchive(f *spec.File) (*Body, error) {
	format := h.archiveFormat()
	return sizedBody(assets.MediaType(format), func() (*assets.Opened, error) {
		r, w := io.Pipe()
		go func() { w.CloseWithError(assets.Pack(h.ctx, h.env, f, format, w)) }()
		return &assets.Opened{ReadCloser: r, Size: -1}, nil
	})
}

// sizedBody returns a body that reads from open. If open does not know the size, the content
// is read once to determine it.
func sizedBody(contentType string, open func() (*assets.Opened, error)) (*Body, error) {
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

func (h assetEncoder) archiveFormat() string { return cmp.Or(h.format, assets.Formats()[0]) }

// filename returns the default file name of a part: that of the file, or the name of the
// part. An archive gets the extension of its format.
func (h assetEncoder) filename(f *spec.File, part string) string {
	name := baseName(f.Path, part)
	if end := "." + h.archiveFormat(); f.Archive && !strings.HasSuffix(name, end) {
		name += end
	}
	return name
}
