package container

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/encode"
)

// maxDepth is the maximum nesting depth of the JSON in a container. It protects the
// stack against hostile input.
const maxDepth = 1000

// marshal returns a value of the model as JSON. It returns an error for text that is
// not UTF-8, which no loader returns and which JSON cannot represent.
func marshal(v any) ([]byte, error) {
	text, err := encode.JSON(v)
	if err != nil {
		return nil, err
	}
	// The encoder replaces invalid UTF-8 with an escaped U+FFFD. It does not escape a
	// U+FFFD of the value. Escaped backslashes are removed before the search, because
	// `\\ufffd` is a backslash and the text "ufffd".
	if bytes.Contains(bytes.ReplaceAll(text, []byte(`\\`), nil), []byte(`\ufffd`)) {
		return nil, errors.New("it contains text that is not UTF-8")
	}
	return text, checkDepth(text)
}

// unmarshal decodes a JSON text into dst. It returns an error for an unknown member,
// and for data after the end. Numbers among the literals become json.Number.
func unmarshal(text []byte, dst any) error {
	if err := checkDepth(text); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	dec.DisallowUnknownFields()
	if err := dec.Decode(dst); err != nil {
		return err
	}
	if dec.InputOffset() != int64(len(text)) {
		return errors.New("unexpected data after the value")
	}
	return nil
}

func checkDepth(text []byte) error {
	if _, depth := decode.MeasureJSON(text); depth > maxDepth {
		return fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	return nil
}
