package statement

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Statement is one statement of a dialect, with placeholders like {name}.
type Statement struct {
	Dialect Dialect
	parts   []part
	// words are the words in its code, in lower case. verb says what the statement does: the first
	// word, or, after the queries of a `with`, that of the statement itself. list says that there is
	// a comma outside of parentheses, and returning that this word is there.
	words           []string
	verb            string
	list, returning bool
	// Quoted are the names of placeholders that are within quotes or comments, where they
	// are ordinary text.
	Quoted []string
}

// part is a text, or a placeholder with that name.
type part struct{ text, name string }

// Parse reads a statement.
func Parse(d Dialect, text string) (*Statement, error) {
	p := parser{s: &Statement{Dialect: d}, rest: text}
	for p.rest != "" {
		if err := p.next(); err != nil {
			return nil, err
		}
	}
	p.flush()
	if len(p.s.words) == 0 {
		return nil, errors.New("the statement is empty")
	}
	return p.s, nil
}

// isExecuted reports whether code begins with a comment that MySQL or MariaDB execute
// (https://mariadb.com/kb/en/comment-syntax/).
func isExecuted(code string) bool {
	return strings.HasPrefix(code, "/*!") || strings.HasPrefix(code, "/*M!")
}

type parser struct {
	s    *Statement
	rest string
	text strings.Builder
	// last is the character before rest, 0 at the beginning, and word the word that ends there.
	last  byte
	word  string
	depth int
	ended bool
}

// next reads a word, a quoted text, a comment, a placeholder or another character.
func (p *parser) next() error {
	quoted := p.s.Dialect.quotedEnd(p.rest, p.word)
	switch {
	case quoted < 0:
		return fmt.Errorf("the text that begins at %q has no end", clip(p.rest))
	case quoted > 0 && p.s.Dialect == MySQL && isExecuted(p.rest):
		return fmt.Errorf("the server executes the comment that begins at %q: write its text without /*! and */", clip(p.rest))
	case quoted > 0:
		isComment := strings.HasPrefix(p.rest, "--") || strings.HasPrefix(p.rest, "/*") || p.rest[0] == '#'
		if p.ended && !isComment {
			return errSeveral
		}
		p.s.Quoted = append(p.s.Quoted, placeholdersIn(p.rest[:quoted])...)
		p.take(quoted)
		return nil
	case p.rest[0] == '{':
		return p.placeholder()
	}
	if p.ended && strings.TrimSpace(p.rest[:1]) != "" && p.rest[0] != ';' {
		return errSeveral
	}
	if own := p.s.Dialect.ownPlaceholder(p.rest); own != "" && p.word == "" && p.last != ':' {
		return fmt.Errorf("the placeholder %s has no value: write one like {name}, and set `name` in `params`", own)
	}
	if word := wordAt(p.rest); word != "" {
		p.addWord(strings.ToLower(word))
		p.take(len(word))
		p.word = word
		return nil
	}
	switch p.rest[0] {
	case ';':
		p.ended = true
	case '(':
		p.depth++
	case ')':
		p.depth--
	case ',':
		p.s.list = p.s.list || p.depth == 0
	}
	p.take(1)
	return nil
}

// addWord adds a word of the code.
func (p *parser) addWord(word string) {
	p.s.words = append(p.s.words, word)
	isVerb := slices.Contains([]string{"select", "values", "table", "insert", "update", "delete", "merge", "replace"}, word)
	if p.s.verb == "" || p.s.verb == "with" && p.depth == 0 && isVerb {
		p.s.verb = word
	}
	p.s.returning = p.s.returning || p.depth == 0 && word == "returning"
}

var errSeveral = errors.New("several statements in one text: write each as an item of `statements`, which run in one transaction")

