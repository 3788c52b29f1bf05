package types

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// MaxExponent is the largest power of ten of a number that is compared digit by
// digit; beyond it the digits alone would fill the memory.
const MaxExponent = 5000

// MaxNumberLen is the most characters that a number is compared digit by digit.
const MaxNumberLen = 5000

// Numeric returns v as an int64 or a float64; ok is false where v is no number, or
// an integer of more digits than an int64 has.
func Numeric(v any) (n any, ok bool) {
	switch v := v.(type) {
	case int64, float64:
		return v, true
	case int:
		return int64(v), true
	case json.Number:
		return parseNumber(string(v))
	default:
		return nil, false
	}
}

func parseNumber(s string) (any, bool) {
	if i, err := strconv.ParseInt(s, 10, 64); err == nil {
		return i, true
	}
	if !strings.ContainsAny(s, ".eE") {
		return nil, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && !Vanished(f, s)
}

// Vanished reports whether a number became 0 that is not: 1e-99999.
func Vanished(f float64, s string) bool {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		s = s[:i]
	}
	return f == 0 && strings.ContainsAny(s, "123456789")
}

// IsNumber reports whether v is a number of any form.
func IsNumber(v any) bool {
	switch v.(type) {
	case int64, float64, int, json.Number:
		return true
	default:
		return false
	}
}

// ToFloat returns an int64 or a float64 as a float64.
func ToFloat(n any) float64 {
	if i, ok := n.(int64); ok {
		return float64(i)
	}
	f, _ := n.(float64)
	return f
}

// WholeNumber returns v as an int64, where it is a whole number that fits.
func WholeNumber(v any) (int64, bool) {
	n, ok := Numeric(v)
	if !ok {
		return 0, false
	}
	if i, ok := n.(int64); ok {
		return i, true
	}
	f := ToFloat(n)
	if f != math.Trunc(f) || f >= 1<<63 || f < -1<<63 {
		return 0, false
	}
	return int64(f), true
}

// CompareNumbers orders two numbers exactly; ok is false where one of them is
// none, or too large to tell.
func CompareNumbers(a, b any) (order int, ok bool) {
	if x, isInt := a.(int64); isInt {
		if y, isInt := b.(int64); isInt {
			return cmp.Compare(x, y), true
		}
	}
	if x, isFloat := a.(float64); isFloat {
		if y, isFloat := b.(float64); isFloat {
			return cmp.Compare(x, y), x == x && y == y
		}
	}
	// A decimal fraction is the float nearest to it, where it meets a float.
	if _, isFloat := a.(float64); isFloat {
		b = nearest(b)
	} else if _, isFloat := b.(float64); isFloat {
		a = nearest(a)
	}
	x, y := Exact(a), Exact(b)
	if x == nil || y == nil {
		return 0, false
	}
	return x.Cmp(y), true
}

// nearest returns a decimal as a float64, where it has a fraction or an exponent.
func nearest(v any) any {
	if s, ok := v.(json.Number); ok {
		if f, ok := Numeric(s); ok {
			return f
		}
	}
	return v
}

// Exact returns a number without loss, or nil.
func Exact(v any) *big.Rat {
	switch v := v.(type) {
	case int64:
		return new(big.Rat).SetInt64(v)
	case int:
		return new(big.Rat).SetInt64(int64(v))
	case float64:
		return new(big.Rat).SetFloat64(v)
	case json.Number:
		s := string(v)
		if len(s) > MaxNumberLen {
			return nil
		}
		if i := strings.IndexAny(s, "eE"); i >= 0 {
			if e, err := strconv.Atoi(s[i+1:]); err != nil || e > MaxExponent || e < -MaxExponent {
				return nil
			}
		}
		r, ok := new(big.Rat).SetString(s)
		if !ok {
			return nil
		}
		return r
	default:
		return nil
	}
}

// NumberText returns a number as JSON and templates write it.
func NumberText(v any) string {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10)
	case int:
		return strconv.Itoa(v)
	case float64:
		if a := math.Abs(v); a != 0 && (a < 1e-6 || a >= 1e21) {
			return strconv.FormatFloat(v, 'e', -1, 64)
		}
		return strconv.FormatFloat(v, 'f', -1, 64)
	case json.Number:
		return string(v)
	default:
		return ""
	}
}

// LiteralNumber returns a number as literals of types hold it.
func LiteralNumber(v any) json.Number { return json.Number(NumberText(v)) }
