package stop

import (
	"testing"
	"time"
)

// TestLeft checks that the wait for a recorded time is no longer than its limit, whatever the clock was then.
func TestLeft(t *testing.T) {
	now := time.Now()
	for name, tc := range map[string]struct{ recorded, from, to time.Duration }{
		"a moment ago":    {5 * time.Second, -time.Hour, 6 * time.Second},
		"by a fast clock": {time.Hour, 10 * time.Second, 10 * time.Second},
		"long ago":        {-time.Hour, -2 * time.Hour, 0},
	} {
		if got := Left(now.Add(tc.recorded).Round(0), 10*time.Second); got < tc.from || got > tc.to {
			t.Errorf("%s: expected %v to %v, got %v", name, tc.from, tc.to, got)
		}
	}
}
