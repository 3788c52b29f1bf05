package ssh

import (
	"bytes"
	"strings"
	"testing"
)

// TestGroup checks that the output of a login shell and of the command are passed on, and the
// announcement is not, also if it is written in pieces.
func TestGroup(t *testing.T) {
	for _, before := range []string{"", "motd\n", "declprov 0 1\n"} {
		for size := 1; size < 60; size++ {
			var out bytes.Buffer
			g := newGroup(&out)
			all := before + strings.NewReplacer("echo '", "", "'$$ >&2", "4711").Replace(g.announcement()) + "err\nno end"
			for rest := []byte(all); len(rest) > 0; {
				n := min(size, len(rest))
				if m, err := g.Write(rest[:n]); m != n || err != nil {
					t.Fatal(m, err)
				}
				rest = rest[n:]
			}
			g.flush()
			if g.leader(0) != 4711 || out.String() != before+"err\nno end" {
				t.Fatalf("in pieces of %d: group %d, %q", size, g.leader(0), out.String())
			}
		}
	}
	for _, text := range []string{"", "no mark", strings.Repeat("x", maxPending+2)} {
		var out bytes.Buffer
		g := newGroup(&out)
		g.Write([]byte(text))
		g.flush()
		if g.leader(0) != 0 || out.String() != text {
			t.Errorf("group %d, %.20q of %d", g.leader(0), out.String(), out.Len())
		}
	}
}
