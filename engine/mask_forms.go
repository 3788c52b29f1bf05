package engine

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
)

// A secret that comes back in what a server says need not look as it was sent:
// it may be escaped, within something that is encoded whole, or both.

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

// encodings are the forms in which a secret may show.
func encodings(s string) []string {
	out := forms(s)
	for _, escaped := range escapes(s) {
		out = append(out, forms(escaped)...)
		out = append(out, url.QueryEscape(escaped), url.PathEscape(escaped)) // of what is in a URL within a URL
	}
	for _, line := range strings.Split(s, "\n") {
		if line = strings.TrimSpace(line); len([]rune(line)) >= shortestLine {
			out = append(out, line) // a key's lines show one by one
		}
	}
	for _, run := range lettersAndDigits.FindAllString(s, -1) {
		if len(run) >= shortestRun {
			out = append(out, forms(run)...)
		}
	}
	return out
}

// forms are a text as it is, and within what is encoded whole.
func forms(s string) []string {
	code := hex.EncodeToString([]byte(s))
	out := []string{s, code, strings.ToUpper(code)}
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

// inside is what shows of a secret in base64 when so many bytes, or any multiple
// of three more, stand in front of it, and whatever behind: without the digits
// at both ends that its neighbours have a part in.
func inside(s string, before int, e *base64.Encoding) string {
	code := e.EncodeToString([]byte(strings.Repeat("\x00", before) + s))
	const bitsOfByte, bitsOfDigit = 8, 6
	first := (before*bitsOfByte + bitsOfDigit - 1) / bitsOfDigit
	end := (before + len(s)) * bitsOfByte / bitsOfDigit
	return code[min(first, end):end]
}

// escapes are a text's forms in JSON and in URLs.
func escapes(s string) []string {
	var plain strings.Builder
	enc := json.NewEncoder(&plain)
	enc.SetEscapeHTML(false)
	html, _ := json.Marshal(s) // text can always be written
	_ = enc.Encode(s)
	out := []string{url.QueryEscape(s), url.PathEscape(s)}
	for _, quoted := range []string{string(html), strings.TrimSuffix(plain.String(), "\n")} {
		inner := quoted[1 : len(quoted)-1]
		out = append(out, inner, strings.ReplaceAll(inner, "/", `\/`))
	}
	return out
}
