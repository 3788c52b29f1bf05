package verdict

import (
	"bytes"

	"github.com/declprov/declprov/spec/decode"
)

// guard is what some servers put before their JSON, so that no browser takes it
// for a script.
var guard = []byte(")]}'")

// DecodeJSON reads one JSON value, with numbers exact.
func DecodeJSON(data []byte, b *decode.Budget) (any, error) {
	bare := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(bare, guard) {
		_, bare, _ = bytes.Cut(bare, []byte("\n"))
	}
	return decode.JSON(bare, b)
}
