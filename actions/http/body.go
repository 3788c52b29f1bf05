package http

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

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
func (g given) bodyOf(files *actions.Files) (*payload, error) {
	var found string
	for _, name := range bodies {
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
	p, err := encodeBody(found, g.args[found], files)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", found, err)
	}
	return p, nil
}

func encodeBody(as string, v any, files *actions.Files) (*payload, error) {
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
		s, err := scalar(v)
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
		return multipartBody(parts, files)
	default:
		return bytesBody(v, files)
	}
}

func bytesBody(v any, files *actions.Files) (*payload, error) {
	switch v := v.(type) {
	case *spec.File:
		p, err := assetBody(v, files)
		if err == nil {
			p.contentType = "application/octet-stream"
		}
		return p, err
	case string:
		data, err := base64.StdEncoding.DecodeString(v)
		if err != nil {
			return nil, errors.New("it is no standard base64")
		}
		return content("application/octet-stream", data), nil
	default:
		return nil, fmt.Errorf("it is %s, and base64 or an asset is wanted", actions.KindOf(v))
	}
}

// assetBody is what a file that the user handed over holds. It is opened anew
// each time, and must still have its size then.
func assetBody(asset *spec.File, files *actions.Files) (*payload, error) {
	switch {
	case asset.Archive:
		return nil, errors.New("it is an archive, and one file is wanted; hand over an asset")
	case asset.Text != nil:
		return content("text/plain; charset=utf-8", []byte(*asset.Text)), nil
	case asset.URI != "":
		return nil, errors.New("it is a remote asset, which is not fetched; hand over a file or text")
	case asset.Path == "":
		return nil, errors.New("its content is not at hand, only its hash; hand it over again")
	case files == nil:
		return nil, errors.New("files cannot be read here")
	}
	f, info, err := files.OpenAsset(asset.Path)
	if err != nil {
		return nil, err
	}
	_ = f.Close()
	size := info.Size()
	return &payload{contentType: "application/octet-stream", size: size, open: func() (io.ReadCloser, error) {
		f, _, err := files.OpenAsset(asset.Path)
		if err != nil {
			return nil, err
		}
		return struct {
			io.Reader
			io.Closer
		}{io.LimitReader(f, size), f}, nil
	}}, nil
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
