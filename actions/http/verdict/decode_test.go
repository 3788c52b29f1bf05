package verdict

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/declprov/declprov/spec/decode"
)

func TestNumbers(t *testing.T) {
	for text, want := range map[string]any{
		"0": int64(0), "-7": int64(-7), "9223372036854775807": int64(9223372036854775807), "-9223372036854775808": int64(-9223372036854775808),
		"9223372036854775808": json.Number("9223372036854775808"), "18446744073709551615": json.Number("18446744073709551615"),
		"1.5": 1.5, "1.0": 1.0, "0.1": 0.1, "1e3": 1000.0, "1E+3": 1000.0, "1.50": 1.5, "0.0": 0.0, "5e-324": 5e-324,
		"0.1000000000000000055511151231257827": json.Number("0.1000000000000000055511151231257827"),
		"123456789012345678901":                json.Number("123456789012345678901"), "1e400": json.Number("1e400"),
		"1e999999999999": json.Number("1e999999999999"), "100000000000000000000": 1e20,
	} {
		got, err := DecodeJSON([]byte(text), decode.NewBudget(0))
		if err != nil || got != want {
			t.Errorf("%s: got %T %v, want %T %v (%v)", text, got, got, want, want, err)
		}
	}
}

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\n\tb": "a b", "\x1b[31mred\x1b[0m": "[31mred [0m", "  a  ": "a", "\u202eevil": "evil",
		strings.Repeat("ü", 400):                         strings.Repeat("ü", 400),
		strings.Repeat("ü", 401):                         strings.Repeat("ü", 200) + "…",
		"begins\n" + strings.Repeat("ü", 400) + "\nends": "begins " + strings.Repeat("ü", 193) + "… ends",
	} {
		if got := clean(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}
