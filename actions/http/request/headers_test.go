package request

import "testing"

// TestCheckHeaderValue checks that control characters are refused, and all other characters
// allowed.
func TestCheckHeaderValue(t *testing.T) {
	for b := range 256 {
		s := "a" + string([]byte{byte(b)}) + "b"
		want := b >= ' ' && b != 0x7f || b == '\t'
		if got := CheckHeaderValue(s) == nil; got != want {
			t.Errorf("0x%02x: %v, want %v", b, got, want)
		}
	}
}
