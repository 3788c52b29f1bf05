package actions

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// SizePattern is what a size looks like that is text: 512, 16MiB, 1 GB.
const SizePattern = `^([0-9]{1,18}) ?(B|KiB|MiB|GiB|TiB|kB|MB|GB|TB)?$`

var sizePattern = regexp.MustCompile(SizePattern)

// DurationOf is a duration that an argument gives, more than nothing.
func DurationOf(name string, v any, def time.Duration) (time.Duration, error) {
	if v == nil {
		return def, nil
	}
	text, _ := v.(string)
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("%s %.40q is no duration; write one like 10s or 1m30s", name, text)
	}
	return d, nil
}

// SizeOf is a number of bytes that an argument gives: a number, or text with a unit.
func SizeOf(name string, v any, def int64) (int64, error) {
	var text string
	switch v := v.(type) {
	case nil:
		return def, nil
	case int64:
		text = strconv.FormatInt(v, 10)
	case string:
		text = v
	}
	units := map[string]int64{
		"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
		"kB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
	}
	m := sizePattern.FindStringSubmatch(text)
	if m == nil {
		return 0, fmt.Errorf(`%s %.40q is not a size; write a number of bytes, or "16MiB"`, name, text)
	}
	n, err := strconv.ParseInt(m[1], 10, 64)
	if err != nil || n > (math.MaxInt64-1)/units[m[2]] {
		return 0, fmt.Errorf("%s %q is more than there can be", name, strings.TrimSpace(text))
	}
	return n * units[m[2]], nil
}
