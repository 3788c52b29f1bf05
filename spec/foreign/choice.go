package foreign

import (
	"regexp"
	"strings"
)

// choice returns the rule for a condition in words, whose groups a and b are the values and c the
// condition.
func choice(pattern string) rule {
	compiled := regexp.MustCompile(pattern)
	return rule{compiled, "a condition precedes its values", "", func(text string, m []int) []Part {
		named := func(name string) string { return group(text, m, compiled.SubexpIndex(name)) }
		from := len(text) - len(strings.TrimLeft(text, " "))
		return []Part{{from, len(strings.TrimRight(text, " ")), named("c") + " ? " + named("a") + " : " + named("b")}}
	}}
}

// choiceOfCall returns the part that replaces if(c, a, b).
func choiceOfCall(text string, m []int) []Part {
	whole := strings.TrimRight(text, " ")
	if end := closing(whole, m[1]); end != len(whole)-1 {
		return nil
	}
	chosen, ok := Choice(splitOutside(whole[m[1]:len(whole)-1], ','))
	if !ok {
		return nil
	}
	return []Part{{len(text) - len(strings.TrimLeft(text, " ")), len(whole), chosen}}
}

// closing returns the place of the bracket that ends a list of arguments, or -1.
func closing(text string, from int) int {
	for end := endOfArgument(text, from); ; end = endOfArgument(text, end+1) {
		if end < 0 || text[end] != ',' {
			return end
		}
	}
}

// IsChoice reports whether a function of three arguments is the choice between two values elsewhere.
func IsChoice(function string) bool {
	switch strings.ToLower(function) {
	case "ternary", "iif", "cond", "choose", "select", "ifelse":
		return true
	default:
		return false
	}
}

// Choice returns the choice between two values, for the arguments of a function that has the
// condition first.
func Choice(arguments []string) (string, bool) {
	if len(arguments) != 3 {
		return "", false
	}
	return strings.TrimSpace(arguments[0]) + " ? " + strings.TrimSpace(arguments[1]) + " : " + strings.TrimSpace(arguments[2]), true
}

// Fallback returns what a function means that has a value and another one for its absence elsewhere, such as default(a, b) or
// a | default(b), or lookup(map, key, b). In calls of the other order, the first argument is the constant.
func Fallback(name string, arguments []string) (string, bool) {
	trimmed := make([]string, len(arguments))
	for i, a := range arguments {
		trimmed[i] = strings.TrimSpace(a)
	}
	switch strings.ToLower(strings.ReplaceAll(name, "_", "")) {
	case "default", "defaultvalue", "orelse", "getorelse", "getordefault", "ifempty":
		if len(trimmed) != 2 {
			return "", false
		}
		if isConstant(trimmed[0]) && !isConstant(trimmed[1]) {
			trimmed[0], trimmed[1] = trimmed[1], trimmed[0]
		}
		return trimmed[0] + " ?? " + trimmed[1], true
	case "lookup":
		if len(trimmed) != 3 {
			return "", false
		}
		return "get(" + trimmed[0] + ", " + trimmed[1] + ") ?? " + trimmed[2], true
	default:
		return "", false
	}
}

// isConstant reports whether an argument is a literal text or number.
func isConstant(argument string) bool {
	return argument != "" && strings.ContainsAny(argument[:1], `'"0123456789`)
}

// choiceOfOne returns the part that completes a choice without its second value, or with a wrong
// character between the two.
func choiceOfOne(text string, _ []int) []Part {
	question, separator, colon := -1, -1, -1
	eachOutside(text, func(at int, c byte) bool {
		switch {
		case c == '?' && (strings.HasPrefix(text[at+1:], ".") || strings.HasPrefix(text[at+1:], "?") || at > 0 && text[at-1] == '?'):
		case c == '?':
			question = at
		case question < 0:
		case c == ':':
			colon = at
		case (c == ',' || c == '|' && !strings.HasPrefix(text[at+1:], "|") && text[at-1] != '|') && separator < 0:
			separator = at
		}
		return colon < 0
	})
	whole := strings.TrimRight(text, " ")
	switch {
	case question < 0 || strings.TrimSpace(strings.Trim(text[question+1:], ": ")) == "":
		return nil
	case colon >= 0 && colon != len(whole)-1:
		return nil // it is complete: something else is wrong
	}
	from, repaired := len(text)-len(strings.TrimLeft(text, " ")), strings.TrimRight(whole, ": ")+" : null"
	if separator >= 0 {
		repaired = strings.TrimRight(whole[:separator], " ") + " : " + strings.TrimLeft(whole[separator+1:], " ")
	}
	return []Part{{from, len(whole), repaired[from:]}}
}
