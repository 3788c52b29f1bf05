package foreign

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Repair is the translation of a line that has another syntax.
type Repair struct {
	// Summary says what is foreign, Remedy what to write.
	Summary, Remedy string
	// Parts are the replacements in the line, in order.
	Parts []Part
}

// Part replaces the bytes [From, To) of a text.
type Part struct {
	From, To int
	Text     string
}

// rule repairs lines that match a pattern. parts converts the offsets of its groups.
type rule struct {
	pattern         *regexp.Regexp
	summary, remedy string
	parts           func(line string, m []int) []Part
}

// replaced returns a text with its parts replaced.
func replaced(text string, parts []Part) string {
	for i := len(parts) - 1; i >= 0; i-- {
		text = text[:parts[i].From] + parts[i].Text + text[parts[i].To:]
	}
	return text
}

// apply returns the repair of a text. The remedy of a rule without one is the repaired text. A rule whose parts are empty does not apply.
func (r rule) apply(text string) (Repair, bool) {
	m := r.pattern.FindStringSubmatchIndex(text)
	if m == nil {
		return Repair{}, false
	}
	parts := r.parts(text, m)
	if len(parts) == 0 {
		return Repair{}, false
	}
	written := strings.TrimSpace(replaced(text, parts))
	if len(parts) == 1 && parts[0].Text != "" {
		written = parts[0].Text
	}
	return Repair{Summary: r.summary, Remedy: cmp.Or(r.remedy, "Write "+written+"."), Parts: parts}, true
}

// whole returns parts that replace the first group by text.
func whole(text string) func(string, []int) []Part {
	return func(_ string, m []int) []Part { return []Part{{m[2], m[3], text}} }
}

// quote returns parts that put the first group into double quotes.
func quote(_ string, m []int) []Part {
	return []Part{{m[2], m[2], `"`}, {m[3], m[3], `"`}}
}

// nested returns the rule for a string in double quotes whose expression has double quotes, too.
func nested() rule {
	return rule{
		regexp.MustCompile(`"[^"\n]*\$\{[^"}\n]*(")[^"}\n]*(")[^"}\n]*\}[^"\n]*"`), "the quotes in this expression end the string",
		"Write single quotes in expressions: \"${x ?? ''}\".",
		func(_ string, m []int) []Part { return []Part{{m[2], m[3], "'"}, {m[4], m[5], "'"}} },
	}
}

// inCUE are the rules for lines at which CUE cannot go on.
var inCUE = sync.OnceValue(func() []rule {
	return []rule{
		nested(),
		{
			regexp.MustCompile(`^\s*(#)(?:[ !#]|$)`), "a comment begins with //", "Write // for #.", whole("//"),
		},
		{
			regexp.MustCompile(`:\s*(\$\{[^"}\n]*\})\s*(?:[,}\]].*)?$`), "an expression must be in a string", "Write \"${…}\", with quotes.", quote,
		},
		{
			regexp.MustCompile(`:\s*(/(\^[^/\n"]*|[^/\n" ]*[$\]*+])/)\s*(?:@.*|//.*)?$`), "a pattern is written with =~", "Write =~\"^[a-z]+$\".",
			func(line string, m []int) []Part { return []Part{{m[2], m[3], `=~"` + group(line, m, 2) + `"`}} },
		},
		{
			regexp.MustCompile(`[:{,]\s*(0[0-7]+)\s*(?:[,}\]].*)?$`), "a number cannot begin with 0", "For permission bits, write a string: \"0644\".", quote,
		},
		{
			regexp.MustCompile(`(?:^|[{,:])\s*([A-Za-z]\w*(?:-\w+)+):`), "a name with a hyphen must be in quotes", "Write it in double quotes: \"X-Api-Key\": ….",
			func(line string, m []int) []Part {
				if strings.Count(line[:m[2]], `"`)%2 == 1 {
					return nil // within a string
				}
				return quote(line, m)
			},
		},
		dottedName(),
		{
			regexp.MustCompile(`(?:[:{,&|(]\s*)(-?\d+)\.\.\.?(-?\d+)`), "a range has two bounds", "",
			func(line string, m []int) []Part {
				return []Part{{m[2], m[5], span(group(line, m, 1), group(line, m, 2))}}
			},
		},
		attributeFirst(),
		bareAttribute(),
		{
			regexp.MustCompile(`:\s*(/[^\s"',}]*)\s*(?:[,}\]].*)?$`), "a string must be in quotes", "Write it in double quotes.", quote,
		},
		{
			regexp.MustCompile(`^\s*resource\s+"(\w+)"(?:\s+"\w+")?\s*\{`), "a resource is a member of resources", "Write `resources: Name: {…}`.",
			func(line string, m []int) []Part {
				from := strings.Index(line, "resource")
				return []Part{{from, m[1], "resources: " + line[m[2]:m[3]] + ": {"}}
			},
		},
		{
			regexp.MustCompile(`^\s*"?\w+"?(\s*=\s*)[^=\s]`), "a field is written with a colon", "Write `name: value`.", whole(": "),
		},
		{
			assigned(), "a default is an alternative with *", "", func(line string, _ []int) []Part {
				r, _ := parseDefault(line)
				return r.Parts
			},
		},
		{
			regexp.MustCompile(`^\s*"?\w+"?(\s+)\{\s*$`), "a field is written with a colon", "Write `name: {…}`.", whole(": "),
		},
		{
			regexp.MustCompile(`(;)\s*$`), "a field does not end with a semicolon", "Remove the semicolon.", whole(""),
		},
		{
			regexp.MustCompile(`^\s*(/\*).*?(\s*\*/)\s*$`), "a comment begins with //", "Write // for /* … */.",
			func(_ string, m []int) []Part { return []Part{{m[2], m[3], "//"}, {m[4], m[5], ""}} },
		},
	}
})

