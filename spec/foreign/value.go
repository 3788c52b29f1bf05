package foreign

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// lengths are the units of durations elsewhere, with those of Go. A day has 24 hours.
var lengths = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"s": "s", "sec": "s", "secs": "s", "second": "s", "seconds": "s", "": "s",
		"m": "m", "min": "m", "mins": "m", "minute": "m", "minutes": "m",
		"h": "h", "hr": "h", "hrs": "h", "hour": "h", "hours": "h",
		"d": "d", "day": "d", "days": "d", "ms": "ms", "msec": "ms", "millis": "ms", "milliseconds": "ms", "millisecond": "ms",
	}
})

// duration matches a number with a unit, and a duration of ISO 8601.
var duration = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:P?T?)(\d+)\s*([A-Za-z]*)$`) })

// Duration translates a duration such as "5 min", "90" or "PT5M".
func Duration(text string) (string, bool) {
	m := duration().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return "", false
	}
	unit, ok := lengths()[strings.ToLower(m[2])]
	n, err := strconv.Atoi(m[1])
	if !ok || err != nil {
		return "", false
	}
	if unit == "d" {
		return strconv.Itoa(24*n) + "h", true
	}
	return m[1] + unit, true
}

// Bool translates a boolean that is written as a text.
func Bool(text string) (string, bool) {
	switch strings.ToLower(text) {
	case "true", "yes", "on", "1":
		return "true", true
	case "false", "no", "off", "0":
		return "false", true
	default:
		return "", false
	}
}

// IsCommand reports whether a text is a command line without quotes and special characters of a shell.
func IsCommand(text string) bool {
	return strings.Contains(text, " ") && !strings.ContainsAny(text, "\"'`|&;<>()\\*?~\n")
}

// Words returns the words of a command line as a list.
func Words(text string) string {
	var words []string
	for _, word := range strings.Fields(text) {
		words = append(words, strconv.Quote(word))
	}
	return "[" + strings.Join(words, ", ") + "]"
}
