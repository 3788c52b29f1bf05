// Package corpus has strings that break programs which build requests or commands by
// concatenating text.
package corpus

import (
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"
)

// known are well-known strings of this kind.
var known = []string{
	"", ".", "..", "...", "./", "../", "/", "//", "///", "/..", "/../", "../../etc/passwd", `..\..\`, "..;/", ".%2e", "%2e%2e", "%2e%2e%2f", "%252e",
	"a/../b", "a/./b", "a//b", " ", "  ", "\t", " a", "a ", "\u00a0", "\u2003", "a b", "a+b", "a%20b", "%", "%%", "%0", "%zz", "%00", "%0d%0a", "%u0041",
	"?", "?a=b", "a?b", "&", "&n=0", "a&b=c", "=", "a=b", ";", "a;b", "#", "a#b", "?n=0#", ":", "::", "a:b", "@", "a@b", "@evil.example.com", "//evil.example.com",
	"http://evil.example.com/", "https:evil.example.com", `\\evil.example.com\x`, "javascript:alert(1)", "file:///etc/passwd", "user:pass@host",
	"\x00", "a\x00b", "\r", "\n", "\r\n", "a\r\nX-V: b", "a\nb", "a\rb", "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", "\u2028", "\u2029", "\u0085", "\v", "\f", "\b", "\x1b[31m", "\x7f", "\x01", "\x1f",
	`"`, `\`, `\"`, `\\`, `\n`, `\u0000`, `\ud800`, `","v":"x`, `"}`, `"]}`, `{"v":1}`, "[]", "null", "true", "1", "-0", "1e999", "9007199254740993", "NaN", "0x10", "~", "yes", "'", "''", "`",
	"${inputs.n}", "$${inputs.n}", "${", "$", "}", "${config.endpoint}", "{{7*7}}", "<%= 7 %>", "#{7*7}", "{literal: 1}", "%s%n%d", "{0}", "$(id)", "`id`", "| id", "; id", "&& id",
	"<script>alert(1)</script>", "<!--", "]]>", "&amp;", "&#0;", "' OR '1'='1", "1; DROP TABLE things--", "*)(uid=*", "-", "--", "-rf", "+", "*", "~root", "!", "^", "|",
	"é", "e\u0301", "ß", "ẞ", "İ", "ı", "Ω", "Å", "\ufeff", "\ufeffa", "a\ufeff", "\u200b", "\u200e", "\u202e", "\u202eevil", "\u2066", "\ufffd", "\ufffe", "\uffff", "\U0010ffff", "😀", "👨‍👩‍👧‍👦", "🇩🇪", "ﷺ", "田中", "שלום", "\u0000\u0001", "a\u0300\u0301\u0302",
	"con", "nul", "aux.txt", "a.", "[secret]", "constructor", "__proto__", "toString", "undefined",
}

// pieces are the parts that random strings are made of.
func pieces() []string {
	all := append([]string{}, known...)
	for c := rune(0); c < 0x180; c++ {
		all = append(all, string(c))
	}
	return append(all, strings.Repeat("a", 300), strings.Repeat("%", 50), strings.Repeat("../", 40), strings.Repeat("é", 200), strings.Repeat("\"", 30))
}

// Strings returns count different strings: the known ones, the single characters, and random
// combinations of both.
func Strings(count int, seed uint64) []string {
	random := rand.New(rand.NewPCG(seed, 7))
	parts := pieces()
	seen := map[string]bool{}
	var out []string
	add := func(s string) {
		if !seen[s] && utf8.ValidString(s) && len(out) < count {
			seen[s] = true
			out = append(out, s)
		}
	}
	for _, p := range parts {
		add(p)
	}
	for len(out) < count {
		var b strings.Builder
		for range 1 + random.IntN(6) {
			if random.IntN(8) == 0 {
				b.WriteRune(rune(random.IntN(0x11000)))
			} else {
				b.WriteString(parts[random.IntN(len(parts))])
			}
		}
		add(b.String())
	}
	return out
}

// Try passes count strings to each place, several concurrently. try reports whether the text
// arrived (as opposed to being refused). An error fails the test.
func Try(t *testing.T, count, atOnce int, places []string, try func(place string, number int, text string) (arrived bool, err error)) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	texts := Strings(count, seed)
	for _, place := range places {
		t.Run(place, func(t *testing.T) {
			began := time.Now()
			var refused atomic.Int64
			var all sync.WaitGroup
			for from := range atOnce {
				all.Go(func() {
					for i := from; i < len(texts); i += atOnce {
						arrived, err := try(place, i, texts[i])
						if err != nil {
							t.Errorf("%q: %v", texts[i], err)
						} else if !arrived {
							refused.Add(1)
						}
					}
				})
			}
			all.Wait()
			t.Logf("%d strings in %s, %d of them refused", len(texts), time.Since(began).Round(time.Millisecond), refused.Load())
		})
	}
}