// inYAML are the rules for lines at which YAML cannot go on.
var inYAML = sync.OnceValue(func() []rule {
	return []rule{
		nested(),
		attributeFirst(),
		attributeOutside(),
		keysOnLine(),
		mapOnLine(),
		{
			regexp.MustCompile(`:\s+("[^"\n]*"(?:\s*\|\s*"[^"\n]*")+)\s*(?:#.*)?$`), "the quotes of YAML are not those of the type", "Quote the whole type: '\"a\" | \"b\"'.",
			func(_ string, m []int) []Part { return []Part{{m[2], m[2], "'"}, {m[3], m[3], "'"}} },
		},
		quotesWithin(),
		{
			regexp.MustCompile(`:\s+(\*[^'\n#]*\|[^'\n#]*?)\s*(?:#.*)?$`), "a type that begins with * must be in quotes", "Quote the whole type: '*1 | int'.",
			func(_ string, m []int) []Part { return []Part{{m[2], m[2], "'"}, {m[3], m[3], "'"}} },
		},
		{
			regexp.MustCompile(`^\s*(?:- )?[A-Za-z_]\w*[?!]?:\s+"[^"\n]*()$`), "this string has no closing quote", "Add the closing quote.", whole(`"`),
		},
		{
			regexp.MustCompile(`^ *(\t+)`), "YAML is indented with spaces", "Replace the tab by spaces.",
			func(_ string, m []int) []Part {
				spaces := ""
				if m[2] == 0 {
					spaces = strings.Repeat("  ", m[3])
				}
				return []Part{{m[2], m[3], spaces}}
			},
		},
		{
			regexp.MustCompile(`[{,]\s*"?\w+"?:\s+([^"'{}\[\],\s]*\$\{[^{}"'\n]*\}[^"'{}\[\],\s]*)\s*[,}]`), "an expression between braces must be in quotes",
			"Write \"${…}\", with quotes.", quote,
		},
		{
			regexp.MustCompile(`[\[,]\s*([^"'{}\[\],\s]*\$\{[^{}"'\n]*\}[^"'{}\[\],\s]*)\s*[,\]]`), "an expression between brackets must be in quotes",
			"Write \"${…}\", with quotes.", quote,
		},
		{
			regexp.MustCompile(`^\s*(?:- )?"?\w+"?:\s+([@%` + "`" + `][^"'\n#]*?)\s*(?:#.*)?$`), "a string that begins with this character must be in quotes", "Write it in quotes.", quote,
		},
		{
			regexp.MustCompile(`^\s*(?:- )?[A-Za-z_]\w*(:)[^\s:/]`), "a colon is followed by a space", "Write `name: value`.", whole(": "),
		},
		{
			regexp.MustCompile(`^\s*(//)`), "a comment begins with #", "Write # for //.", whole("#"),
		},
		{
			regexp.MustCompile(`^\s*(?:- )?"?\w+"?(\s*=\s*)[^=\s]`), "a field is written with a colon", "Write `name: value`.", whole(": "),
		},
	}
})

