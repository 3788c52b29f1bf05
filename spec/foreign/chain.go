package foreign

import (
	"cmp"
	"regexp"
	"strings"
	"sync"
)

// predicates are the names of functions over items elsewhere.
var predicates = map[string]string{"some": "any", "every": "all"}

// overItems matches the beginning of the call of a method over items. chained matches one that
// follows a call, and arrow the parameter of an arrow function.
const overItems = `(map|filter|find|some|every|any|all|findIndex|findLast|sortBy|groupBy)\(\s*`

var (
	chained = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\??\.` + overItems) })
	arrow   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\(?(\w+)\)?\s*=>`) })
)

// methodsOverItems returns the part that replaces a chain of calls of methods over items by calls
// of functions, or nil if it is none.
func methodsOverItems(text string, m []int) []Part {
	from := startOfOperand(text, m[0])
	list, name, body := text[from:m[0]], group(text, m, 1), m[1]
	for list != "" {
		end := endOfArgument(text, body)
		if end < 0 || text[end] != ')' {
			return nil
		}
		of, ok := predicate(text[body:end])
		if !ok {
			return nil
		}
		list = cmp.Or(predicates[name], name) + "(" + list + ", " + of + ")"
		rest := text[end+1:]
		next := chained().FindStringSubmatchIndex(rest)
		if next == nil {
			return []Part{{from, end + 1, list}}
		}
		name, body = group(rest, next, 1), end+1+next[1]
	}
	return nil
}

// predicate returns the predicate that an arrow function stands for, or that is written already.
func predicate(text string) (string, bool) {
	if m := arrow().FindStringSubmatchIndex(text); m != nil {
		return itemOf(group(text, m, 1), text[m[1]:]), true
	}
	text = strings.TrimSpace(text)
	return text, strings.HasPrefix(text, ".") || strings.Contains(text, "#")
}

// structOfPredicate returns the part that puts the struct that a predicate yields into parentheses.
func structOfPredicate(text string, m []int) []Part {
	comma := endOfArgument(text, m[1])
	if comma < 0 || text[comma] != ',' {
		return nil
	}
	from := comma + 1 + len(text[comma+1:]) - len(strings.TrimLeft(text[comma+1:], " "))
	end := endOfArgument(text, from)
	if end < 0 || text[from] != '{' {
		return nil
	}
	return []Part{{from, end, "(" + text[from:end] + ")"}}
}

// startOfOperand returns where the operand begins that ends at a place: names with dots, and calls and
// items of them.
func startOfOperand(text string, end int) int {
	depth, at := 0, end
	for at > 0 {
		switch c := text[at-1]; {
		case c == ')' || c == ']':
			depth++
		case (c == '(' || c == '[') && depth > 0:
			depth--
		case depth > 0, c == '.', c == '_', c == '?', c >= '0' && c <= '9', c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z':
		default:
			return at
		}
		at--
	}
	return at
}

// stage matches a filter of a pipe: upper, default('x'), default 'x'.
var stage = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([A-Za-z]\w*)\s*(?:\((.*)\)|([^\s()].*?))?\s*$`)
})

// filters returns the part that replaces a pipe of filters by calls of functions.
func filters(text string, _ []int) []Part {
	stages := splitOutside(text, '|')
	out := strings.TrimSpace(stages[0])
	if out == "" {
		return nil
	}
	for _, s := range stages[1:] {
		m := stage().FindStringSubmatch(s)
		if m == nil || m[3] != "" && m[1] != "default" {
			return nil
		}
		argument := cmp.Or(m[2], m[3])
		switch own, translated := Function(m[1]); {
		case m[1] == "default" && argument == "":
			return nil
		case m[1] == "default":
			out += " ?? " + argument
			continue
		case translated:
			m[1] = own
		}
		if out = m[1] + "(" + out; argument != "" {
			out += ", " + argument
		}
		out += ")"
	}
	from := len(text) - len(strings.TrimLeft(text, " "))
	return []Part{{from, len(text), out}}
}

// splitOutside splits a text at a separator that is outside of brackets and strings.
func splitOutside(text string, separator byte) []string {
	var parts []string
	from := 0
	eachOutside(text, func(at int, c byte) bool {
		if c == separator {
			parts, from = append(parts, text[from:at]), at+1
		}
		return true
	})
	return append(parts, text[from:])
}

// eachOutside calls see for each byte of a text that is outside of brackets and strings, until it
// returns false.
func eachOutside(text string, see func(at int, c byte) bool) {
	depth, quote := 0, byte(0)
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\' && quote != '`':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case depth == 0 && !see(i, c):
			return
		}
	}
}

// endOfArgument returns the place of the comma or the bracket that ends the argument of a call,
// or -1.
func endOfArgument(text string, from int) int {
	depth, quote := 0, byte(0)
	for i := from; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0 && c == '\\' && quote != '`':
			i++
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case (c == ')' || c == ',') && depth == 0:
			return i
		case c == ')' || c == ']' || c == '}':
			depth--
		}
	}
	return -1
}

// itemOf returns the body of an arrow function with # for its parameter. A member of the item is
// written without #, which begins a comment in YAML.
func itemOf(parameter, body string) string {
	body = strings.TrimSpace(body)
	if rest, ok := strings.CutPrefix(body, parameter+"."); ok && !strings.ContainsAny(rest, " ()") {
		return "." + rest
	}
	return regexp.MustCompile(`\b`+regexp.QuoteMeta(parameter)+`\b`).ReplaceAllString(body, "#")
}
