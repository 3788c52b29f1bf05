package screen

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A secret that comes back in what a server says may be within something that is
// encoded whole. That is not undone in the text, as nobody knows where it begins: the
// secret is encoded instead.

// shortestLine and shortestRun are the lengths from which a part of a secret is
// masked by itself: the lines of a key, and the runs of letters and digits that
// no escaping changes. Shorter runs are words.
const (
	shortestLine = 8
	shortestRun  = 16
	// shortestCode is that of a form in base64 whose ends are cut off.
	shortestCode = 6
)

var lettersAndDigits = regexp.MustCompile("[A-Za-z0-9]+")

// forms returns what may show of a secret once escapes are undone.
func forms(s string) []string {
	out := codes(s)
	for _, escaped := range escapes(s) {
		out = append(out, codes(escaped)...)
	}
	if strings.Contains(s, "\n") {
		for line := range strings.SplitSeq(s, "\n") {
			if line = strings.TrimSpace(line); utf8.RuneCountInString(line) >= shortestLine {
				out = append(out, line) // a key's lines show one by one
			}
		}
	}
	if len(s) < shortestRun {
		return out
	}
	for _, run := range lettersAndDigits.FindAllString(s, -1) {
		if len(run) >= shortestRun && run != s {
			out = append(out, codes(run)...)
		}
	}
	return out
}

// codes returns a text as it is, and within what is encoded whole.
func codes(s string) []string {
	out := []string{s, hex.EncodeToString([]byte(s))}
	for _, e := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		out = append(out, e.EncodeToString([]byte(s)), strings.TrimRight(e.EncodeToString([]byte(s)), "="))
		for before := range 3 {
			if code := inside(s, before, e); len(code) >= shortestCode {
				out = append(out, code)
			}
		}
	}
	return out
}

// inside returns what shows of a secret in base64 when so many bytes, or any multiple
// of three more, stand in front of it, and whatever behind: without the digits
// at both ends that its neighbours have a part in.
func inside(s string, before int, e *base64.Encoding) string {
	code := e.EncodeToString([]byte(strings.Repeat("\x00", before) + s))
	const bitsOfByte, bitsOfDigit = 8, 6
	first := (before*bitsOfByte + bitsOfDigit - 1) / bitsOfDigit
	end := (before + len(s)) * bitsOfByte / bitsOfDigit
	return code[min(first, end):end]
}

// escapes returns a text in JSON and in URLs, where that is not the text itself.
func escapes(s string) []string {
	var plain strings.Builder
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // text can always be written
	inner := strings.TrimSuffix(strings.TrimPrefix(plain.String(), `"`), "\"\n")
	html, _ := json.Marshal(s)
	out := []string{url.QueryEscape(s), url.PathEscape(s), inner, strings.ReplaceAll(inner, "/", `\/`), asciiJSON(inner), string(html[1 : len(html)-1])}
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(escaped string) bool { return escaped == s })
}

// asciiJSON returns the inner part of a JSON string as those write it that write
// ASCII only.
func asciiJSON(inner string) string {
	if ascii(inner) {
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
