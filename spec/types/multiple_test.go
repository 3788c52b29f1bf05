package types

import (
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestMultiples checks that n·of is a multiple of `of`, and that n·of plus a smaller
// number is not, in any notation.
func TestMultiples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.Int64Range(1, 5000).Draw(t, "of")
		scale := rapid.IntRange(0, 6).Draw(t, "scale")
		n := rapid.Int64Range(-5000, 5000).Draw(t, "n")
		off := rapid.Int64Range(0, of-1).Draw(t, "off")
		write := func(digits int64) string {
			if rapid.Bool().Draw(t, "exponent") {
				return fmt.Sprintf("%de-%d", digits, scale)
			}
			text := fmt.Sprintf("%0*d", scale+1, max(digits, -digits))
			if scale > 0 {
				text = text[:len(text)-scale] + "." + text[len(text)-scale:]
			}
			if digits < 0 {
				text = "-" + text
			}
			return text
		}
		if got := IsMultiple(json.Number(write(n*of+off)), write(of)); got != (off == 0) {
			t.Errorf("%d·%d+%d by 10^-%d: %t", n, of, off, scale, got)
		}
	})
}

// TestCommonMultiple checks that a number is a multiple of both numbers if and only
// if it is a multiple of their common multiple.
func TestCommonMultiple(t *testing.T) {
	number := func(t *rapid.T, name string) string {
		return fmt.Sprintf("%de-%d", rapid.Int64Range(1, 60).Draw(t, name), rapid.IntRange(0, 3).Draw(t, name+" scale"))
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := number(t, "a"), number(t, "b")
		n := json.Number(fmt.Sprintf("%de-3", rapid.Int64Range(-100_000, 100_000).Draw(t, "n")))
		both := IsMultiple(n, a) && IsMultiple(n, b)
		if got := IsMultiple(n, CommonMultiple(a, b)); got != both {
			t.Errorf("%s by %s and %s: %t, by %s: %t", n, a, b, both, CommonMultiple(a, b), got)
		}
	})
	for _, test := range [][3]string{{"", "", ""}, {"5", "", "5"}, {"", "0.5", "0.5"}, {"4", "6", "12"}, {"0.1", "0.25", "0.5"}, {"1.5", "1", "3"}} {
		if got := CommonMultiple(test[0], test[1]); got != test[2] {
			t.Errorf("%q and %q: %q, want %q", test[0], test[1], got, test[2])
		}
	}
}
