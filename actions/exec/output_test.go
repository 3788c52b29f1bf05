package exec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/declprov/declprov/actions"
)

// secrets masks these, as the engine does.
type secrets []string

func (s secrets) mask(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, "[secret]")
	}
	return text
}

func (s secrets) unfinished(text string) int {
	most := 0
	for _, secret := range s {
		for n := 1; n < len(secret) && n <= len(text); n++ {
			if strings.HasSuffix(text, secret[:n]) {
				most = max(most, n)
			}
		}
	}
	return most
}

// shown is what people see of chunks that come one by one.
func shown(hide secrets, chunks ...string) []string {
	var out []string
	call := &actions.Call{
		Mask: hide.mask, Unfinished: hide.unfinished, Progress: func(string) {},
		Log: func(text string, detail bool) {
			if detail {
				text = "detail: " + text
			}
			out = append(out, text)
		},
	}
	o := &output{call: call}
	o.stdout = stream{out: o, limit: tailSize, last: true, show: true}
	o.stderr = stream{out: o, limit: tailSize, last: true}
	for _, c := range chunks {
		s := &o.stdout
		if rest, ok := strings.CutPrefix(c, "err:"); ok {
			s, c = &o.stderr, rest
		}
		if _, err := s.Write([]byte(c)); err != nil {
			panic(err) // it never fails
		}
	}
	o.finish()
	return out
}

func TestShown(t *testing.T) {
	long := strings.Repeat("x", longestLine)
	for name, test := range map[string]struct {
		chunks, want []string
	}{
		"lines of a chunk":              {[]string{"a\nb\n"}, []string{"a\nb"}},
		"a line in pieces":              {[]string{"a", "b", "c\nd"}, []string{"abc", "d"}},
		"both":                          {[]string{"a", "err:b\n", "c\n"}, []string{"detail: b", "ac"}},
		"nothing":                       {[]string{"\n", "", "\n"}, nil},
		"a secret in pieces":            {[]string{"a hid", "den", "-secret b\n"}, []string{"a [secret] b"}},
		"a secret with colours":         {[]string{"a hidden-\x1b[01;31m\x1b[Ksec\x1b[m\x1b[Kret b\n"}, []string{"a [secret] b"}},
		"a secret of two lines":         {[]string{"a first\n", "second b\n"}, []string{"a [secret] b"}},
		"what only begins like one":     {[]string{"a first\n", "third\n"}, []string{"a first\nthird"}},
		"a beginning at the end":        {[]string{"a first\n"}, []string{"a first"}},
		"colours":                       {[]string{"\x1b[1;31mred\x1b[0m \x1b]0;title\x07x\n"}, []string{"red x"}},
		"what was written over":         {[]string{"10%\r50%\r100%\r\n"}, []string{"100%"}},
		"what is no text":               {[]string{"a\xff\x00\x07\u202eb\n"}, []string{"a\uFFFDb"}},
		"a line that is too long":       {[]string{long, long, "end\nnext\n"}, []string{long[:shownLine] + "…", "next"}},
		"which ends where it is cut":    {[]string{long + "\nnext\n"}, []string{long[:shownLine] + "…", "next"}},
		"a secret over the cut":         {[]string{long[:longestLine-3] + "hidden-secret\nnext\n"}, []string{long[:shownLine] + "…", "next"}},
		"a character where it is shown": {[]string{long[:shownLine-1] + "éé\n"}, []string{long[:shownLine-1] + "…"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := shown(secrets{"hidden-secret", "first\nsecond"}, test.chunks...)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestShownHasAnEnd(t *testing.T) {
	var chunks []string
	for i := range 4 * mostShown / shownLine {
		chunks = append(chunks, fmt.Sprintf("%d %s\n", i, strings.Repeat("x", shownLine-20)))
	}
	got := strings.Join(shown(nil, chunks...), "\n")
	if len(got) > mostShown+2*shownLine || !strings.HasSuffix(got, "(further output is not shown)") {
		t.Errorf("%d bytes are shown, and end in %q", len(got), got[len(got)-50:])
	}
}

// FuzzShown: however output is cut into chunks, no secret shows, and nothing that
// a terminal would obey.
func FuzzShown(f *testing.F) {
	const secret = "top-secret-42\nand more"
	f.Add("before "+secret+" after\n", uint8(3))
	f.Add("\x1b[31mx\r\n"+secret, uint8(1))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		text = strings.ReplaceAll(text, "@", secret)
		var chunks []string
		for rest := text; rest != ""; {
			n := min(len(rest), int(size)+1)
			chunks, rest = append(chunks, rest[:n]), rest[n:]
		}
		for _, line := range shown(secrets{secret}, chunks...) {
			if strings.Contains(line, secret) || strings.ContainsAny(line, "\x1b\r\x00\x07") {
				t.Errorf("%q shows %q", text, line)
			}
		}
	})
}

func TestKept(t *testing.T) {
	o := &output{call: &actions.Call{}}
	first := stream{out: o, limit: 10, hidden: true}
	last := stream{out: o, limit: 10, last: true, hidden: true}
	for i := range 100 {
		text := fmt.Sprintf("%02d|", i)
		for _, s := range []*stream{&first, &last} {
			if _, err := s.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := string(first.bytes()); got != "00|01|02|0" || first.size != 300 {
		t.Errorf("the first are %q, of %d", got, first.size)
	}
	if got := string(last.bytes()); got != "|97|98|99|" || last.size != 300 {
		t.Errorf("the last are %q, of %d", got, last.size)
	}
}
