package http

import (
	"bytes"
	"fmt"

	"github.com/declprov/declprov/actions"
)

var errTooDeep = fmt.Errorf("it nests deeper than %d", actions.MaxDepth)

// guard is what some servers put before their JSON, so that no browser takes it
// for a script.
var guard = []byte(")]}'")

// decodeJSON reads one JSON value, with numbers exact.
func decodeJSON(data []byte) (any, error) {
	bare := bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if bytes.HasPrefix(bare, guard) {
		_, bare, _ = bytes.Cut(bare, []byte("\n"))
	}
	return actions.DecodeJSON(bare)
}
