package diag

import "testing"

func TestDidYouMean(t *testing.T) {
	known := []string{"read", "write", "snake_case", "camelCase", "timeout", "content", "contentBase64"}
	for given, want := range map[string]string{
		"raed":    "read",
		"wirte":   "write",
		"Write":   "write",
		"timeuot": "timeout",
		"snake":   "snake_case",
		"CAMEL":   "camelCase",
		"cont":    "", // two begin with it
		"sn":      "", // too short to tell
		"banana":  "",
		"read":    "", // known: it is no mistake
	} {
		if got := DidYouMean(given, known); got != want {
			t.Errorf("DidYouMean(%q) is %q, want %q", given, got, want)
		}
	}
}
