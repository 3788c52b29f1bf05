package mistakes

import (
	"regexp"
	"slices"
	"strings"
)

// mutant is a spec with one thing broken.
type mutant struct {
	// Name says what was done to what: `misspelt key "path" on line 17`.
	What, Of string
	Text     string
	// Line is where it was done.
	Line int
	Site site
	// After is what stands there now.
	After string
}

// mutants are all that can be made of a spec with these sites.
func mutants(src string, sites []site, lang string) []mutant {
	var list []mutant
	for _, s := range sites {
		before := src[s.From:s.To]
		put := func(what, after string) {
			if s.Escaped {
				after = strings.ReplaceAll(after, `"`, `\"`)
			}
			list = append(list, mutant{
				What: what, Of: before, Text: src[:s.From] + after + src[s.To:], Line: lineOf(src, s.From), Site: s, After: after,
			})
		}
		switch s.Part {
		case aKey:
			for _, after := range misspellings(before) {
				put("misspelt", after)
			}
			put("emptied", `""`)
		case anAttr, identifier, packageKey:
			for _, after := range misspellings(before) {
				put("misspelt", after)
			}
		case aType:
			for _, after := range misspellings(before) {
				put("misspelt", after)
			}
			put("retyped", map[bool]string{true: "int", false: "string"}[before == "string"])
		case text:
			put("emptied", `""`)
			put("retyped", "7")
		case scalar:
			put("retyped", `"x"`)
		case composite:
			put("retyped", map[bool]string{true: ` "x"`, false: `"x"`}[lang == "yaml"])
		case expression:
			put("emptied", "")
			put("retyped", "[1]")
		}
	}
	return list
}

// misspellings are a word with a letter left out, doubled, and two swapped.
func misspellings(word string) []string {
	quote := ""
	if strings.HasPrefix(word, `"`) {
		quote, word = `"`, strings.Trim(word, `"`)
	}
	r := []rune(word)
	i := len(r) / 2
	var list []string
	add := func(parts ...[]rune) {
		if after := string(slices.Concat(parts...)); after != word && after != "" {
			list = append(list, quote+after+quote)
		}
	}
	add(r[:i], r[min(i+1, len(r)):])
	add(r[:i], r[i:i+1], r[i:])
	if i > 0 {
		add(r[:i-1], r[i:i+1], r[i-1:i], r[i+1:])
	}
	return list
}

// lines are those on which the mutant must be found: its own, and those that use
// the input or setting that it is about.
func (m mutant) lines() []int {
	list := []int{m.Line}
	uses := m.uses()
	if uses == nil {
		return list
	}
	for i, line := range strings.Split(m.Text, "\n") {
		if uses.MatchString(line) {
			list = append(list, i+1)
		}
	}
	return list
}

// uses are references to what is declared at the mutant's place: a definition,
// a property of inputs, outputs or config, or all of them; nil for anything else.
func (m mutant) uses() *regexp.Regexp {
	path := m.Site.Path
	i := slices.IndexFunc(path, func(key string) bool {
		return key == "inputs" || key == "outputs" || key == "config" || strings.HasPrefix(key, "#")
	})
	if i < 0 || i > 2 { // an argument of that name, perhaps
		return nil
	}
	block := regexp.QuoteMeta(path[i])
	switch {
	case block[0] == '#' && i == len(path)-1:
		return regexp.MustCompile(block + `\b`)
	case block[0] == '#':
		return regexp.MustCompile(`\.` + regexp.QuoteMeta(path[i+1]) + `\b`)
	case i == len(path)-1:
		return regexp.MustCompile(`\b` + block + `\.`)
	default:
		name := regexp.QuoteMeta(path[i+1])
		uses := `\b` + block + `\.` + name + `\b|\breturn:.*\b` + name + `:`
		if block == "inputs" {
			uses += `|^\s*"?A [a-z ]+"?: \{.*\b` + name + `:` // an example: their titles are "A text file", …
		}
		return regexp.MustCompile(uses)
	}
}

// unused reports whether the mutant renames or retypes an input, a setting or a
// definition that no other line of the spec refers to. Outputs are not among
// these: something must give them.
func (m mutant) unused() bool {
	if m.What == "emptied" || m.Site.Part != aKey && m.Site.Part != aType || slices.Contains(m.Site.Path, "outputs") {
		return false
	}
	uses := m.uses()
	if uses == nil || len(m.Site.Path) > 0 && slices.Contains([]string{"inputs", "config"}, m.Site.Path[len(m.Site.Path)-1]) {
		return false
	}
	return len(m.lines()) == 1 && !uses.MatchString(m.ownLine())
}

func lineOf(src string, offset int) int { return strings.Count(src[:offset], "\n") + 1 }
