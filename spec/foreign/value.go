package foreign

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/declprov/declprov/spec/lists"
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
	words := lists.Map(strings.Fields(text), strconv.Quote)
	return "[" + strings.Join(words, ", ") + "]"
}

// statusClass matches a class of statuses, such as 5xx or 500-599.
var statusClass = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:([1-5])(?:xx|XX|\*\*|\d\d-[1-5]99)|>=?\s*([1-5])\d\d)$`)
})

// Statuses translates a class of statuses. list are the usual statuses of the class, or "".
func Statuses(text string) (remedy, list string, ok bool) {
	m := statusClass().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return "", "", false
	}
	switch m[1] + m[2] {
	case "2":
		return "Any 2xx status is a success unless others are listed. Remove it, or write each status: [200, 201, 204].", "", true
	case "4":
		return "Write each status: [404, 409].", "", true
	case "5":
		return "Write each status: [500, 502, 503, 504].", "500, 502, 503, 504", true
	default:
		return "Write each status as a number.", "", true
	}
}

// usualModes are permission bits as people write them in octal.
var usualModes = map[string]bool{
	"400": true, "440": true, "444": true, "500": true, "511": true, "555": true, "600": true, "640": true, "644": true, "660": true, "664": true, "666": true,
	"700": true, "710": true, "711": true, "750": true, "751": true, "755": true, "770": true, "775": true, "777": true,
}

// Mode translates permission bits that are written as a number: 0o644, which is 420, or 644.
func Mode(number string) (string, bool) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n > 0o7777 {
		return "", false
	}
	octal := strconv.FormatInt(int64(n), 8)
	if usualModes[octal] || !usualModes[number] && strings.ContainsAny(number, "89") {
		number = octal
	}
	return "0" + number, len(number) == 3
}
