// Package foreign translates what authors know from other tools (JSON Schema, Terraform,
// TypeScript, Python, Go, Helm, GitHub Actions) to the notation of specs. It is used for text
// that is wrong in a spec, so it may guess, but only what is almost certainly meant.
package foreign

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Type is the translation of a type.
type Type struct {
	// CUE is the type in CUE.
	CUE string
	// Optional means that the notation makes its property optional, as `string?` does.
	Optional bool
	// Len is the length in bytes of the text that the type replaces.
	Len int
}

// Remedy returns what to write instead for a property, whose name may be unknown.
func (t Type) Remedy(name string) string {
	if t.Optional {
		return fmt.Sprintf("Write `%s?: %s`: the property is optional.", cmp.Or(strings.TrimRight(name, "?!: \t"), "name"), t.CUE)
	}
	return fmt.Sprintf("Write %s.", t.CUE)
}

// plainString matches strings that require no quotes in YAML.
var plainString = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*( @[A-Za-z]+\(\w*\))*$`)
})

// YAMLString returns a string in the notation of YAML.
func YAMLString(s string) string {
	if plainString().MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", "''") + "'"
}

// scalars are the names of scalar types in other notations, in lower case.
var scalars = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"integer": "int", "long": "int", "bigint": "int", "boolean": "bool", "str": "string", "text": "string", "varchar": "string",
		"double": "number", "decimal": "number", "any": "_", "unknown": "_", "dynamic": "_", "mixed": "_",
		"string": "string", "int": "int", "bool": "bool", "number": "number", "float": "number",
		"object": "{...}", "dict": "{[string]: _}", "array": "[..._]", "list": "[..._]", "map": "{[string]: _}",
		"uuid": "string", "uri": "string", "url": "string", "date": "string", "datetime": "string", "timestamp": "string",
		"none": "null", "nil": "null", "undefined": "null",
	}
})

// own are the names that are CUE's. Any other name that is in scalars is foreign, such as String.
var own = map[string]bool{"string": true, "int": true, "bool": true, "number": true, "float": true}

// ParseType translates the foreign type at the beginning of text. ok is false if there is none: a
// type that has the same form in CUE is not foreign.
func ParseType(text string) (t Type, ok bool) {
	p := typeParser{text: text}
	cue, ok := p.union()
	if !ok || !p.foreign {
		return Type{}, false
	}
	if p.secret {
		cue += " @secret()"
	}
	return Type{CUE: cue, Optional: p.optional, Len: p.at}, true
}

// Scalar translates the name of a foreign type.
func Scalar(name string) (cue string, ok bool) {
	cue, ok = scalars()[strings.ToLower(name)]
	return cue, ok && !own[name]
}

// typeParser is a recursive-descent parser. Its methods return CUE.
type typeParser struct {
	text  string
	at    int
	depth int
	// foreign means that the text so far is not CUE. optional and secret are about the whole type.
	foreign, optional, secret bool
}

// maxDepth is the maximum depth to which types nest.
const maxDepth = 20

func (p *typeParser) space() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// take consumes a prefix of the remaining text.
func (p *typeParser) take(prefix string) bool {
	if strings.HasPrefix(p.text[p.at:], prefix) {
		p.at += len(prefix)
		return true
	}
	return false
}

// union parses alternatives: A | B. An undefined among them makes the type optional.
func (p *typeParser) union() (string, bool) {
	p.depth++
	defer func() { p.depth-- }()
	if p.depth > maxDepth {
		return "", false
	}
	var parts []string
	for {
		part, ok := p.conjunction()
		if !ok {
			return "", false
		}
		if part == "null" && p.foreign && strings.HasSuffix(p.text[:p.at], "undefined") {
			p.optional = true
		} else {
			parts = append(parts, part)
		}
		end := p.at
		p.space()
		if !p.take("|") {
			p.at = end
			break
		}
		p.space()
	}
	if len(parts) == 0 {
		return "null", true
	}
	return strings.Join(parts, " | "), true
}

// conjunction parses types that a value must all have: A & B.
func (p *typeParser) conjunction() (string, bool) {
	var parts []string
	for {
		part, ok := p.postfix()
		if !ok {
			return "", false
		}
		parts = append(parts, part)
		end := p.at
		if p.space(); !p.take("&") {
			p.at = end
			break
		}
		p.space()
	}
	if len(parts) == 1 && strings.HasPrefix(parts[0], "strings.") {
		parts = []string{"string", parts[0]}
	}
	return strings.Join(parts, " & "), true
}

// postfix parses a type with the suffixes [] and ?.
func (p *typeParser) postfix() (string, bool) {
	t, ok := p.primary()
	for ok {
		switch {
		case p.take("[]"):
			p.foreign = true
			t = "[..." + t + "]"
		case p.depth == 1 && p.take("?"):
			p.foreign, p.optional = true, true
		default:
			return t, true
		}
	}
	return "", false
}

// primary parses a name, a generic type, a Go type, a literal or a type in parentheses.
func (p *typeParser) primary() (string, bool) {
	switch {
	case p.at >= len(p.text):
		return "", false
	case p.depth == 1 && p.take("*"):
		return p.marked()
	case p.text[p.at] == '{':
		return p.mapType()
	case p.take("[]"):
		p.foreign = true
		elem, ok := p.postfix()
		return "[..." + elem + "]", ok
	case p.take("("):
		inner, ok := p.union()
		p.space()
		if !ok || !p.take(")") {
			return "", false
		}
		if strings.Contains(inner, " | ") {
			inner = "(" + inner + ")"
		}
		return inner, true
	case p.text[p.at] == '"':
		return p.literal()
	case strings.IndexByte("<>=!-0123456789", p.text[p.at]) >= 0:
		v := value().FindString(p.text[p.at:])
		p.at += len(v)
		return v, v != ""
	case p.take("#"):
		name := p.name()
		return "#" + name, name != ""
	}
	return p.named()
}

// value matches a default, and a bound.
var value = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:[<>]=?|=~|!~|!=)\s*)?(?:-?\d+(?:\.\d+)?|"[^"\n]*"|\[\]|\{\})`)
})

