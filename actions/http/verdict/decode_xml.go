package verdict

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/declprov/declprov/spec/decode"
)

// DecodeXML reads a document. Entities beyond the five of XML, and so their
// bombs, are unknown to the decoder, which is strict; nothing is fetched.
func DecodeXML(data []byte, b *decode.Budget) (any, error) {
	if err := b.Spend(decode.CountXML(data)); err != nil {
		return nil, err
	}
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.CharsetReader = func(charset string, input io.Reader) (io.Reader, error) {
		if strings.EqualFold(charset, "us-ascii") {
			return input, nil
		}
		return nil, fmt.Errorf("it is in %q, and UTF-8 is wanted", charset)
	}
	root := map[string]any{}
	for {
		token, err := dec.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		if start, ok := token.(xml.StartElement); ok {
			if len(root) > 0 {
				return nil, errors.New("it has two roots")
			}
			if root[whole(start.Name)], err = readElement(dec, start, 1); err != nil {
				return nil, err
			}
		}
	}
	if len(root) == 0 {
		return nil, errors.New("it has no root")
	}
	return root, nil
}

// whole is a name with its namespace, as decode.LocalName reads it.
func whole(name xml.Name) string {
	if name.Space == "" {
		return name.Local
	}
	return "{" + name.Space + "}" + name.Local
}

func readElement(dec *xml.Decoder, start xml.StartElement, depth int) (any, error) {
	if depth > decode.MaxDepth {
		return nil, decode.DepthError{}
	}
	out := map[string]any{}
	for _, a := range start.Attr {
		if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" {
			out["@"+whole(a.Name)] = a.Value
		}
	}
	var text strings.Builder
	elements := false
	for {
		token, err := dec.Token()
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.StartElement:
			elements = true
			child, err := readElement(dec, token, depth+1)
			if err != nil {
				return nil, err
			}
			insert(out, whole(token.Name), child)
		case xml.EndElement:
			s := text.String()
			switch {
			case len(out) == 0:
				return s, nil
			case !elements || strings.TrimSpace(s) != "":
				out["#text"] = s
			}
			return out, nil
		}
	}
}

// insert adds an element; the second of a name makes a list.
func insert(out map[string]any, name string, child any) {
	switch before := out[name].(type) {
	case nil:
		out[name] = child
	case []any:
		out[name] = append(before, child)
	default:
		out[name] = []any{before, child}
	}
}
