package mistakes

import (
	"regexp"
	"strings"
	"unicode"
)

// block is a key at the top of a document, with the lines that belong to it.
type block struct {
	key   string
	lines []string
}

// topKey begins a block: `name:`, `"a b":`, `#Node:`.
var topKey = regexp.MustCompile(`^("[^"]+"|[#A-Za-z_][\w-]*):`)

// blocks are a document's, without what stands above the first.
func blocks(text string) []block {
	var list []block
	for line := range strings.SplitSeq(text, "\n") {
		if m := topKey.FindStringSubmatch(line); m != nil {
			list = append(list, block{key: m[1]})
		}
		if len(list) > 0 && strings.TrimSpace(line) != "" {
			last := &list[len(list)-1]
			last.lines = append(last.lines, line)
		}
	}
	return list
}

// assemble makes one document of many, each with its resource Thing under the
// case's own name. What all of them say in the same words is said once. In
// YAML, which takes a key once, blocks of one key become one.
func assemble(lang string, cases []spec) string {
	var order []string
	seen := map[string]bool{}
	merged := map[string][]string{}
	plainHead := map[string]string{"name": "", "version": "", "file": ""}
	for _, c := range cases {
		for _, b := range blocks(c.Text) {
			text := strings.Join(b.lines, "\n")
			if _, head := plainHead[b.key]; head && !strings.Contains(text, " mistake: ") {
				plainHead[b.key] = text
				continue
			}
			if seen[text] {
				continue
			}
			seen[text] = true
			own := renamed(b, c)
			if lang == "yaml" && merged[b.key] != nil && len(own) > 1 {
				own = own[1:]
			}
			if merged[b.key] == nil {
				order = append(order, b.key)
			}
			merged[b.key] = append(merged[b.key], own...)
		}
	}
	var out []string
	if lang == "cue" {
		out = append(out, "package test", "")
	}
	for _, key := range []string{"name", "version", "file"} {
		if merged[key] == nil || lang == "cue" && key == "file" {
			out = append(out, plainHead[key])
		}
	}
	for _, key := range order {
		out = append(out, merged[key]...)
	}
	return strings.Join(out, "\n") + "\n"
}

// renamed are the lines of a block with the case's own name for its resource.
func renamed(b block, c spec) []string {
	if b.key != "resources" {
		return b.lines
	}
	lines := strings.Split(strings.Join(b.lines, "\n"), "\n")
	for i, line := range lines {
		lines[i] = regexp.MustCompile(`\bThing\b`).ReplaceAllString(line, pascal(c.Name))
	}
	return lines
}

// pascal is a case's name as that of a resource: id-late is IdLate.
func pascal(name string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(name, "-") {
		b.WriteRune(unicode.ToUpper(rune(word[0])))
		b.WriteString(word[1:])
	}
	return b.String()
}
