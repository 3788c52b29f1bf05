package screen

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// TestVisible checks that each character that steers the terminal is shown as an
// escape that JSON decodes to the same character.
func TestVisible(t *testing.T) {
	var steer []rune
	for r := range rune(utf8.MaxRune + 1) {
		if utf8.ValidRune(r) && Steers(r) && r != '\n' && r != '\t' {
			steer = append(steer, r)
		}
	}
	if len(steer) < 32-2+1+32+12+128 {
		t.Fatalf("only %d characters steer", len(steer))
	}
	for _, r := range steer {
		got := Visible("a" + string(r) + "b")
		var back string
		if err := json.Unmarshal([]byte(`"`+got+`"`), &back); err != nil || back != "a"+string(r)+"b" {
			t.Errorf("%U is shown as %q", r, got)
		}
		if strings.ContainsRune(got, r) {
			t.Errorf("%U is not escaped: %q", r, got)
		}
	}
	for text, want := range map[string]string{
		"<{%reset%}>":          `\u003c{%reset%}>`,
		"<<{%<{%":              `<\u003c{%\u003c{%`,
		"a\r\nb\rc":            "a\nb\\u000dc",
		"a\x9bb\xffc\xc3":      `a\x9bb\xffc\xc3`,
		"ä 中 👩‍👧 é\tx\n < { %": "ä 中 👩‍👧 é\tx\n < { %",
	} {
		if got := Visible(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

// TestShow checks for any text that the shown text is short, steers nothing, contains
// no secret, splits no character, mask or escape, and does not change when shown
// again.
func TestShow(t *testing.T) {
	const secret = "hunter-22-Zx9"
	m := NewMask([]string{secret})
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom([]string{
			"a word ", "äöü", "😀", secret, "%68unter-22-Zx9", "\x1b]0;x\a", "\x9b", "\u202e", "<{%red%}>", "\n", "\\u0041", "<", "{%",
		}), 1, 40).Draw(t, "parts")
		text := strings.Repeat(strings.Join(parts, ""), rapid.IntRange(1, 60).Draw(t, "times"))
		got := Show(text, m).String()
		switch {
		case len(got) > Longest:
			t.Fatalf("%d bytes", len(got))
		case !utf8.ValidString(got) || Visible(got) != got:
			t.Fatalf("the shown text steers: %q", got)
		case strings.Contains(got, "hunter") || strings.Contains(got, "Zx9"):
			t.Fatalf("the shown text contains a secret: %q", got)
		case Show(got, m).String() != got:
			t.Fatalf("showing it again changed it to %q", got)
		}
		// The edges of the removed part.
		if head, tail, ok := strings.Cut(got, " [… "); ok {
			_, tail, _ = strings.Cut(tail, " …] ")
			all := Visible(m.Text(text))
			if !strings.HasPrefix(all, head) || !strings.HasSuffix(all, tail) {
				t.Fatalf("the ends differ: %q", got)
			}
			for _, torn := range []string{"[", "[s", "[secret", `\`, `\u`, `\u0`, `\u00`, `\u009`} {
				if strings.HasSuffix(head, torn) {
					t.Fatalf("an escape or mask is split: %q", head)
				}
			}
			var n int
			if _, err := fmt.Sscanf(got[len(head):], " [… %d bytes", &n); err != nil || n != len(all)-len(head)-len(tail) {
				t.Fatalf("expected %[2]d omitted bytes, got %[1]d", n, len(all)-len(head)-len(tail))
			}
		}
	})
}

// TestShowKeepsTheEnd checks that the place and the remedy at the end of a message
// are kept.
func TestShowKeepsTheEnd(t *testing.T) {
	for _, size := range []int{Longest, 64 << 10, 3 << 20} {
		got := Show("create failed: "+strings.Repeat("x", size)+" (spec.cue:1:2)", NewMask([]string{"a secret"})).String()
		if !strings.HasPrefix(got, "create failed: xx") || !strings.HasSuffix(got, "xx (spec.cue:1:2)") || !strings.Contains(got, " bytes omitted …] ") {
			t.Errorf("%d bytes: %.300q", size, got)
		}
	}
}

// TestParts checks that a long output is shown completely, in parts.
func TestParts(t *testing.T) {
	var all strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&all, "line %d\n", i)
	}
	var lines []string
	for _, p := range Parts(strings.TrimSuffix(all.String(), "\n"), nil) {
		if len(p.String()) > Longest {
			t.Errorf("a part has %d bytes", len(p.String()))
		}
		lines = append(lines, p.String())
	}
	if got := strings.Join(lines, "\n") + "\n"; got != all.String() {
		t.Errorf("the parts do not add up to the text: %.100q", got)
	}
	if got := Parts(strings.Repeat("x", 3*Longest)+"\nend", nil); len(got) != 2 || got[1].String() != "end" {
		t.Errorf("a long line: %d parts", len(got))
	}
	if got := Show("a\n\tb \r\n c", nil).Line().String(); got != "a b c" {
		t.Errorf("on one line: %q", got)
	}
}
