// Package statement reads SQL statements and fills in their placeholders: what is code and
// what is quoted, where values and identifiers go, and what a statement does to the
// transaction around it. It connects to nothing.
package statement

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Dialect is the SQL of one kind of database.
type Dialect string

// The dialects.
const (
	PostgreSQL Dialect = "postgres"
	MySQL      Dialect = "mysql"
	SQLite     Dialect = "sqlite"
)

// Dialects returns the names of all dialects.
func Dialects() []string { return []string{string(PostgreSQL), string(MySQL), string(SQLite)} }

// longestIdentifier is how many bytes of an identifier PostgreSQL keeps. It cuts off the
// rest with a notice only.
const longestIdentifier = 63

// Identifier returns a name as an identifier of the dialect, in quotes.
func (d Dialect) Identifier(name string) (string, error) {
	switch {
	case name == "":
		return "", errors.New("an identifier must not be empty")
	case strings.ContainsRune(name, 0):
		return "", fmt.Errorf("the identifier %q contains a NUL character, which no identifier may contain", name)
	case d == PostgreSQL && len(name) > longestIdentifier:
		return "", fmt.Errorf("the identifier %q has %d bytes; PostgreSQL keeps only the first %d, so use a shorter one", name, len(name), longestIdentifier)
	case d == MySQL:
		return "`" + strings.ReplaceAll(name, "`", "``") + "`", nil
	default:
		return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`, nil
	}
}

// Literal returns a text as a string literal of the dialect. The connection must take
// backslashes as MySQL does by default, and as PostgreSQL does by default.
func (d Dialect) Literal(text string) (string, error) {
	if strings.ContainsRune(text, 0) {
		return "", errors.New("a text contains a NUL character, which is not valid in a literal")
	}
	if d == MySQL {
		text = strings.ReplaceAll(text, `\`, `\\`)
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'", nil
}

// parameter returns the dialect's own placeholder for the parameter with this number.
func (d Dialect) parameter(number int) string {
	if d == PostgreSQL {
		return fmt.Sprintf("$%d", number)
	}
	return "?"
}

// ownPlaceholder returns the dialect's own placeholder at the beginning of code, or "".
func (d Dialect) ownPlaceholder(code string) string {
	switch {
	case d != PostgreSQL && code[0] == '?':
		return "?"
	case d != MySQL && len(code) > 1 && code[0] == '$' && (isDigit(code[1]) || d == SQLite && isWordByte(code[1])):
		return code[:1+len(wordAt(code[1:]))]
	case d == SQLite && len(code) > 1 && (code[0] == ':' || code[0] == '@') && isWordByte(code[1]):
		return code[:1+len(wordAt(code[1:]))]
	default:
		return ""
	}
}

// quotedEnd returns the length of the quoted text or comment at the beginning of code, 0 if
// there is none, or -1 if it does not end. word is the word directly before it.
func (d Dialect) quotedEnd(code, word string) int {
	switch c := code[0]; {
	case c == '\'':
		escapes := d == MySQL || d == PostgreSQL && strings.EqualFold(word, "e")
		return closing(code, '\'', escapes)
	case c == '"':
		return closing(code, '"', d == MySQL)
	case c == '`' && d != PostgreSQL:
		return closing(code, '`', false)
	case c == '[' && d == SQLite:
		return through(code, "]")
	case c == '$' && d == PostgreSQL && (word == "" || isDigit(word[0])):
		return dollarEnd(code)
	case strings.HasPrefix(code, "--") && (d != MySQL || len(code) == 2 || code[2] <= ' '), c == '#' && d == MySQL:
		if i := strings.IndexByte(code, '\n'); i >= 0 {
			return i + 1
		}
		return len(code)
	case strings.HasPrefix(code, "/*"):
		return commentEnd(code, d == PostgreSQL)
	default:
		return 0
	}
}

// closing returns the length of a quoted text. A doubled quote does not end it, nor one
// after a backslash if that escapes.
func closing(code string, quote byte, escapes bool) int {
	for i := 1; i < len(code); i++ {
		switch {
		case escapes && code[i] == '\\':
			i++
		case code[i] == quote && i+1 < len(code) && code[i+1] == quote:
			i++
		case code[i] == quote:
			return i + 1
		}
	}
	return -1
}

func through(code, end string) int {
	i := strings.Index(code, end)
	if i < 0 {
		return -1
	}
	return i + len(end)
}

// dollarEnd returns the length of a text in dollar quotes ($$…$$, $tag$…$tag$).
func dollarEnd(code string) int {
	tag := "$" + wordAt(code[1:])
	if len(tag) == len(code) || code[len(tag)] != '$' || len(tag) > 1 && isDigit(tag[1]) {
		return 0
	}
	tag += "$"
	n := through(code[len(tag):], tag)
	if n < 0 {
		return -1
	}
	return len(tag) + n
}

func commentEnd(code string, nested bool) int {
	depth := 0
	for i := 0; i < len(code); i++ {
		switch {
		case strings.HasPrefix(code[i:], "*/"):
			if depth--; depth == 0 {
				return i + 2
			}
			i++
		case strings.HasPrefix(code[i:], "/*") && (nested || depth == 0):
			depth++
			i++
		}
	}
	return -1
}

// wordAt returns the word at the beginning of a text, or "".
func wordAt(text string) string {
	n := 0
	for n < len(text) && isWordByte(text[n]) {
		n++
	}
	return text[:n]
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isWordByte(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}
