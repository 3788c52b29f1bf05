package declare

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
)

// sizePattern is what a size looks like that is text: 512, 16MiB, 1 GB.
const sizePattern = `^([0-9]{1,18}) ?(B|KiB|MiB|GiB|TiB|kB|MB|GB|TB)?$`

// defaultMaxBytes is what MaxBytes declares.
const defaultMaxBytes = "16MiB"

// DurationOf returns the duration that an argument gives, which must be more than zero,
// or def where it gives none.
func DurationOf(name string, v any, def time.Duration) (time.Duration, error) {
	if v == nil {
		return def, nil
	}
	text, _ := v.(string)
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%s %q is not a duration; write one like 10s or 1m30s", name, actions.Clip(text, 40))
	}
	return d, nil
}

// MaxBytesOf returns how many bytes a call may read: a number, or text with a unit.
func MaxBytesOf(v any) (int64, error) {
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
		return 0, fmt.Errorf(`maxBytes %q is not a size; write a number of bytes, or "16MiB"`, actions.Clip(text, 40))
	}
	n, err := strconv.ParseInt(text[:digits], 10, 64)
	if err != nil || n > (math.MaxInt64-1)/unit {
		return 0, fmt.Errorf("maxBytes %q is more than there can be", strings.TrimSpace(text))
	}
	return n * unit, nil
}

// mostDigits is how many digits the number of a size has at most.
const mostDigits = 18

// unitOf is how many bytes a unit of sizePattern is, or 0 where it is none. It is
// asked for each request.
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
