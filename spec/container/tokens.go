package container

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The methods below read the tokens of JSON as writer writes them: without space
// between tokens and without unnecessary escapes.

func (r *reader) readKey() (string, error) {
	name, err := r.readString()
	if err == nil && !r.char(':') {
		err = r.expectedError("a colon")
	}
	return name, err
}

func (r *reader) readString() (string, error) {
	if !r.char('"') {
		return "", r.expectedError("a string")
	}
	rest := r.text[r.at:]
	end := strings.IndexByte(rest, '"')
	if end < 0 {
		return "", errors.New("unterminated string")
	}
	if strings.IndexByte(rest[:end], '\\') < 0 {
		r.at += end + 1
		return rest[:end], nil
	}
	return r.readEscaped()
}

// readEscaped reads the rest of a string with escapes, after its opening quote.
func (r *reader) readEscaped() (string, error) {
	var b strings.Builder
	for r.at < len(r.text) {
		c := r.text[r.at]
		r.at++
		switch c {
		case '"':
			return b.String(), nil
		case '\\':
			if err := r.readEscape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", errors.New("unterminated string")
}

func (r *reader) readEscape(b *strings.Builder) error {
	c := r.peek()
	r.at++
	switch c {
	case '"', '\\':
		b.WriteByte(c)
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'u':
		if r.at+4 > len(r.text) {
			return errors.New("incomplete escape")
		}
		n, err := strconv.ParseUint(r.text[r.at:r.at+4], 16, 16)
		if err != nil || n >= utf8.RuneSelf {
			return fmt.Errorf("unknown escape \\u%s", r.text[r.at:r.at+4])
		}
		r.at += 4
		b.WriteByte(byte(n))
	default:
		return fmt.Errorf("unknown escape %q", c)
	}
	return nil
}

func (r *reader) readInt() (int, error) {
	start := r.at
	if r.peek() == '-' {
		r.at++
	}
	for r.at < len(r.text) && isDigit(r.text[r.at]) {
		r.at++
	}
	n, err := strconv.Atoi(r.text[start:r.at])
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number", r.text[start:r.at])
	}
	return n, nil
}

// readNumber reads a number in JSON syntax, and returns its text.
func (r *reader) readNumber() (string, error) {
	start := r.at
	r.char('-')
	if !r.char('0') && !r.digits() {
		return "", r.expectedError("a value")
	}
	if r.char('.') && !r.digits() {
		return "", r.expectedError("a digit")
	}
	if r.char('e') || r.char('E') {
		if !r.char('-') {
			r.char('+')
		}
		if !r.digits() {
			return "", r.expectedError("a digit")
		}
	}
	return r.text[start:r.at], nil
}

func (r *reader) digits() bool {
	start := r.at
	for r.at < len(r.text) && isDigit(r.text[r.at]) {
		r.at++
	}
	return r.at > start
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func (r *reader) peek() byte {
	if r.at < len(r.text) {
		return r.text[r.at]
	}
	return 0
}

func (r *reader) char(c byte) bool {
	if r.at < len(r.text) && r.text[r.at] == c {
		r.at++
		return true
	}
	return false
}

func (r *reader) word(w string) bool {
	if strings.HasPrefix(r.text[r.at:], w) {
		r.at += len(w)
		return true
	}
	return false
}

func (r *reader) expectedError(wanted string) error {
	if r.at >= len(r.text) {
		return fmt.Errorf("expected %s, got the end", wanted)
	}
	return fmt.Errorf("expected %s, got %q", wanted, r.text[r.at])
}
