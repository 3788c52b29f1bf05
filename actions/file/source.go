package file

import (
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

// source is the content to write. One of its members is set.
type source struct {
	Content       *string    `arg:"content"`
	ContentBase64 *string    `arg:"contentBase64"`
	Source        *spec.File `arg:"source"`
}

// open opens the content.
func (s *source) open(ctx context.Context, call *actions.Call) (io.ReadCloser, error) {
	if s.Content != nil {
		return io.NopCloser(strings.NewReader(*s.Content)), nil
	}
	if s.ContentBase64 != nil {
		return io.NopCloser(&base64Reader{base64.NewDecoder(base64.StdEncoding, strings.NewReader(*s.ContentBase64))}), nil
	}
	if s.Source != nil {
		opened, err := assets.Open(ctx, call.Env, s.Source)
		if err != nil {
			return nil, fmt.Errorf("source: %w", err)
		}
		return opened, nil
	}
	return nil, errors.New("nothing to write: content, contentBase64 and source are all null; set one of them")
}

// base64Reader adds the name of the argument to decoding errors.
type base64Reader struct{ decoder io.Reader }

func (r *base64Reader) Read(p []byte) (int, error) {
	n, err := r.decoder.Read(p)
	var corrupt base64.CorruptInputError
	if errors.As(err, &corrupt) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("contentBase64 is not standard base64 (%w)", err)
	}
	return n, err
}
