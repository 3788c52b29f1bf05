package types

import (
	"encoding/json"
	"math/big"
)

// IsMultiple reports whether a decimal number is an integer multiple of another. It
// calculates exactly, so 0.3 is a multiple of 0.1. A number with too many digits to
// calculate with (1e9999) is accepted.
func IsMultiple(n json.Number, of string) bool {
	x, y := Exact(n), Exact(json.Number(of))
	if x == nil || y == nil || y.Sign() == 0 {
		return true
	}
	return new(big.Rat).Quo(x, y).IsInt()
}

// CommonMultiple returns the smallest number whose multiples are multiples of both a
// and b. "" stands for no limit.
func CommonMultiple(a, b string) string {
	x, y := Exact(json.Number(a)), Exact(json.Number(b))
	switch {
	case x == nil || x.Sign() == 0:
		return b
	case y == nil || y.Sign() == 0:
		return a
	}
	// a/b and c/d have the common multiple lcm(a·d, c·b) / b·d.
	p, q := new(big.Int).Mul(x.Num(), y.Denom()), new(big.Int).Mul(y.Num(), x.Denom())
	p.Abs(p)
	q.Abs(q)
	lcm := new(big.Int).Mul(p, new(big.Int).Quo(q, new(big.Int).GCD(nil, nil, p, q)))
	out := new(big.Rat).SetFrac(lcm, new(big.Int).Mul(x.Denom(), y.Denom()))
	if out.IsInt() {
		return out.Num().String()
	}
	// The least common multiple of decimals is a decimal: its denominator divides a
	// power of ten.
	digits, _ := out.FloatPrec()
	return out.FloatString(digits)
}
