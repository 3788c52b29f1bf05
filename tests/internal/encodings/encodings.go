// Package encodings has the forms in which a server, a command or a library may return a
// secret. Tests that secrets are masked should test all forms.
package encodings

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"unicode/utf16"
)

// Encoding is one form.
type Encoding struct {
	// Name says what writes this form.
	Name string
	// Of returns a text in this form, without what surrounds it.
	Of func(text string) string
}

// All returns the text unchanged, and twelve encodings.
func All() []Encoding {
	return []Encoding{
		{"as it is", func(s string) string { return s }},
		{"upper case", strings.ToUpper},
		{"JSON", jsonText},
		{"JSON in ASCII (Python, PHP)", func(s string) string { return jsonASCII(s, `\u%04x`) }},
		{"JSON within JSON", func(s string) string { return jsonText(jsonASCII(s, `\u%04X`)) }},
		{"percent", url.PathEscape},
		{"percent in lower case (.NET)", func(s string) string { return percent(s, "%%%02x") }},
		{"percent twice", func(s string) string { return percent(percent(s, "%%%02X"), "%%%02X") }},
		{"a form", url.QueryEscape},
		{"HTML", html.EscapeString},
		{"HTML in decimal and hexadecimal", htmlNumbers},
		{"base64 of user and password", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("user:" + s)) }},
		{"hexadecimal", func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) }},
	}
}

func jsonText(s string) string {
	quoted, _ := json.Marshal(s) // strings can always be encoded
	return string(quoted[1 : len(quoted)-1])
}

// jsonASCII returns a text in JSON, with `\/`, and with format for each UTF-16 unit that is
// not ASCII.
func jsonASCII(s, format string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '"' || r == '\\' || r == '/':
			b.WriteString(`\` + string(r))
		case r < ' ' || r > '~':
			for _, unit := range utf16.Encode([]rune{r}) {
				fmt.Fprintf(&b, format, unit)
			}
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// percent escapes all bytes except letters and digits.
func percent(s, format string) string {
	var b strings.Builder
	for i := range len(s) {
		c := s[i]
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, format, c)
		}
	}
	return b.String()
}

// htmlNumbers writes every second character as a numeric reference, alternately decimal and
// hexadecimal.
func htmlNumbers(s string) string {
	var b strings.Builder
	for i, r := range []rune(s) {
		switch {
		case i%4 == 1:
			fmt.Fprintf(&b, "&#%d;", r)
		case i%4 == 3:
			fmt.Fprintf(&b, "&#x%X;", r)
		default:
			b.WriteString(html.EscapeString(string(r)))
		}
	}
	return b.String()
}
