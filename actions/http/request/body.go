package request

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"

	"github.com/declprov/declprov/actions"
)

// BodyArguments returns the names of the arguments that define a body.
func BodyArguments() []string {
	return []string{"json", "jsonPatch", "jsonUpdate", "form", "multipart", "text", "xml", "bytes", "graphql"}
}

// Body is the body of a request. It can be sent more than once.
type Body struct {
	contentType string
	Size        int64
	Open        func() (io.ReadCloser, error)
}

// NewBody returns a body with these bytes.
func NewBody(contentType string, data []byte) *Body {
	return &Body{contentType: contentType, Size: int64(len(data)), Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}}
}

// Length returns the size of a body in bytes; a nil body has none.
func (p *Body) Length() int64 {
	if p == nil {
		return 0
	}
	return p.Size
}

// CopyTo writes the content of a body; a nil body has none.
func (p *Body) CopyTo(w io.Writer) error {
	if p == nil {
		return nil
	}
	from, err := p.Open()
	if err != nil {
		return &BodyError{Err: err}
	}
	_, err = io.Copy(w, from)
	if err = errors.Join(err, from.Close()); err != nil {
		return &BodyError{Err: err}
	}
	return nil
}

// bodyOf returns the body that the arguments define, or nil.
func (g Arguments) bodyOf(h assetEncoder) (*Body, error) {
	var found string
	for _, name := range BodyArguments() {
		if g.bodies[name] == nil {
			continue
		}
		if found != "" {
			return nil, fmt.Errorf("%s and %s both define a body; remove one of them", found, name)
		}
		found = name
	}
	if found == "" {
		return nil, nil
	}
	p, err := encodeBody(found, g.bodies[found], h)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", found, err)
	}
	return p, nil
}

// BodyOf returns the body of a call if the argument `as` had this value, which contains no assets.
func BodyOf(c *actions.Call, as string, v any) (*Body, error) {
	g, err := ArgumentsOf(c)
	if err != nil {
		return nil, err
	}
	return encodeBody(as, v, assetEncoder{lists: g.Lists, nulls: g.Nulls})
}

func encodeBody(as string, v any, h assetEncoder) (*Body, error) {
	switch as {
	case "json":
		data, err := EncodeJSON(v)
		return NewBody("application/json", data), err
	case "form":
		m, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("expected an object, got %s", actions.KindOf(v))
		}
		pairs, err := formParameters(m, h.lists, h.nulls)
		return NewBody("application/x-www-form-urlencoded", []byte(EncodePairs(pairs))), err
	case "text":
		s, err := actions.TextOf(v)
		return NewBody("text/plain; charset=utf-8", []byte(s)), err
	case "xml":
		data, err := EncodeXML(v)
		return NewBody("application/xml", data), err
	case "graphql":
		return graphqlBody(v)
	case "jsonPatch":
		return patchBody(v)
	case "jsonUpdate":
		return updateBody(v)
	case "multipart":
		parts, ok := v.([]any)
		if !ok {
			return nil, fmt.Errorf("expected a list, got %s", actions.KindOf(v))
		}
		return multipartBody(parts, h)
	default:
		return h.encodeBytes(v)
	}
}

// graphqlBody returns the body of a GraphQL request.
func graphqlBody(v any) (*Body, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("expected an object, got %s", actions.KindOf(v))
	}
	out := maps.Clone(m)
	for _, name := range []string{"variables", "operationName"} {
		if out[name] == nil {
			delete(out, name)
		}
	}
	data, err := EncodeJSON(out)
	return NewBody("application/json", data), err
}

// Equal reports whether two bodies have the same content. A body that cannot be read has
// none.
func (p *Body) Equal(other *Body) bool {
	if p == nil || other == nil || p.Size != other.Size {
		return false
	}
	var own, others bytes.Buffer
	return p.CopyTo(&own) == nil && other.CopyTo(&others) == nil && bytes.Equal(own.Bytes(), others.Bytes())
}

// BodyError is the error of a body that cannot be read.
type BodyError struct{ Err error }

func (e *BodyError) Error() string { return "the body cannot be read: " + e.Err.Error() }
func (e *BodyError) Unwrap() error { return e.Err }
