package decode_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/declprov/declprov/spec/decode"
)

// TestCountMatchesDecoder checks that the number of values counted in advance equals
// the number of decoded values, for any value and spacing.
func TestCountMatchesDecoder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := values(4).Draw(t, "value")
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "spaced") {
			if text, err = json.MarshalIndent(v, " ", "\t"); err != nil {
				t.Fatal(err)
			}
		}
		n := count(v)
		if _, err := decode.JSON(text, decode.NewBudget(n)); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if n == 1 {
			return
		}
		_, err = decode.JSON(text, decode.NewBudget(n-1))
		var many *decode.TooManyError
		if !errors.As(err, &many) || *many != (decode.TooManyError{Count: n, Limit: n - 1}) {
			t.Fatalf("%s: expected %d values, got %v", text, n, err)
		}
	})
}

// values generates arbitrary JSON values.
func values(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Map(rapid.Bool(), func(b bool) any { return b }), rapid.Map(rapid.Int32(), func(n int32) any { return n }),
		rapid.Map(rapid.Float64(), func(f float64) any { return f }), rapid.Map(rapid.StringOf(rapid.RuneFrom([]rune(`a":,[]{}\ é`))), func(s string) any { return s }),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	below := rapid.Deferred(func() *rapid.Generator[any] { return values(depth - 1) })
	return rapid.OneOf(append(scalars,
		rapid.Map(rapid.SliceOfN(below, 0, 4), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(rapid.StringOf(rapid.RuneFrom([]rune(`a":,[]{}\`))), below, 0, 4), func(m map[string]any) any { return m }))...)
}

func count(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n += count(item)
		}
	case map[string]any:
		for _, item := range v {
			n += count(item)
		}
	}
	return n
}

func TestOneBudgetForSeveralTexts(t *testing.T) {
	b := decode.NewBudget(5)
	for _, text := range []string{`[1,2]`, `{}`} {
		if _, err := decode.JSON([]byte(text), b); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := decode.JSON([]byte(`[1]`), b); err == nil || err.Error() != "expected at most 5 values, got 6" {
		t.Fatal(err)
	}
}

// TestCountXML checks that the count is never too low, wherever text looks like
// markup.
func TestCountXML(t *testing.T) {
	for text, want := range map[string]int{
		``: 0, `text`: 0, `<a/>`: 1, `<a></a>`: 1, `<a><b/><b/></a>`: 3, `<a x="1" y = '2'/>`: 3, `<?xml version="1.0"?><a/>`: 2,
		`<!DOCTYPE a '<![CDATA['><a><b/></a>`: 2, `<a><![CDATA[<b x="">]]></a>`: 3, `<a>1 = 1</a>`: 1, `<a b="=`: 2, `<`: 0, `=`: 0,
	} {
		if got := decode.CountXML([]byte(text)); got != want {
			t.Errorf("%s: %d, expected %d", text, got, want)
		}
	}
}

func TestYAML(t *testing.T) {
	if _, err := decode.YAML("&a [*a]", decode.NewBudget(0)); !errors.Is(err, decode.DepthError{}) {
		t.Error(err)
	}
	for _, test := range []struct {
		text string
		want any
		err  string
	}{
		{"", nil, ""},
		{"1e-99999", json.Number("1e-99999"), ""},
		{"[0x10, +1, 1_000, .5, 007]", []any{int64(16), int64(1), int64(1000), 0.5, int64(7)}, ""},
		{"12345678901234567890123", json.Number("12345678901234567890123"), ""},
		{".inf", ".inf", ""},
		{".nan", ".nan", ""},
		{"1.50", 1.5, ""},
		{"{1: a, true: b, null: c, 1.5: d}", map[string]any{"1": "a", "true": "b", "null": "c", "1.5": "d"}, ""},
		{"a: &a x\n*a : 1", map[string]any{"a": "x", "x": int64(1)}, ""},
		{"[a]: 1", nil, "the key in line 1 is not a scalar"},
		{"--- 1\n--- 2", nil, "expected a single document"},
		{"&a [1,1]: &b [*a,*a]", nil, "not a scalar"},
		{"- &a [1,1,1]\n- [*a,*a,*a]\n", nil, "expected at most 12 values, got 13"},
	} {
		got, err := decode.YAML(test.text, decode.NewBudget(12))
		if test.err != "" {
			if err == nil || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%q: %v", test.text, err)
			}
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%q: %v %s", test.text, err, diff)
		}
	}
}

// TestFloat checks that a number becomes a float64 only if the float, printed with as
// many digits, is the same number.
func TestFloat(t *testing.T) {
	for text, want := range map[string]bool{
		"0": true, "-0": true, "0.000": true, "0e99999": true, "1": true, "1.50": true, "1e2": true, "0.1": true, "5e-324": true, "1.7976931348623157e308": true,
		"0.10000000000000001": true, "0.1000000000000000055511151231257827021181583404541015625": true, "0.30000000000000004": true,
		"9007199254740992": true, "9007199254740994": true, "12345678901234567168": true, "1E+2": true,
		"9007199254740993": false, "12345678901234567890": false, "1e-99999": false, "1e400": false, "-1e400": false, "2e-324": false, "4e-324": false,
		"0.1234567890123456789": false, "9007199254740992.5": false, "1e-999999999999999999999": false, "1e999999999999999999999": false, "x": false, "": false,
	} {
		if _, ok := decode.Float(text); ok != want {
			t.Errorf("%s: %t, expected %t", text, ok, want)
		}
	}
}
