package verdict

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait is the longest that a server may ask to wait and be listened to
// without a word of the author's.
const longestWait = 10 * time.Minute

// retryAfter is when the server asks to come back, in either form of the header
// (RFC 9110, 10.2.3): seconds, or a date, which its own clock is asked about.
func retryAfter(header http.Header, now time.Time) (wait time.Duration, asked bool) {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if text == "" {
		return 0, false
	}
	if digits(text) {
		const most = int64(1 << 62 / time.Second)
		seconds, err := strconv.ParseInt(text, 10, 64)
		if err != nil || seconds > most {
			seconds = most
		}
		return time.Duration(seconds) * time.Second, true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	if theirs, err := http.ParseTime(header.Get("Date")); err == nil {
		now = theirs
	}
	return max(at.Sub(now), 0), true
}

func digits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}
