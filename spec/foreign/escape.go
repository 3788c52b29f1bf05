package foreign

import (
	"fmt"
	"strings"
)

// escapes are the characters that may follow a backslash in a string of an expression.
const escapes = `abfnrtv\'"01234567xuU`

// ParseEscape returns what is wrong with the first escape sequence of an expression that does not
// exist, such as \S, and where it is. The parts write that string in backticks, where a backslash is
// a character as any other. isCUE says that the remedy is for a string of CUE.
func ParseEscape(text string, isCUE bool) (r Repair, from, to int, ok bool) {
	for at := 0; at < len(text); at++ {
		quote := text[at]
		if quote == '`' {
			at = endOfQuoted(text, at)
		}
		if quote != '\'' && quote != '"' {
			continue
		}
		end := endOfQuoted(text, at)
		if i := wrongEscape(text[at:end]); i >= 0 {
			from, to = at+i, at+i+2
			r = Repair{Summary: fmt.Sprintf("%s is not an escape sequence", text[from:to]), Remedy: escapeRemedy(text[from:to], isCUE)}
			if inside := text[at+1 : end]; end < len(text) && !strings.Contains(inside, "`") && onlyWrongEscapes(inside) {
				r.Parts = []Part{{at, at + 1, "`"}, {end, end + 1, "`"}}
			}
			return r, from, to, true
		}
		at = end
	}
	return Repair{}, 0, 0, false
}

// escapeRemedy returns how a backslash is written.
func escapeRemedy(sequence string, isCUE bool) string {
	remedy := fmt.Sprintf(`A string of an expression has escape sequences of its own. Write it in backticks, or double the backslash once more: \%s, which is \\\%s in a string of the spec in double quotes`, sequence, sequence)
	if isCUE {
		remedy += fmt.Sprintf(`, and \%s in #"…"#`, sequence)
	}
	return remedy + "."
}

// endOfQuoted returns the index of the quote that ends the string that begins at an index, or the
// length of the text.
func endOfQuoted(text string, at int) int {
	for i := at + 1; i < len(text); i++ {
		switch {
		case text[i] == '\\' && text[at] != '`':
			i++
		case text[i] == text[at]:
			return i
		}
	}
	return len(text)
}

// wrongEscape returns the index of the first escape sequence that does not exist, or -1.
func wrongEscape(text string) int {
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		if !strings.ContainsRune(escapes, rune(text[i+1])) {
			return i
		}
		i++
	}
	return -1
}

// onlyWrongEscapes reports whether a text has no escape sequence that exists: in backticks, that
// would mean something else.
func onlyWrongEscapes(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '\\' {
			if strings.ContainsRune(escapes, rune(text[i+1])) {
				return false
			}
			i++
		}
	}
	return true
}
