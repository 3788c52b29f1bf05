package foreign

import (
	"regexp"
	"strings"
	"sync"
)

// quotesWithin returns the rule for a string in double quotes of YAML that contains double quotes.
func quotesWithin() rule {
	return rule{
		regexp.MustCompile(`^\s*(?:- )*"?[\w.-]+[?!]?"?:\s+("(?:[^"\\\n]*"[^"\\\n]+){2,}"*")\s*(?:#.*)?$`), "the quotes in this string end it", "Write single quotes around it: '*\"a\" | \"b\"'.",
		func(line string, m []int) []Part {
			inner := line[m[2]+1 : m[3]-1]
			if strings.Contains(inner, "'") || strings.Contains(inner, `", "`) {
				return nil
			}
			return []Part{{m[2], m[2] + 1, "'"}, {m[3] - 1, m[3], "'"}}
		},
	}
}

// attributeOutside returns the rule for attributes behind the quotes of a type.
func attributeOutside() rule {
	return rule{
		regexp.MustCompile(`:\s+(?:"[^"\n]*(")|'[^'\n]*('))((?:\s+@\w+\([^)\n]*\))+)\s*(?:#.*)?$`), "an attribute is a part of the type, within its quotes", "Write it before the closing quote: \"string @secret()\".",
		func(line string, m []int) []Part {
			at := max(m[2], m[4])
			if quote := line[at : at+1]; !strings.Contains(line[m[6]:m[7]], quote) {
				return []Part{{at, m[7], line[m[6]:m[7]] + quote}}
			}
			return nil
		},
	}
}

// keysOnLine returns the rule for a block whose only key is written on its line.
func keysOnLine() rule {
	return rule{
		regexp.MustCompile(`^\s*(?:- )?(?:inputs|outputs|config|types|rest|http|json|query|headers|return|file|exec|sql|create|read|update|delete|open|close|children|options|let|retry): +([A-Za-z_]\w*[?!]?: +[^\s"'{}\[\]#][^{}\[\]#,:]*?)\s*$`),
		"a line has one key", "",
		func(line string, m []int) []Part {
			text := group(line, m, 1)
			if key, value, _ := strings.Cut(text, ": "); strings.HasSuffix(key, "?") {
				text = `"` + key + `": ` + value // YAML takes a ? in braces for a key of its own
			}
			return []Part{{m[2], m[3], "{" + text + "}"}}
		},
	}
}

// mapOnLine returns the rule for a map type without braces and quotes.
func mapOnLine() rule {
	return rule{
		regexp.MustCompile(`^\s*"?\w+[?!]?"?: +(\[string\]: +([A-Za-z_]\w*))\s*$`), "a map is written in braces, with its key in quotes", "",
		func(line string, m []int) []Part {
			return []Part{{m[2], m[3], `{"[string]": ` + group(line, m, 2) + "}"}}
		},
	}
}

// blockText matches a key whose text is in the lines below it, and keyLine one with a value on its line.
var (
	blockText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^( *)(?:- )?"?[\w.-]+[?!]?"?:\s*([|>][-+]?)\s*$`) })
	keyLine   = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^( *)(?:- )?"?[A-Za-z_][\w.-]*[?!]?"?:(?:\s+(\S.*?))?\s*$`)
	})
)

// ParseIndentation finds lines of YAML whose indentation is wrong: the text of a block that is not indented, and a key
// that is indented deeper than the key above it, which has a value. line is the line with the mistake, from 0.
// The repair of a text has no parts but its place, because its end is not known.
func ParseIndentation(lines []string) (r Repair, line int, ok bool) {
	for i := range len(lines) - 1 {
		below := lines[i+1]
		indent := len(below) - len(strings.TrimLeft(below, " "))
		if m := blockText().FindStringSubmatchIndex(lines[i]); m != nil && strings.TrimSpace(below) != "" && indent <= m[3]-m[2] && !keyLine().MatchString(below) {
			mark := lines[i][m[4]:m[5]]
			return Repair{
				Summary: "the text below " + mark + " is not indented", Remedy: "Indent its lines deeper than the key.",
				Parts: []Part{{m[4], m[5], mark}},
			}, i, true
		}
		above, own := keyLine().FindStringSubmatchIndex(lines[i]), keyLine().FindStringSubmatchIndex(below)
		if above == nil || own == nil || above[4] < 0 || indent <= above[3]-above[2] || !isWhole(lines[i][above[4]:above[5]]) {
			continue
		}
		start := len(lines[i]) - len(strings.TrimLeft(lines[i], " -"))
		if indent <= start {
			continue // an item of a list
		}
		return Repair{
			Summary: "this key is indented deeper than the one above it, which has a value", Remedy: "Indent both alike.",
			Parts: []Part{{0, indent, strings.Repeat(" ", start)}},
		}, i + 1, true
	}
	return Repair{}, 0, false
}

// isWhole reports whether a value ends on its line, and what is below is no part of it.
func isWhole(value string) bool {
	value, _, _ = strings.Cut(value, " #")
	value = strings.TrimSpace(value)
	switch {
	case value == "":
		return false
	case value[0] == '"' || value[0] == '\'':
		return len(value) > 1 && value[len(value)-1] == value[0]
	case value[0] == '|' || value[0] == '>' || value[0] == '&' || value[0] == '!':
		return false
	default:
		return strings.Count(value, "{") == strings.Count(value, "}") && strings.Count(value, "[") == strings.Count(value, "]")
	}
}

// ClosingBrace returns the place of the brace that ends an expression, or -1.
func ClosingBrace(text string, from int) int {
	depth, quote := 0, byte(0)
	for i := from; i < len(text); i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '{':
			depth++
		case c == '}' && depth == 0:
			return i
		case c == '}':
			depth--
		}
	}
	return -1
}