// marked parses the default of a type, after the star.
func (p *typeParser) marked() (string, bool) {
	if v := value().FindString(p.text[p.at:]); v != "" {
		p.at += len(v)
		return "*" + v, true
	}
	name := p.name()
	own, ok := Bool(name)
	p.foreign = p.foreign || own != name
	return "*" + own, ok
}

// mapType parses the type of a map, whose key may have a name: {[key: string]: string}.
func (p *typeParser) mapType() (string, bool) {
	m := mapStart().FindStringSubmatch(p.text[p.at:])
	if m == nil {
		return "", false
	}
	p.at += len(m[0])
	p.foreign = p.foreign || m[1] != ""
	elem, ok := p.union()
	p.space()
	p.take(";")
	p.space()
	return "{[string]: " + elem + "}", ok && p.take("}")
}

// mapStart matches the type of a map up to that of its values.
var mapStart = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\{\s*\[\s*(?:(\w+\s*:|\w+\s+in\s)\s*)?string\s*\]\s*:\s*`)
})

// literal parses a string in double quotes.
func (p *typeParser) literal() (string, bool) {
	quoted, err := strconv.QuotedPrefix(p.text[p.at:])
	p.at += len(quoted)
	return quoted, err == nil
}

func (p *typeParser) name() string {
	from := p.at
	for p.at < len(p.text) {
		c := p.text[p.at]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9' || p.at == from) {
			break
		}
		p.at++
	}
	return p.text[from:p.at]
}

// named parses a name, and its parameters if it is generic.
func (p *typeParser) named() (string, bool) {
	name := p.name()
	if name == "" {
		return "", false
	}
	if cue, ok := p.constraint(strings.ToLower(name)); ok {
		return cue, true
	}
	if close := p.opens(); close != "" {
		return p.generic(strings.ToLower(name), close)
	}
	cue, known := scalars()[strings.ToLower(name)]
	switch {
	case own[name]:
		return name, true
	case known:
		p.foreign = true
		return cue, true
	case name == "null":
		return name, true
	default:
		return "", false
	}
}

// argument matches a number or a string in parentheses.
var argument = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\(\s*(?:(-?\d+(?:\.\d+)?)|("[^"\n]*")|'([^'"\n]*)'|/([^/"\n]*)/)\s*\)`)
})

