package verdict

import (
	"bytes"

	"github.com/declprov/declprov/spec/decode"
)

// scriptGuard is the prefix that some servers put before JSON, so that a browser does not run
// it as a script.
var scriptGuard = []byte(")]}'")

// DecodeJSON decodes one JSON value with exact numbers. It skips a byte order mark and
// scriptGuard.
func DecodeJSON(data []byte, b *decode.Budget) (any, error) {
	bare := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(bare, scriptGuard) {
		_, bare, _ = bytes.Cut(bare, []byte("\n"))
	}
	return decode.JSON(bare, b)
}
