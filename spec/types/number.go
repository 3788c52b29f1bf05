package types

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// MaxExponent is the largest power of ten for which numbers are compared exactly. The
// digits of larger numbers would fill the memory.
const MaxExponent = 5000

// MaxNumberLen is the maximum length of a number that is compared exactly.
const MaxNumberLen = 5000

// Numeric returns v as an int64 or a float64. ok is false if v is not a number, or is
// an integer that exceeds an int64.
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
	return f, err == nil && !math.IsInf(f, 0) && !math.IsNaN(f) && !Underflows(f, s)
}

// Underflows reports whether f is 0 because the number in s is too small for a float:
// 1e-99999.
func Underflows(f float64, s string) bool {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		s = s[:i]
	}
	return f == 0 && strings.ContainsAny(s, "123456789")
}

// IsNumber reports whether v is a number of any Go type that values use.
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

// WholeNumber returns v as an int64, if it is a whole number that fits.
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

// CompareNumbers compares two numbers exactly. ok is false if one of them is not a
// number or is too large to compare.
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
	// If one operand is a float, a decimal operand is rounded to the nearest float.
	if _, isFloat := a.(float64); isFloat {
		b = nearestFloat(b)
	} else if _, isFloat := b.(float64); isFloat {
		a = nearestFloat(a)
	}
	x, y := Exact(a), Exact(b)
	if x == nil || y == nil {
		return 0, false
	}
	return x.Cmp(y), true
}

// nearestFloat returns a decimal with a fraction or an exponent as a float64.
func nearestFloat(v any) any {
	if s, ok := v.(json.Number); ok {
		if f, ok := Numeric(s); ok {
			return f
		}
	}
	return v
}

// Exact returns a number without rounding, or nil.
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

// NumberText returns a number as JSON and templates format it.
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

// LiteralNumber returns a number in the form of a type's literals.
func LiteralNumber(v any) json.Number { return json.Number(NumberText(v)) }
