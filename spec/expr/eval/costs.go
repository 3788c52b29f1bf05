package eval

import "encoding/json"

// cost is what a call of an operation costs, in units of a budget, told from its
// arguments before it begins: nothing can interrupt what the standard library does
// with them. An operation that spends while it runs (metered) tells only what
// reading its arguments costs.
type cost func(args []any) int

// flat returns a cost that no argument changes, but for the digits of a number.
func flat(args []any) int {
	n := 1
	for _, a := range args {
		if d, ok := a.(json.Number); ok {
			n += len(d) >> 2
		}
	}
	return n
}

// metered returns the cost of an operation that spends for what it does as it does it.
func metered(args []any) int { return ofText(args) }

// ofText returns the cost of going over texts once.
func ofText(args []any) int {
	n := flat(args)
	for _, a := range args {
		if s, ok := a.(string); ok {
			n += len(s) >> 4
		}
	}
	return n
}

// ofTextTimes returns the cost of going over texts once that takes longer of each byte.
func ofTextTimes(times int) cost {
	return func(args []any) int { return times * ofText(args) }
}

// ofItems returns the cost of copying lists and maps, and of going over texts.
func ofItems(args []any) int {
	n := ofText(args)
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

// ofPairs returns the cost of comparing texts with each other, each byte with each: of
// trimming a set of characters that is not short.
func ofPairs(args []any) int {
	n := ofText(args)
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

// ofValues returns the cost of going over values at every depth: of what has no other.
func ofValues(args []any) int {
	n := ofItems(args)
	for _, a := range args {
		switch a := a.(type) {
		case []any:
			n += ofValues(a)
		case map[string]any:
			for _, v := range a {
				n += ofValues([]any{v})
			}
		}
		if n > MaxWork {
			break
		}
	}
	return n
}

// Costs returns the costs of all operations: functions, methods and operators.
func Costs() map[string]cost {
	out := map[string]cost{}
	for _, group := range []struct {
		cost  cost
		names []string
	}{
		{flat, []string{
			// numbers and times
			"abs", "ceil", "floor", "round", "bitand", "bitor", "bitxor", "bitnand", "bitnot", "bitshl", "bitshr", "bitushr",
			"-", "*", "/", "%", "**", "^", "neg", "plus", "int64", "bool",
			"Year", "Month", "Day", "Hour", "Minute", "Second", "Weekday", "YearDay", "Unix", "UnixMilli", "UnixMicro", "Nanosecond",
			"Add", "Sub", "Truncate", "AddDate", "Hours", "Minutes", "Seconds", "Milliseconds",
			// what hands on an argument, or an item of one
			"type", "coalesce", "first", "last", "take", "text", "step",
			// what calls another operation, which costs what it costs
			"method",
		}},
		{ofText, []string{
			"trimPrefix", "trimSuffix", "hasPrefix", "hasSuffix", "startsWith", "endsWith", "contains", "indexOf", "lastIndexOf", "len",
			"int", "float", "duration", "parsetime", "date", "cidrhost", "cidrsubnet", "cidrnetmask", "semver", "basename", "segments",
		}},
		{ofTextTimes(2), []string{"md5", "sha1", "sha256", "sha512", "hmac", "dirname", "joinpath", "base64encode", "toBase64"}},
		{ofTextTimes(4), []string{"upper", "lower", "base64decode", "fromBase64", "urlencode"}},
		{ofPairs, []string{"trim"}},
		{ofItems, []string{"reverse", "fromPairs", "group", "sum", "lastTrue", "omit", "merge", "pick"}},
		{metered, []string{
			"string", "split", "splitAfter", "replace", "repeat", "join", "capture", "matches",
			"max", "min", "mean", "median", "get", ".", "[", "[:]", "+", "in", "..", "list",
			"uniq", "concat", "flatten", "sort", "sortBy", "keys", "values", "toPairs",
			"jsonencode", "jsondecode", "toJSON", "fromJSON", "yamlencode", "yamldecode", "Format",
		}},
		// These are compared for as long as they are alike, and cost that.
		{flat, []string{"==", "!=", "<", "<=", ">", ">=", "Before", "After", "Equal"}},
		// The machine runs these; their lists, their turns and what they do cost.
		{flat, []string{
			"all", "any", "none", "one", "filter", "map", "find", "findIndex", "findLast", "findLastIndex", "count", "groupBy", "reduce",
		}},
	} {
		for _, name := range group.names {
			out[name] = group.cost
		}
	}
	return out
}
