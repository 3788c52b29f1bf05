package eval

import "encoding/json"

// Cost returns the cost of a call, in units of the budget, from its arguments. The
// cost is charged before the call, because calls into the standard library cannot be
// interrupted. Operations that charge while they run (Metered) only return the cost
// of reading their arguments here.
type Cost func(args []any) int

// Flat is a cost that does not depend on the arguments, except for the number of
// digits.
func Flat(args []any) int {
	n := 1
	for _, a := range args {
		if d, ok := a.(json.Number); ok {
			n += len(d) >> 2
		}
	}
	return n
}

// Metered is the cost of an operation that charges for its work while it runs.
func Metered(args []any) int { return OfText(args) }

// OfText is the cost of reading strings once.
func OfText(args []any) int {
	n := Flat(args)
	for _, a := range args {
		if s, ok := a.(string); ok {
			n += len(s) >> 4
		}
	}
	return n
}

// OfTextTimes returns the cost of reading strings once, with a factor for the work
// per byte.
func OfTextTimes(times int) Cost {
	return func(args []any) int { return times * OfText(args) }
}

// OfItems is the cost of copying lists and maps, and of reading strings.
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

// OfPairs is the cost of comparing each byte of one string with each byte of another,
// as trimming a long set of characters does.
func OfPairs(args []any) int {
	n := OfText(args)
	if len(args) < 2 {
		return n
	}
	s, _ := args[0].(string)
	set, _ := args[1].(string)
	each := len(set) / 8 // comparing a byte takes an eighth of the time of copying one
	if each > MaxWork/(len(s)+1) {
		return MaxWork + 1
	}
	return n + each*len(s)
}
