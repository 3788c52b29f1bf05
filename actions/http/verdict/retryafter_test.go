package verdict

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"0": 0, "120": 2 * time.Minute, " 7 ": 7 * time.Second, "Fri, 02 Jan 2026 03:05:05 GMT": time.Minute,
		"Friday, 02-Jan-26 03:05:05 GMT": time.Minute, "Fri Jan  2 03:05:05 2026": time.Minute,
		"Fri, 02 Jan 2015 03:05:05 GMT": 0, "": -1, "-1": -1, "1.5": -1, "soon": -1, "1 2": -1,
	} {
		got, asked := retryAfter(http.Header{"Retry-After": {text}}, now)
		if !asked {
			got = -1
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got, _ := retryAfter(http.Header{"Retry-After": {strings.Repeat("9", 99)}}, now); got < 100*365*24*time.Hour {
		t.Errorf("a number that is too large: got %s", got)
	}
}

func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"0", "120", "Fri, 02 Jan 2026 03:05:05 GMT", "99999999999999999999", "-1", " 1"} {
		f.Add(s, s)
	}
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	f.Fuzz(func(t *testing.T, after, date string) {
		wait, asked := retryAfter(http.Header{"Retry-After": {after}, "Date": {date}}, now)
		if wait < 0 || !asked && wait != 0 {
			t.Fatalf("%q: %s, %v", after, wait, asked)
		}
	})
}
