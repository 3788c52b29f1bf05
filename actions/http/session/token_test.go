package session

import (
	"encoding/json"
	"testing"
	"time"
)

func TestExpiry(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, tc := range []struct {
		in   any
		want time.Duration
		err  bool
	}{
		{int64(100), 90 * time.Second, false},
		{"3600", 59*time.Minute + 30*time.Second, false},
		{3600.5, 59*time.Minute + 30*time.Second + 500*time.Millisecond, false},
		{json.Number("100"), 90 * time.Second, false},
		{now.Add(time.Hour).Unix(), 59*time.Minute + 30*time.Second, false},
		{now.Add(time.Hour).UnixMilli(), 59*time.Minute + 30*time.Second, false},
		{"2026-01-01T01:00:00Z", 59*time.Minute + 30*time.Second, false},
		{"Thu, 01 Jan 2026 01:00:00 GMT", 59*time.Minute + 30*time.Second, false},
		{nil, 0, false},
		{"soon", 0, true},
		{true, 0, true},
		{int64(-1), 0, true},
	} {
		got, err := parseExpiry(tc.in, now)
		if (err != nil) != tc.err || tc.want != 0 && got.Sub(now) != tc.want || tc.want == 0 && !got.IsZero() {
			t.Errorf("%v: %s (%v)", tc.in, got.Sub(now), err)
		}
	}
}
