package http

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strings"

	"github.com/declprov/declprov/actions"
)

// bodies are the arguments that make a body.
func bodies() []string {
	return []string{"json", "form", "multipart", "text", "xml", "bytes", "graphql"}
}

// payload is a body that can be sent more than once.
type payload struct {
	contentType string
	size        int64
	open        func() (io.ReadCloser, error)
}

func content(contentType string, data []byte) *payload {
	return &payload{contentType: contentType, size: int64(len(data)), open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(data)), nil
	}}
}

// bodyOf makes the body of the one argument that gives it; nil is none.
func (g given) bodyOf(h handed) (*payload, error) {
	var found string
	for _, name := range bodies() {
		if g.args[name] == nil {
			continue
		}
		if found != "" {
			return nil, fmt.Errorf("%s and %s both make a body; give one of them", found, name)
		}
		found = name
	}
	if found == "" {
		return nil, nil
	}
	p, err := encodeBody(found, g.args[found], h)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", found, err)
	}
	return p, nil
}

// encoded makes the body of a value that holds no files.
func encoded(as string, v any) (*payload, error) { return encodeBody(as, v, handed{}) }

func encodeBody(as string, v any, h handed) (*payload, error) {
	switch as {
	case "json":
		data, err := encodeJSON(v)
		return content("application/json", data), err
	case "form":
		m, ok := v.(map[string]any)
		if !ok {
			return nil, fmt.Errorf("it is %s, and an object is wanted", actions.KindOf(v))
		}
		pairs, err := parameters("form", m)
		return content("application/x-www-form-urlencoded", []byte(encodePairs(pairs))), err
	case "text":
		s, err := actions.TextOf(v)
		return content("text/plain; charset=utf-8", []byte(s)), err
	case "xml":
		data, err := encodeXML(v)
		return content("application/xml", data), err
	case "graphql":
		return graphqlBody(v)
	case "multipart":
		parts, ok := v.([]any)
		if !ok {
			return nil, fmt.Errorf("it is %s, and a list is wanted", actions.KindOf(v))
		}
		return multipartBody(parts, h)
	default:
		return h.bytes(v)
	}
}

// graphqlBody is a GraphQL request as servers take it over HTTP.
func graphqlBody(v any) (*payload, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("it is %s, and an object is wanted", actions.KindOf(v))
	}
	out := maps.Clone(m)
	for _, name := range []string{"variables", "operationName"} {
		if out[name] == nil {
			delete(out, name)
		}
	}
	data, err := encodeJSON(out)
	return content("application/json", data), err
}

var mutation = regexp.MustCompile(`(?i)\b(mutation|subscription)\b`)

// graphqlEffect is none for a document that can hold nothing but queries.
func graphqlEffect(m map[string]any) actions.Effect {
	query, _ := m["query"].(string)
	query = strings.TrimSpace(query)
	if mutation.MatchString(query) || !strings.HasPrefix(query, "{") && !strings.HasPrefix(query, "query") && !strings.HasPrefix(query, "fragment") {
		return actions.Write
	}
	return actions.None
}

// same reports whether two bodies hold the same; what cannot be read holds nothing.
func (p *payload) same(other *payload) bool {
	if p == nil || other == nil || p.size != other.size {
		return false
	}
	read := func(p *payload) string {
		f, err := p.open()
		if err != nil {
			return ""
		}
		defer f.Close()
		data, _ := io.ReadAll(f)
		return string(data)
	}
	return read(p) == read(other)
}

// bodyError is the error of a body that cannot be read.
type bodyError struct{ err error }

func (e *bodyError) Error() string { return "its body cannot be read: " + e.err.Error() }
func (e *bodyError) Unwrap() error { return e.err }
