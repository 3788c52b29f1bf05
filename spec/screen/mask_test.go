package screen

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// escaping is one way to escape a text, which unescaping must reverse.
type escaping struct {
	name string
	of   func(string) string
}

func escapings() []escaping {
	each := func(all bool, format func(r rune) string) func(string) string {
		return func(s string) string {
			var b strings.Builder
			for _, r := range s {
				if plain := 'a' <= r && r <= 'z' || '0' <= r && r <= '9'; plain && !all {
					b.WriteRune(r)
				} else {
					b.WriteString(format(r))
				}
			}
			return b.String()
		}
	}
	percent := func(format string) func(rune) string {
		return func(r rune) string {
			var b strings.Builder
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, format, c)
			}
			return b.String()
		}
	}
	return []escaping{
		{"path", url.PathEscape},
		{"query", url.QueryEscape},
		{"lower percent", each(false, percent("%%%02x"))},
		{"all percent", each(true, percent("%%%02X"))},
		{"JSON", func(s string) string { b, _ := json.Marshal(s); return string(b[1 : len(b)-1]) }},
		{"JSON slash", func(s string) string {
			b, _ := json.Marshal(s)
			return strings.ReplaceAll(string(b[1:len(b)-1]), "/", `\/`)
		}},
		{"JSON in ASCII", func(s string) string { b, _ := json.Marshal(s); return asciiJSON(string(b[1 : len(b)-1])) }},
		{"JSON in capitals", each(false, func(r rune) string {
			return strings.ReplaceAll(strings.ToUpper(Escape(r, 0)), `\U`, `\u`)
		})},
		{"braces", each(false, func(r rune) string { return fmt.Sprintf(`\u{%x}`, r) })},
		{"wide", each(false, func(r rune) string { return fmt.Sprintf(`\U%08x`, r) })},
		{"bytes", each(false, percent(`\x%02x`))},
		{"octal", each(false, percent(`\%03o`))},
		{"HTML", html.EscapeString},
		{"HTML decimal", each(false, func(r rune) string { return fmt.Sprintf("&#%d;", r) })},
		{"HTML hexadecimal", each(true, func(r rune) string { return fmt.Sprintf("&#x%X;", r) })},
		{"upper case", strings.ToUpper},
		{"lower case", strings.ToLower},
	}
}

// TestMaskForms checks that a secret is masked in each form that servers are known to
// return, and that the surrounding text is kept.
func TestMaskForms(t *testing.T) {
	for _, secret := range []string{
		`pa/ss+wo"rd=&<é> Zx9QmPf2LkTr8VbN`, `C:\new\table`, `50%25 off&amp;`, `ümläut`, `😀 smile`, `a%41\u0062`, "two\nlines of it", `Straße ǅ`,
	} {
		m := NewMask([]string{secret})
		for _, e := range append(escapings(), escaping{"as it is", func(s string) string { return s }}) {
			text := e.of(secret)
			if got := m.Text("it said " + text + ", no more"); got != "it said "+Masked+", no more" {
				t.Errorf("%s of %q: %q", e.name, secret, got)
			}
		}
	}
}

// TestMaskEscapedTwice checks that nested escapes of any kinds are undone.
func TestMaskEscapedTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[ -~äöé€😀]{8,30}`).Draw(t, "secret") + "z"
		before := rapid.StringMatching(`[a-z ."{]{0,20}:`).Draw(t, "before")
		after := rapid.StringMatching(`[,}] [a-z ."{]{0,20}`).Draw(t, "after")
		text, names := secret, []string{}
		cases := 0
		for range rapid.IntRange(0, 3).Draw(t, "times") {
			e := rapid.SampledFrom(escapings()).Draw(t, "escaping")
			if e.name == "upper case" || e.name == "lower case" {
				// No encoder writes these escapes in another case.
				if cases++; len(names) > 0 || cases > 1 {
					continue
				}
			}
			text = e.of(text)
			names = append(names, e.name)
		}
		if got, want := NewMask([]string{secret}).Text(before+text+after), before+Masked+after; got != want {
			t.Fatalf("%q by %v: %q is shown as %q", secret, names, before+text+after, got)
		}
	})
}

