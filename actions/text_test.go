package actions

import (
	"strings"
	"testing"
)

// TestClipMiddle: a long text keeps its beginning and its end, but no half of a word at the end.
func TestClipMiddle(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int
		want string
	}{
		{"", 10, ""},
		{"0123456789", 10, "0123456789"},
		{"ääääääääää", 10, "ääääääääää"},
		{"0123456789a", 10, "01234…"},
		{"error in the long pointless list: no such id", 20, "error in t… such id"},
		{"begin " + strings.Repeat("x", 100), 20, "begin xxxx…"},
		{strings.Repeat("x", 100) + " end", 20, "xxxxxxxxxx… end"},
		{"äöü äöü äöü äöü äöü äöü", 12, "äöü äö… äöü"},
	} {
		if got := ClipMiddle(tt.text, tt.most); got != tt.want {
			t.Errorf("%q, %d: got %q, want %q", tt.text, tt.most, got, tt.want)
		}
	}
}
