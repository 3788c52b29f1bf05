package declare

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/declprov/declprov/actions"
)

// sizePattern matches a size that is written as a string: 512, 16MiB, 1 GB.
const sizePattern = `^([0-9]{1,18}) ?(B|KiB|MiB|GiB|TiB|kB|MB|GB|TB)?$`

// defaultMaxBytes is the default of the argument MaxBytes.
const defaultMaxBytes = "16MiB"

// Bytes is the value of the argument MaxBytes: how many bytes a call may read.
type Bytes int64

// ReadArgument reads a number of bytes, or a string with a unit.
func (b *Bytes) ReadArgument(v any) error {
	var text string
	switch v := v.(type) {
	case nil:
		text = defaultMaxBytes
	case int64:
		text = strconv.FormatInt(v, 10)
	case json.Number:
		text = v.String()
	case string:
		text = v
	}
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	unit := unitOf(strings.TrimPrefix(text[digits:], " "))
	if digits == 0 || digits > mostDigits || unit == 0 {
		return fmt.Errorf(`invalid size %q (use a number of bytes, or a string like "16MiB")`, actions.Clip(text, 40))
	}
	n, err := strconv.ParseInt(text[:digits], 10, 64)
	if err != nil || n > (math.MaxInt64-1)/unit {
		return fmt.Errorf("the size %q is too large", strings.TrimSpace(text))
	}
	*b = Bytes(n * unit)
	return nil
}

// mostDigits is the maximum number of digits in a size.
const mostDigits = 18

// unitOf returns the number of bytes in a unit of sizePattern, or 0 for an unknown unit.
// It is a switch because it runs on every request.
func unitOf(name string) int64 {
	switch name {
	case "", "B":
		return 1
	case "KiB":
		return 1 << 10
	case "MiB":
		return 1 << 20
	case "GiB":
		return 1 << 30
	case "TiB":
		return 1 << 40
	case "kB":
		return 1e3
	case "MB":
		return 1e6
	case "GB":
		return 1e9
	case "TB":
		return 1e12
	default:
		return 0
	}
}