// TestMaskInsideBase64 checks that the middle of a secret in base64 is found in any
// surrounding text.
func TestMaskInsideBase64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[!-~]{10,40}`).Draw(t, "secret")
		before, after := rapid.StringN(0, 20, 60).Draw(t, "before"), rapid.StringN(0, 20, 60).Draw(t, "after")
		e := rapid.SampledFrom([]*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding}).Draw(t, "encoding")
		code := e.EncodeToString([]byte(before + secret + after))
		got := NewMask([]string{secret}).Text(code)
		if !strings.Contains(got, Masked) {
			t.Fatalf("%q was not found in %q", secret, code)
		}
		if strings.Contains(secret, "[sec") {
			return
		}
		rest := strings.SplitN(got, Masked, 2)
		const edge = 4 // digits at either side that the neighbours have a part in
		if len(rest[0])*6/8 > len(before)+edge || len(rest[1])*6/8 > len(after)+edge {
			t.Fatalf("too much remains: %q", got)
		}
	})
}

// TestMaskOfBase64 checks that a secret is masked if it is encoded together with the
// surrounding text.
func TestMaskOfBase64(t *testing.T) {
	const secret = `pa/ss+wo"rd=&<é> Zx9QmPf2LkTr8VbN`
	inner, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"basic":           base64.StdEncoding.EncodeToString([]byte("someone:" + secret)),
		"a shifted basic": base64.StdEncoding.EncodeToString([]byte("anyone:" + secret + "\n")),
		"a body":          base64.URLEncoding.EncodeToString([]byte("{\"a\":" + string(inner) + "}")),
		"within JSON":     strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte("??>"+secret)), "/", `\/`),
		"within a URL":    url.QueryEscape(base64.StdEncoding.EncodeToString([]byte("??>" + secret))),
	} {
		got := NewMask([]string{secret}).Text("it said " + text + ", no more")
		if strings.Contains(got, text[len(text)/2:len(text)/2+12]) || !strings.HasPrefix(got, "it said ") || !strings.HasSuffix(got, ", no more") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// TestMaskOfInterruptedSecrets checks that colors within a secret, and line breaks
// within its base64, do not hide it.
func TestMaskOfInterruptedSecrets(t *testing.T) {
	const secret = "Zx9QmPf2LkTr8VbNZx9QmPf2LkTr8VbN"
	m := NewMask([]string{secret})
	code := base64.StdEncoding.EncodeToString([]byte(secret))
	for _, text := range []string{
		secret[:5] + "\x1b[1;31m" + secret[5:9] + "\x1b[0m" + secret[9:],
		secret[:5] + "\u200b" + secret[5:],
		code[:20] + "\n" + code[20:], code[:20] + `\r\n` + code[20:],
	} {
		if got := m.Text("a " + text + " z"); got != "a "+Masked+" z" {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestMaskBeforeEscapes checks a secret whose end combines with the following text to
// an escape.
func TestMaskBeforeEscapes(t *testing.T) {
	for secret, text := range map[string]string{
		`pa"ssword\`: `pa&#34;ssword\, `, "pa/ssword%4": `pa\/ssword%41 `, `pa/ssword&`: `pa%2Fssword&amp; `,
	} {
		if got := NewMask([]string{secret}).Text("x " + text); !strings.HasPrefix(got, "x "+Masked) || strings.Contains(got, "ssw") {
			t.Errorf("%q: %q", secret, got)
		}
	}
}

// TestMaskKeeps checks that short secrets are not masked, and that masks are not
// masked again.
func TestMaskKeeps(t *testing.T) {
	for _, c := range []struct {
		secrets []string
		text    string
		want    string
	}{
		{[]string{"abc"}, "abc", "abc"},
		{[]string{"secret"}, "it is secret", "it is " + Masked},
		{[]string{"secret", "[sec"}, "it is " + Masked, "it is " + Masked},
		{[]string{"abcdefgh", "efghijkl"}, "=abcdefghijkl=", "=" + Masked + "="},
		{[]string{"hunter22"}, "100% of \\n & + ' hunter2 %zz \\u12 &#x;", "100% of \\n & + ' hunter2 %zz \\u12 &#x;"},
		{nil, "all", "all"},
	} {
		m := NewMask(c.secrets)
		if got := m.Text(c.text); got != c.want {
			t.Errorf("%q without %q: %q", c.text, c.secrets, got)
		}
		if got := m.Text(m.Text(c.text)); got != c.want {
			t.Errorf("%q, masked twice: %q", c.text, got)
		}
	}
}

// TestMaskOfLongTexts checks that a secret is found across the boundary of two
// chunks, and that all lines and pieces of a long secret are found.
func TestMaskOfLongTexts(t *testing.T) {
	const secret = "correct horse battery staple"
	m := NewMask([]string{secret})
	for _, at := range []int{chunk - 40, chunk - 10, chunk, 2*chunk - 3} {
		text := strings.Repeat("x", at) + url.QueryEscape(secret) + strings.Repeat("y", chunk)
		if got, want := m.Text(text), strings.Repeat("x", at)+Masked+strings.Repeat("y", chunk); got != want {
			t.Errorf("at %d: the secret was not found", at)
		}
	}
	var key strings.Builder
	for i := range 4000 {
		fmt.Fprintf(&key, "%x-", i*i*7919)
	}
	m = NewMask([]string{key.String()})
	if got := m.Text("a " + url.QueryEscape(key.String()) + " z"); got != "a "+Masked+" z" {
		t.Errorf("a long secret: %.200q", got)
	}
}

// TestHolds checks that a secret is found in every form and case.
func TestHolds(t *testing.T) {
	const secret = `pa/sswörd`
	m := NewMask([]string{secret, "tiny"})
	for _, e := range escapings() {
		text := "x " + e.of(secret) + " y"
		if !m.Holds(text) {
			t.Errorf("%s: the secret was not found in %q", e.name, text)
		}
	}
	for text, want := range map[string]bool{"tiny": true, "a tiny thing": false, "": false} {
		if got := m.Holds(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// TestUnfinished checks texts that arrive in pieces, split at any position: the held
// back bytes and the following piece show no secret.
func TestUnfinished(t *testing.T) {
	const secret = `wörd/of+"honour`
	m := NewMask([]string{secret})
	for _, e := range escapings() {
		code := e.of(secret)
		for at := 1; at < len(code); at++ {
			first, rest := "we said "+code[:at], code[at:]+", and so on"
			n := m.Unfinished(first)
			if got := m.Text(first[:len(first)-n]) + m.Text(first[len(first)-n:]+rest); got != "we said "+Masked+", and so on" {
				t.Errorf("%s, split at %d: %q", e.name, at, got)
			}
		}
	}
	for _, line := range []string{"100% done\n", "a word\n", `C:\w` + "\n", "R&D\n"} {
		if n := m.Unfinished(line); n != 0 {
			t.Errorf("%q: %d bytes are held back", line, n)
		}
	}
}

// TestMaskOfTruncatedSecrets checks that nothing remains of a secret whose end was
// cut off, in every form and at any position.
func TestMaskOfTruncatedSecrets(t *testing.T) {
	const secret = `wörd/of+"honour`
	m := NewMask([]string{secret})
	for _, e := range escapings() {
		code := e.of(secret)
		for at := startLength; at < len(code); at++ {
			if got, want := m.Text("we said "+code[:at]+"…, and so on"), "we said "+Masked+"…, and so on"; got != want {
				t.Errorf("%s, cut at %d: %q", e.name, at, got)
			}
		}
	}
	for _, text := range []string{"the quote was cut…", "one…two…", "…"} {
		if got := m.Text(text); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestMaskOfParts checks that the beginning of a secret is masked which a server has cut off: anywhere if it is long, as in
// MySQL's "Duplicate entry 'KEY' for key", and before the usual signs of a cut if it is shorter, as in PostgreSQL's
// "Failing row contains (…)".
func TestMaskOfParts(t *testing.T) {
	const secret = "Zq81kTu0wXy7Bn4cRe5dFg6hJi9sLm2oPv3a"
	m := NewMask([]string{secret})
	for _, e := range escapings() {
		for at := shortestPart; at < len(secret); at++ {
			got := m.Text("Duplicate entry '" + e.of(secret[:at]) + "' for key 1")
			if !strings.HasPrefix(got, "Duplicate entry '"+Masked) || !strings.HasSuffix(got, "' for key 1") || len(got) > len("Duplicate entry '"+Masked+"' for key 1")+4 {
				t.Errorf("%s, cut at %d: %q", e.name, at, got)
			}
		}
	}
	for _, mark := range []string{"...", " ...", " [truncated]", "[...]", "(truncated)", " <truncated>", "[TRUNCATED 20 bytes]"} {
		for at := shortestHeld; at < len(secret); at++ {
			if got, want := m.Text("contains (1, "+secret[:at]+mark+", 2)"), "contains (1, "+Masked+mark+", 2)"; got != want {
				t.Errorf("cut at %d, before %q: %q", at, mark, got)
			}
		}
	}
	for _, text := range []string{
		"contains " + secret[:shortestHeld-1] + "...", "we have " + secret[:shortestPart-1], "one... two [truncated], three",
		secret[:8] + " and then ...", "...", "ends " + secret[20:],
	} {
		if got := m.Text(text); got != text {
			t.Errorf("%q: %q", text, got)
		}
	}
	two := NewMask([]string{secret, secret[:20] + "otherEndOfIt"})
	if got, want := two.Text("one "+secret[:20]+"otherEndOf', two "+secret), "one "+Masked+"', two "+Masked; got != want {
		t.Errorf("two that begin alike: %q", got)
	}
}

func BenchmarkMask(b *testing.B) {
	var secrets []string
	for i := range 10 {
		secrets = append(secrets, fmt.Sprintf("token-%x-Zx9QmPf2Lk", i*7919))
	}
	text := strings.Repeat("a request was refused: 100% of the quota is used, \"see\" the manual; ", 60)
	m := NewMask(secrets)
	b.Run("text", func(b *testing.B) {
		for b.Loop() {
			m.Text(text)
		}
	})
	b.Run("make", func(b *testing.B) {
		for b.Loop() {
			NewMask(secrets[:1]).Holds("short")
		}
	})
	b.Run("holds", func(b *testing.B) {
		for b.Loop() {
			m.Holds("an-id-of-something/17")
		}
	})
}
