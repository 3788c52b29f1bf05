package request

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"strings"
	"unicode"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// multipartBody returns a body of several parts. It opens each part only when it is sent, so
// that large files are not loaded into memory. The size is known in advance.
func multipartBody(parts []any, h assetEncoder) (*Body, error) {
	var frame bytes.Buffer
	w := multipart.NewWriter(&frame)
	var pieces []*Body
	flush := func() {
		pieces = append(pieces, NewBody("", bytes.Clone(frame.Bytes())))
		frame.Reset()
	}
	for i, p := range parts {
		m, _ := p.(map[string]any)
		header, body, err := partOf(m, h)
		if err != nil {
			return nil, fmt.Errorf("part %d: %w", i+1, err)
		}
		if _, err := w.CreatePart(header); err != nil {
			return nil, err
		}
		flush()
		pieces = append(pieces, body)
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	flush()
	out := &Body{contentType: w.FormDataContentType()}
	for _, p := range pieces {
		out.Size += p.Size
	}
	out.Open = func() (io.ReadCloser, error) { return &bodyChain{rest: pieces}, nil }
	return out, nil
}

// partOf returns the header and content of a part.
func partOf(m map[string]any, h assetEncoder) (textproto.MIMEHeader, *Body, error) {
	name, _ := m["name"].(string)
	filename, _ := m["filename"].(string)
	mediaType, _ := m["contentType"].(string)
	asset, isAsset := m["asset"].(*spec.File)
	if (m["value"] != nil) == isAsset {
		return nil, nil, errors.New("expected exactly one of value and asset")
	}
	if err := checkPartHeader(name, filename, mediaType); err != nil {
		return nil, nil, err
	}
	if name == "" {
		return nil, nil, errors.New("its name is empty")
	}
	var body *Body
	var err error
	if isAsset {
		part := h
		part.format, _ = m["archiveFormat"].(string)
		body, err = part.encodeAsset(asset)
		if err == nil && filename == "" {
			filename = part.filename(asset, name)
			err = checkPartHeader(filename)
		}
		if err == nil && mediaType == "" {
			mediaType = body.contentType
		}
	} else {
		var s string
		s, err = actions.TextOf(m["value"])
		body = NewBody("", []byte(s))
	}
	if err != nil {
		return nil, nil, err
	}
	header := textproto.MIMEHeader{}
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace
	disposition := `form-data; name="` + quote(name) + `"`
	if filename != "" {
		disposition += `; filename="` + quote(filename) + `"`
	}
	header.Set("Content-Disposition", disposition)
	if mediaType != "" {
		header.Set("Content-Type", mediaType)
	}
	return header, body, nil
}

// checkPartHeader returns an error if a text cannot be in the header of a part.
func checkPartHeader(texts ...string) error {
	for _, s := range texts {
		if strings.ContainsFunc(s, unicode.IsControl) {
			return errors.New("its name, filename or contentType contains a control character, such as a line break")
		}
	}
	return nil
}

// baseName returns the last element of a path, or def if that is empty.
func baseName(path, def string) string {
	path = path[strings.LastIndexAny(path, `/\`)+1:]
	if path == "" {
		return def
	}
	return path
}

// bodyChain reads several bodies in sequence, and opens each only when it is reached.
type bodyChain struct {
	rest    []*Body
	current io.ReadCloser
	left    int64
}

func (c *bodyChain) Read(p []byte) (int, error) {
	for {
		if c.current == nil {
			if len(c.rest) == 0 {
				return 0, io.EOF
			}
			next, err := c.rest[0].Open()
			if err != nil {
				return 0, err
			}
			c.current, c.left, c.rest = next, c.rest[0].Size, c.rest[1:]
		}
		n, err := c.current.Read(p)
		c.left -= int64(n)
		switch {
		case err == io.EOF && c.left > 0:
			return n, errShrunk
		case err == io.EOF:
			err = c.current.Close()
			c.current = nil
		}
		if n > 0 || err != nil {
			return n, err
		}
	}
}

var errShrunk = errors.New("a file became shorter while it was sent")

func (c *bodyChain) Close() error {
	if c.current == nil {
		return nil
	}
	return c.current.Close()
}
