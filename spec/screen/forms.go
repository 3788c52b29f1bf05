package screen

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/declprov/declprov/spec/encode"
)

// A server may return a secret within a text that is encoded as a whole, such as
// base64. Such text is not decoded, because its beginning is not known. Instead, the
// encoded forms of the secret are searched for.

// shortestLine and shortestRun are the minimum lengths of parts of a secret that are
// masked separately: the lines of a key, and the runs of letters and digits that
// escaping does not change. Shorter runs may be ordinary words.
const (
	shortestLine = 8
	shortestRun  = 16
	// shortestCode is the minimum length of a base64 form without its ends.
	shortestCode = 6
)

var lettersAndDigits = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("[A-Za-z0-9]+") })

// forms returns the forms in which a secret may appear after escapes are removed.
func forms(s string) []string {
	out := encodedForms(s)
	for _, escaped := range escapes(s) {
		out = append(out, encodedForms(escaped)...)
	}
	if strings.Contains(s, "\n") {
		for line := range strings.SplitSeq(s, "\n") {
			if line = strings.TrimSpace(line); utf8.RuneCountInString(line) >= shortestLine {
				out = append(out, line) // the lines of a key may appear separately
			}
		}
	}
	if len(s) < shortestRun {
		return out
	}
	for _, run := range lettersAndDigits().FindAllString(s, -1) {
		if len(run) >= shortestRun && run != s {
			out = append(out, encodedForms(run)...)
		}
	}
	return out
}

// encodedForms returns a text and its encoded forms.
func encodedForms(s string) []string {
	out := []string{s, hex.EncodeToString([]byte(s))}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		out = append(out, e.EncodeToString([]byte(s)), strings.TrimRight(e.EncodeToString([]byte(s)), "="))
		for before := range 3 {
			if code := base64Core(s, before, e); len(code) >= shortestCode {
				out = append(out, code)
			}
		}
	}
	return out
}

// base64Core returns the part of a secret's base64 form that is the same for any
// surrounding text, if the number of bytes before the secret is before modulo 3. It
// omits the digits at both ends, which also encode bits of the neighbours.
func base64Core(s string, before int, e *base64.Encoding) string {
	code := e.EncodeToString([]byte(strings.Repeat("\x00", before) + s))
	const bitsOfByte, bitsOfDigit = 8, 6
	first := (before*bitsOfByte + bitsOfDigit - 1) / bitsOfDigit
	end := (before + len(s)) * bitsOfByte / bitsOfDigit
	return code[min(first, end):end]
}

// escapes returns the forms of a text in JSON and in URLs that differ from the text.
func escapes(s string) []string {
	plain, _ := encode.JSON(s) // encoding a string never fails
	inner := string(plain[1 : len(plain)-1])
	html, _ := json.Marshal(s)
	out := []string{url.QueryEscape(s), url.PathEscape(s), inner, strings.ReplaceAll(inner, "/", `\/`), asciiJSON(inner), string(html[1 : len(html)-1])}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(escaped string) bool { return escaped == s })
}

// asciiJSON returns the contents of a JSON string as encoders write it that only use
// ASCII.
func asciiJSON(inner string) string {
	if isASCII(inner) {
		return inner
	}
	var b strings.Builder
	for _, r := range inner {
		if r < utf8.RuneSelf {
			b.WriteRune(r)
		} else {
			b.WriteString(Escape(r, 0))
		}
	}
	return b.String()
}
