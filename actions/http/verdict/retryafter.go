package verdict

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// longestWait is the longest Retry-After delay that is followed by default.
const longestWait = 10 * time.Minute

// retryAfter returns the delay of the header Retry-After (RFC 9110, 10.2.3), which is a
// number of seconds or a date. A date is compared with the server's own Date.
func retryAfter(header http.Header, now time.Time) (wait time.Duration, asked bool) {
	text := strings.TrimSpace(header.Get("Retry-After"))
	if text == "" {
		return 0, false
	}
	if isDigits(text) {
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

func isDigits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}
