package request

import "testing"

// TestCarried: what no header may hold is NUL, CR and LF; other control
// characters, and spaces at the ends, HTTP has no form for.
func TestCarried(t *testing.T) {
	for b := range 256 {
		s := "a" + string([]byte{byte(b)}) + "b"
		want := b >= ' ' && b != 0x7f || b == '\t'
		if got := CheckHeader(s) == nil; got != want {
			t.Errorf("0x%02x: %v, want %v", b, got, want)
		}
	}
}
