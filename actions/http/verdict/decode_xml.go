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

// DecodeXML decodes an XML document. The decoder is strict and only knows the five predefined
// entities, so entity bombs fail. Nothing is fetched.
func DecodeXML(data []byte, b *decode.Budget) (any, error) {
	if err := b.Spend(decode.CountXML(data)); err != nil {
		return nil, err
	}
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.CharsetReader = func(charset string, input io.Reader) (io.Reader, error) {
		if strings.EqualFold(charset, "us-ascii") {
			return input, nil
		}
		return nil, fmt.Errorf("expected charset UTF-8, got %q", charset)
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
				return nil, errors.New("the document has two root elements")
			}
			if root[qualifiedName(start.Name)], err = readElement(dec, start, 1); err != nil {
				return nil, err
			}
		}
	}
	if len(root) == 0 {
		return nil, errors.New("the document has no root element")
	}
	return root, nil
}

// qualifiedName returns a name with its namespace, in the form that decode.LocalName reads.
func qualifiedName(name xml.Name) string {
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
			out["@"+qualifiedName(a.Name)] = a.Value
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
			addChild(out, qualifiedName(token.Name), child)
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

// addChild adds a child element. A second element of the same name makes a list.
func addChild(out map[string]any, name string, child any) {
	switch before := out[name].(type) {
	case nil:
		out[name] = child
	case []any:
		out[name] = append(before, child)
	default:
		out[name] = []any{before, child}
	}
}
