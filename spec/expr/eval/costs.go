package eval

import "encoding/json"

// Cost is what a call of an operation costs, in units of a budget, told from its
// arguments before it begins: nothing can interrupt what the standard library does
// with them. An operation that spends while it runs (Metered) tells only what
// reading its arguments costs.
type Cost func(args []any) int

// Flat is the cost that no argument changes, but for the digits of a number.
func Flat(args []any) int {
	n := 1
	for _, a := range args {
		if d, ok := a.(json.Number); ok {
			n += len(d) >> 2
		}
	}
	return n
}

// Metered is the cost of an operation that spends for what it does as it does it.
func Metered(args []any) int { return OfText(args) }

// OfText is the cost of going over texts once.
func OfText(args []any) int {
	n := Flat(args)
	for _, a := range args {
		if s, ok := a.(string); ok {
			n += len(s) >> 4
		}
	}
	return n
}

// OfTextTimes returns the cost of going over texts once that takes longer of each byte.
func OfTextTimes(times int) Cost {
	return func(args []any) int { return times * OfText(args) }
}

// OfItems is the cost of copying lists and maps, and of going over texts.
func OfItems(args []any) int {
	n := OfText(args)
	for _, a := range args {
		switch a := a.(type) {
		case []any:
			n += len(a)
		case map[string]any:
			n += 4 * len(a)
		}
	}
	return n
}

// OfPairs is the cost of comparing texts with each other, each byte with each: of
// trimming a set of characters that is not short.
func OfPairs(args []any) int {
	n := OfText(args)
	if len(args) < 2 {
		return n
	}
	s, _ := args[0].(string)
	set, _ := args[1].(string)
	each := len(set) >> 3
	if each > MaxWork/(len(s)+1) {
		return MaxWork + 1
	}
	return n + each*len(s)
}
