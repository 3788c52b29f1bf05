package foreign

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/declprov/declprov/spec/diag"
)

// bound matches a comparison in the place of a type: int >= 0.
var bound = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(int|number|string|float)\s*(>=|<=|>|<|=~|!=|~=|~)\s*("[^"]*"|-?[\d.]+)`)
})

// parseBound translates a comparison in the place of a type, and types that are joined by && or ||.
func parseBound(line string) (Repair, bool) {
	m := bound().FindStringSubmatchIndex(line)
	if m == nil {
		return joining().apply(line)
	}
	op := strings.NewReplacer("~=", "=~", "=~", "=~", "~", "=~").Replace(group(line, m, 2))
	text := group(line, m, 1) + " & " + op + group(line, m, 3)
	return Repair{Summary: "a bound is joined to its type with &", Remedy: "Write " + text + ".", Parts: []Part{{m[0], m[1], text}}}, true
}

// joining returns the rule for types that are joined as conditions are elsewhere.
func joining() rule {
	return rule{
		regexp.MustCompile(`[\w\])"]\s*(&&|\|\|)\s*[\w(\["><=!-]`), "types are joined with one & or one |", "Write & for &&, and | for ||.",
		func(line string, m []int) []Part { return []Part{{m[2], m[3], line[m[2] : m[2]+1]}} },
	}
}

// between matches a range of numbers.
var between = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:int\s*&?\s*)?(-?\d+)\.\.\.?(-?\d+)$`) })

// span returns the type of the whole numbers in a range.
func span(least, most string) string { return "int & >=" + least + " & <=" + most }

// enum matches words with bars between them.
var enum = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*([A-Za-z][\w-]*(?:\s*\|\s*[A-Za-z][\w-]*)+)`) })

// ParseEnum translates alternatives without quotes, such as `book | toy`. All of the words must be
// unknown as types.
func ParseEnum(text string) (cue string, length int, ok bool) {
	m := enum().FindStringSubmatch(text)
	if m == nil {
		return "", 0, false
	}
	var values []string
	for word := range strings.SplitSeq(m[1], "|") {
		word = strings.TrimSpace(word)
		if _, known := scalars()[strings.ToLower(word)]; known || word == "null" || word == "true" || word == "false" {
			return "", 0, false
		}
		values = append(values, `"`+word+`"`)
	}
	return strings.Join(values, " | "), len(m[0]), true
}

// ParseConstraint translates a type in a string that is combined as elsewhere: alternatives without
// quotes, a range of numbers, and types that are joined by && or ||. If quoted is true, the author has
// put the text into quotes, which YAML takes away: a word that is no type is then a string.
func ParseConstraint(text string, quoted bool) (cue string, length int, ok bool) {
	if cue, length, ok := ParseEnum(text); ok {
		return cue, length, true
	}
	written, _, _ := strings.Cut(text, " @")
	length = len(written)
	if m := between().FindStringSubmatch(written); m != nil {
		return span(m[1], m[2]), length, true
	}
	for repair, ok := joining().apply(written); ok; repair, ok = joining().apply(written) {
		written = replaced(written, repair.Parts)
		cue = written
	}
	if quoted && isWord(written) {
		cue = strconv.Quote(written)
	}
	return cue, length, cue != ""
}

// word matches a word that may be a string.
var word = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][\w-]*$`) })

// AreWords reports whether texts are words, and not types: each may be nearly one.
func AreWords(texts []string) bool {
	isType := func(text string) bool {
		_, known := scalars()[strings.ToLower(text)]
		return known || !word().MatchString(text)
	}
	return slices.ContainsFunc(texts, isWord) && !slices.ContainsFunc(texts, isType)
}

// isWord reports whether a text is a word that is neither a type nor nearly one.
func isWord(text string) bool {
	_, known := scalars()[strings.ToLower(text)]
	return word().MatchString(text) && !known && diag.DidYouMean(text, []string{"string", "int", "bool", "number", "float", "bytes", "null", "true", "false", "uint"}) == "" &&
		text != "null" && text != "true" && text != "false" && text != "bytes" && !strings.HasPrefix(text, "int") && !strings.HasPrefix(text, "uint") && !strings.HasPrefix(text, "float")
}
