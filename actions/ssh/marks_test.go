package ssh

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestMarks checks that marks, and what comes before the first one, are no output, and that
// everything else is, also if it is written in pieces.
func TestMarks(t *testing.T) {
	const prefix = "\x1edeclprov 12 "
	for _, tt := range []struct {
		text, out, before string
		marks             []string
	}{
		{"", "", "", nil},
		{"no mark", "", "no mark", nil},
		{prefix + "start 1 group\nout", "out", "", []string{"start 1 group"}},
		{"motd\n\x1e" + prefix + "start 1\n\x1edeclprov 13 start\n\x00\xff\x1e", "\x1edeclprov 13 start\n\x00\xff\x1e", "motd\n\x1e", []string{"start 1"}},
		{prefix + "start 1\n" + prefix + "start 1\na" + prefix + "exit 3\nlater", "a", "", []string{"start 1", "start 1", "exit 3"}},
		{prefix + "start 1\nno such" + prefix + "fail 127\n", "no such", "", []string{"start 1", "fail 127"}},
		{prefix + "start 1\n" + prefix + "\na" + prefix + "exit", "a" + prefix + "exit", "", []string{"start 1"}},
		{strings.Repeat("x", maxBefore+2), "", strings.Repeat("x", maxBefore), nil},
	} {
		for size := 1; size < 60; size++ {
			var out bytes.Buffer
			var marks []string
			m := newMarkedStream("12", &out, func(words []string) { marks = append(marks, strings.Join(words, " ")) })
			for rest := []byte(tt.text); len(rest) > 0; {
				n := min(size, len(rest))
				if got, err := m.Write(rest[:n]); got != n || err != nil {
					t.Fatal(got, err)
				}
				rest = rest[n:]
			}
			m.flush()
			if diff := cmp.Diff([]any{tt.out, tt.before, tt.marks}, []any{out.String(), m.said(), marks}); diff != "" {
				t.Fatalf("%.80q in pieces of %d (-want +got):\n%.2000s", tt.text, size, diff)
			}
		}
	}
}

func TestLeader(t *testing.T) {
	stat := "7 (a b) (c)) S 1 2 3 0 -1 4194304 92 0 0 0 0 0 0 0 20 0 1 0 1459131 2654208"
	for text, want := range map[string]leader{
		"start 7 group boot " + stat: {7, true, "boot", "1459131"},
		"start 7 none -":             {7, false, "-", ""},
		"start 7":                    {},
		"start x group - (":          {0, true, "-", ""},
	} {
		if got := parseLeader(strings.Fields(text)); got != want {
			t.Errorf("%s: %+v", text, got)
		}
	}
}
