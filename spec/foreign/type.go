// Package foreign translates what authors know from other tools (JSON Schema, Terraform,
// TypeScript, Python, Go, Helm, GitHub Actions) to the notation of specs. It is used for text
// that is wrong in a spec, so it may guess, but only what is almost certainly meant.
package foreign

import (
	"fmt"
	"regexp"
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

// Remedy returns what to write instead.
func (t Type) Remedy() string {
	if t.Optional {
		return fmt.Sprintf("Write %s. For an optional property, add ? to its name: `name?: %s`.", t.CUE, t.CUE)
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
	// foreign means that the text so far is not CUE. optional is about the whole type.
	foreign, optional bool
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
		part, ok := p.postfix()
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
	case p.take("#"):
		name := p.name()
		return "#" + name, name != ""
	}
	return p.named()
}

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
	for {
		p.space()
		param, ok := p.union()
		if !ok {
			return "", false
		}
		params = append(params, param)
		p.space()
		if p.take(close) {
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
	case "union":
		return strings.Join(params, " | "), true
	default:
		return "", false
	}
}