// placeholder reads a placeholder. It must not touch a word, quotes or another placeholder,
// with which its text would merge ('a”b' is one literal).
func (p *parser) placeholder() error {
	end := strings.IndexByte(p.rest, '}')
	name := ""
	if end > 0 {
		name = p.rest[1:end]
	}
	if !isName(name) {
		return fmt.Errorf("the brace at %q does not begin a placeholder like {name}; put text with braces in quotes", clip(p.rest))
	}
	if p.ended {
		return errSeveral
	}
	const merging = "'\"`$&@}]-" // a number may be negative, and -- begins a comment
	if p.last != 0 && (isWordByte(p.last) || strings.IndexByte(merging, p.last) >= 0) {
		return fmt.Errorf("{%s} touches the text before it: put a space between them", name)
	}
	if end+1 < len(p.rest) {
		if next := p.rest[end+1]; isWordByte(next) || strings.IndexByte("'\"`$&@{[", next) >= 0 {
			return fmt.Errorf("{%s} touches the text after it: put a space between them", name)
		}
	}
	p.flush()
	p.s.parts = append(p.s.parts, part{name: name})
	p.last, p.rest, p.word = '}', p.rest[end+1:], ""
	return nil
}

// take moves n bytes to the text of the current part.
func (p *parser) take(n int) {
	p.text.WriteString(p.rest[:n])
	p.last, p.rest, p.word = p.rest[n-1], p.rest[n:], ""
}

func (p *parser) flush() {
	if p.text.Len() > 0 {
		p.s.parts = append(p.s.parts, part{text: p.text.String()})
		p.text.Reset()
	}
}

// isName reports whether a text can be the name of a placeholder.
func isName(text string) bool {
	return text != "" && !isDigit(text[0]) && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

// placeholdersIn returns what looks like placeholders in quoted text.
func placeholdersIn(text string) []string {
	var names []string
	for {
		_, rest, found := strings.Cut(text, "{")
		if !found {
			return names
		}
		if name, _, ended := strings.Cut(rest, "}"); ended && isName(name) {
			names = append(names, name)
		}
		text = rest
	}
}

func clip(text string) string {
	const most = 20
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// Names returns the names of the placeholders, each once.
func (s *Statement) Names() []string {
	var names []string
	for _, p := range s.parts {
		if p.name != "" && !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// Verb returns the first word of the statement, in lower case.
func (s *Statement) Verb() string { return s.words[0] }

// has reports whether one of the words is in the code of the statement.
func (s *Statement) has(words ...string) bool {
	return slices.ContainsFunc(s.words, func(w string) bool { return slices.Contains(words, w) })
}

// Reads reports whether the statement is of a kind that only reads. The server decides: a
// query runs in a transaction that is read-only.
func (s *Statement) Reads() bool {
	switch s.Verb() {
	case "with":
		return !s.has("insert", "update", "delete", "merge")
	case "select":
		return !s.has("into")
	case "values", "table", "show", "explain", "describe", "desc", "pragma":
		return true
	default:
		return false
	}
}

// ReturnsRows reports whether the statement returns rows.
func (s *Statement) ReturnsRows() bool {
	switch s.verb {
	case "select", "values", "table", "show", "explain", "describe", "desc", "pragma":
		return !s.has("into") || s.returning
	default:
		return s.returning
	}
}

// Changes returns "update" or "delete" if that is all that the statement does: then it has no effect if it
// affects no row.
func (s *Statement) Changes() string {
	changes := 0
	for _, word := range s.words {
		if slices.Contains([]string{"insert", "update", "delete", "merge", "replace"}, word) {
			changes++
		}
	}
	if changes == 1 && (s.verb == "update" || s.verb == "delete") {
		return s.verb
	}
	return ""
}

// ControlsTransaction reports whether the statement begins or ends a transaction, which
// steps do.
func (s *Statement) ControlsTransaction() bool {
	switch s.Verb() {
	case "begin", "start", "commit", "rollback", "end", "abort", "savepoint", "release":
		return true
	case "prepare":
		return s.Dialect == PostgreSQL && len(s.words) > 1 && s.words[1] == "transaction"
	default:
		return false
	}
}

// Commits reports whether the statement commits the transaction around it, as all but the
// statements on data do in MySQL.
func (s *Statement) Commits() bool {
	return s.Dialect == MySQL && !slices.Contains([]string{"select", "insert", "update", "delete", "replace", "with", "values", "table", "do", "set", "show"}, s.Verb())
}

// MayBeIncomplete reports whether a part of the statement's effect may remain if it fails.
func (s *Statement) MayBeIncomplete() bool {
	switch s.Dialect {
	case PostgreSQL:
		return slices.Contains([]string{"call", "do", "vacuum", "cluster"}, s.Verb()) || s.has("concurrently")
	case MySQL:
		return s.Verb() == "call" || s.Commits() && s.list
	default:
		return false
	}
}
