package foreign

import (
	"regexp"
	"strings"
	"sync"
)

// modifierBefore and modifierAfter match a word that says elsewhere whether a property must be set, in a line or in the text
// of a type. misplaced matches an attribute within a type.
var (
	modifierBefore = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(^|(\??):[ \t]+)((readonly|required|optional|mandatory|const|final|public|private|var|let)[ \t]+)(?:[A-Za-z"\[({*]|=~|[<>])`)
	})
	modifierAfter = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(^|(\??):[ \t]+)[A-Za-z"\[({*=<>][^,}\n]*?[\w"\])}]([ \t]+(readonly|required|optional|mandatory|not null))[ \t]*(?:@|,|\}|//|$)`)
	})
	misplaced = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?:^|:[ \t]+)(([A-Za-z"\[({*=<>!][^,}@\n]*?)[ \t]+(@\w+\([^)\n]*\))[ \t]+([&|]?[ \t]*(?:[A-Za-z]\w*|=~"[^"\n]*"|[<>]=?[ \t]*-?\d+|!="[^"\n]*"|"[^"\n]*")))[ \t]*(?:,|\}|//|$)`)
	})
)

// ParseModifier translates a word beside a type that is a modifier elsewhere, such as `readonly string`, and an attribute
// that is not the last part of its type. text is a line, or the text of a type. optional means that the property is.
func ParseModifier(text string) (r Repair, optional, ok bool) {
	for _, pattern := range []*regexp.Regexp{modifierBefore(), modifierAfter()} {
		m := pattern.FindStringSubmatchIndex(text)
		if m == nil {
			continue
		}
		word := group(text, m, 4)
		r = Repair{Summary: "a type has no word " + word, Parts: []Part{{m[6], m[7], ""}}}
		optional = word == "optional"
		switch {
		case optional:
			r.Remedy = "For an optional property, add ? to its name: `name?: string`."
			if m[4] >= 0 && m[4] == m[5] {
				r.Parts = append([]Part{{m[4], m[4], "?"}}, r.Parts...)
			}
		case word == "readonly":
			r.Remedy = "Remove it. For an input that cannot change, add @replace(); what the server sets is an output."
		default:
			r.Remedy = "Remove it. A property is required unless its name ends with ? or its type has a default."
		}
		return r, optional, true
	}
	m := misplaced().FindStringSubmatchIndex(text)
	if m == nil {
		return Repair{}, false, false
	}
	written := joined(group(text, m, 2), group(text, m, 4)) + " " + group(text, m, 3)
	return Repair{Summary: "the attribute goes last", Remedy: "Write " + written + ".", Parts: []Part{{m[2], m[3], written}}}, false, true
}

// joined joins the two parts of a type, the name of the type first.
func joined(a, b string) string {
	switch {
	case strings.HasPrefix(b, "&") || strings.HasPrefix(b, "|"):
		return a + " " + b
	case word().MatchString(b):
		return b + " & " + a
	default:
		return a + " & " + b
	}
}