// attributeFirst returns the rule for an attribute before its type.
func attributeFirst() rule {
	return rule{
		regexp.MustCompile(`:\s+((@\w+\([^)"'\n]*\))\s+([A-Za-z#\[{*][^"'\n#]*?))\s*(?:#.*|//.*)?$`), "an attribute follows its type", "Write the type first: string @secret().",
		func(line string, m []int) []Part {
			return []Part{{m[2], m[3], group(line, m, 3) + " " + group(line, m, 2)}}
		},
	}
}

// dottedName returns the rule for a path of names that are written with dots: file.read: {…}.
func dottedName() rule {
	return rule{
		regexp.MustCompile(`(?:^|[{,:])\s*([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+)[?!]?:`), "names are not joined by dots", "Write a colon behind each name, `file: read: …`, or one name in quotes.",
		func(line string, m []int) []Part {
			if strings.Count(line[:m[2]], `"`)%2 == 1 {
				return nil // within a string
			}
			return []Part{{m[2], m[3], strings.ReplaceAll(group(line, m, 1), ".", ": ")}}
		},
	}
}

// bareAttribute returns the rule for an attribute without parentheses.
func bareAttribute() rule {
	return rule{
		regexp.MustCompile(`\s@[A-Za-z]+()(?:\s|$)`), "an attribute has parentheses", "Write them after its name: @secret(), @replace().", whole("()"),
	}
}

// ParseMessage translates a line that CUE parses, but reports with a message.
func ParseMessage(message, line string) (Repair, bool) {
	switch {
	case strings.Contains(message, "requires concrete value"):
		return parseBound(line)
	case strings.Contains(message, "unreferenced alias"):
		return parseDefault(line)
	default:
		return Repair{}, false
	}
}

// assigned matches a value that is assigned to a type: timezone?: string = "UTC".
var assigned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\??):\s+((?:([A-Za-z]\w*)\s*=\s*|([^\s"=,{}:*](?:[^"=\n,{}:*]|[<>!]=)*?|"[^"\n]*"(?:\s*\|\s*"[^"\n]*")*)\s=\s)("[^"\n]*"|-?\d[\d.]*|true|false|True|False|\[\]|\{\}))\s*(?:@|,|\}|//|$)`)
})

// ParseAssigned translates the text of a type to which a value is assigned: boolean = true.
func ParseAssigned(text string) (cue string, ok bool) {
	written, attributes, _ := strings.Cut(text, " @")
	r, ok := parseDefault("x: " + strings.TrimSpace(written))
	if !ok || r.Parts[1].To != len("x: "+strings.TrimSpace(written)) {
		return "", false
	}
	if cue = r.Parts[1].Text; attributes != "" {
		cue += " @" + attributes
	}
	return cue, true
}

// parseDefault translates a value that is assigned to a type.
func parseDefault(line string) (Repair, bool) {
	m := assigned().FindStringSubmatchIndex(line)
	if m == nil {
		return Repair{}, false
	}
	of := 3
	if m[2*of] < 0 {
		of = 4
	}
	value, kind := group(line, m, 5), group(line, m, of)
	if own, ok := Literal(value); ok {
		value = own
	}
	if own, ok := Scalar(kind); ok {
		kind = own
	}
	others := slices.DeleteFunc(strings.Split(kind, "|"), func(v string) bool { return strings.TrimSpace(v) == value })
	text := "*" + value + " | " + strings.TrimSpace(strings.Join(others, "|"))
	return Repair{
		Summary: "a default is an alternative with *", Remedy: "Write " + text + ". The property is then optional.",
		Parts: []Part{{m[2], m[3], ""}, {m[4], m[5], text}},
	}, true
}

// ParseAttributes translates the text of a type whose attributes are wrong: without parentheses,
// or after a comma.
func ParseAttributes(text string) (Repair, bool) {
	for _, r := range []rule{
		{regexp.MustCompile(`(,)\s*@`), "an attribute follows its type without a comma", "Remove the comma.", whole("")},
		bareAttribute(),
	} {
		if repair, ok := r.apply(text); ok {
			return repair, true
		}
	}
	return Repair{}, false
}

// ParseLine translates a line at which CUE, or YAML, reports a syntax error.
func ParseLine(line string, yaml bool) (Repair, bool) {
	rules := inCUE()
	if yaml {
		rules = inYAML()
	}
	for _, r := range rules {
		if repair, ok := r.apply(line); ok {
			return repair, true
		}
	}
	if yaml {
		return Repair{}, false
	}
	r, _, ok := ParseModifier(line)
	return r, ok
}