// constraint parses the call of a function that limits a type elsewhere, such as minLength(3).
func (p *typeParser) constraint(name string) (string, bool) {
	m := argument().FindStringSubmatch(p.text[p.at:])
	if m == nil {
		return "", false
	}
	cue := ""
	switch number, text := m[1], m[2]; {
	case number != "":
		format := map[string]string{
			"min": ">=%s", "minimum": ">=%s", "gte": ">=%s", "max": "<=%s", "maximum": "<=%s", "lte": "<=%s", "gt": ">%s", "lt": "<%s",
			"minlength": "strings.MinRunes(%s)", "minlen": "strings.MinRunes(%s)", "maxlength": "strings.MaxRunes(%s)", "maxlen": "strings.MaxRunes(%s)",
		}[strings.ReplaceAll(name, "_", "")]
		if format == "" {
			return "", false
		}
		cue = fmt.Sprintf(format, number)
	case slices.Contains([]string{"regex", "regexp", "pattern", "matches", "match"}, name):
		if text == "" {
			text = `"` + m[3] + m[4] + `"`
		}
		cue = "=~" + text
	default:
		return "", false
	}
	p.at += len(m[0])
	p.foreign = true
	return cue, true
}

// opens consumes an opening bracket of parameters, and returns the closing one.
func (p *typeParser) opens() string {
	for open, close := range map[string]string{"<": ">", "(": ")", "[": "]"} {
		if strings.HasPrefix(p.text[p.at:], open) && !strings.HasPrefix(p.text[p.at:], "[]") {
			p.at += len(open)
			return close
		}
	}
	return ""
}

// generic parses the parameters of a generic type: list(T), Map<K, V>, map[K]V, Optional[T].
func (p *typeParser) generic(name, close string) (string, bool) {
	var params []string
	p.space()
	inList := (name == "enum" || name == "oneof" || name == "choice") && p.take("[")
	for {
		p.space()
		param, ok := p.union()
		if !ok {
			return "", false
		}
		params = append(params, param)
		p.space()
		if inList && p.take("]") {
			inList = false
			p.space()
		}
		if !inList && p.take(close) {
			break
		}
		if !p.take(",") {
			return "", false
		}
	}
	p.foreign = true
	last := params[len(params)-1]
	switch name {
	case "array", "list", "set", "sequence", "iterable", "readonlyarray", "vec", "tuple":
		return "[..." + last + "]", len(params) == 1
	case "map":
		if close == "]" && len(params) == 1 { // Go: the value follows the bracket
			value, ok := p.postfix()
			return "{[string]: " + value + "}", ok
		}
		return "{[string]: " + last + "}", len(params) <= 2
	case "record", "dict", "mapping", "hash", "hashmap":
		return "{[string]: " + last + "}", len(params) <= 2
	case "optional", "partial":
		p.optional = p.optional || p.depth == 1
		return last, len(params) == 1
	case "union", "enum", "oneof", "one_of", "choice", "literal":
		return strings.Join(params, " | "), true
	case "nullable":
		return last + " | null", len(params) == 1
	case "secret", "sensitive", "password":
		p.secret = true
		return last, len(params) == 1 && p.depth == 1
	default:
		return "", false
	}
}
