package decode

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// exactNumber converts numbers to int64 or float64 if those represent them exactly.
func exactNumber(v any) any {
	switch v := v.(type) {
	case json.Number:
		return Number(v)
	case []any:
		for i, item := range v {
			v[i] = exactNumber(item)
		}
	case map[string]any:
		for name, item := range v {
			v[name] = exactNumber(item)
		}
	}
	return v
}

// Number returns a number as an int64 or a float64 if one of them represents it
// exactly. Otherwise it returns n.
func Number(n json.Number) any {
	s := string(n)
	if i, err := strconv.ParseInt(s, 10, 64); err == nil && s != "-0" {
		return i
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return n
	}
	digits, exponent, ok := decimal(s)
	again, exponent2, _ := decimal(strconv.FormatFloat(f, 'e', -1, 64))
	if !ok || digits != again || exponent != exponent2 {
		return n
	}
	return f
}

// decimal returns the significant digits of a number and the power of ten of the last
// digit. ok is false if the exponent is too large.
func decimal(s string) (digits string, exponent int, ok bool) {
	s = strings.TrimPrefix(s, "-")
	if mantissa, power, has := cutAny(s, "eE"); has {
		e, err := strconv.Atoi(strings.TrimPrefix(power, "+"))
		if err != nil || e > 1e6 || e < -1e6 {
			return "", 0, false
		}
		s, exponent = mantissa, e
	}
	whole, fraction, _ := strings.Cut(s, ".")
	exponent -= len(fraction)
	digits = strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(trimmed)
	if trimmed == "" {
		return "", 0, true
	}
	return trimmed, exponent, true
}

func cutAny(s, chars string) (before, after string, found bool) {
	if i := strings.IndexAny(s, chars); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

// Float returns the float64 for a number in JSON syntax. ok is false if the float,
// printed with as many digits as the text has, is a different number. So
// 0.10000000000000001, which many servers write for 0.1, is 0.1; but 1e-99999 is not
// 0, 1e400 is not infinite, and 9007199254740993 is not rounded.
func Float(text string) (f float64, ok bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return 0, false
	}
	digits, exponent, ok := decimal(text)
	if !ok || len(digits) > mostDigits {
		return 0, false
	}
	if digits == "" {
		return f, true
	}
	for _, precision := range []int{len(digits) - 1, -1} {
		if printed, power, _ := decimal(strconv.FormatFloat(f, 'e', precision, 64)); digits == printed && exponent == power {
			return f, true
		}
	}
	return 0, false
}

// mostDigits is larger than the number of digits of any float64.
const mostDigits = 1100
