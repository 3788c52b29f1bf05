// Package encode writes values as JSON.
package encode

import (
	"bytes"
	"encoding/json"
)

// JSON returns a value as JSON on one line. Unlike json.Marshal, it does not escape <, > and &, which
// only matters within HTML: people read the text, and databases store it.
func JSON(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
