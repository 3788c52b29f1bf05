package budget

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSpend(t *testing.T) {
	b := New(context.Background(), 10)
	for range 10 {
		if err := b.Spend(1); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{1, -1, int(^uint(0) >> 1)} {
		if err := b.Spend(n); !errors.Is(err, ErrSpent) {
			t.Errorf("Spend(%d): %v", n, err)
		}
	}
	if b.Used() != 10 {
		t.Errorf("used %d", b.Used())
	}
	var none *Budget
	if err := errors.Join(none.Spend(1<<40), none.Poll()); err != nil {
		t.Error(err)
	}
}

func TestSpendSeesTheEndOfItsContext(t *testing.T) {
	cause := errors.New("the cause")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	b := New(ctx, 1<<30)
	spent := 0
	for ; spent <= 2*pollEvery; spent++ {
		if err := b.Spend(1); err != nil {
			if !errors.Is(err, cause) {
				t.Error(err)
			}
			break
		}
	}
	if spent > pollEvery {
		t.Errorf("%d units were spent", spent)
	}
	// What is begun at once costs all at once.
	if err := New(ctx, 1<<30).Spend(pollEvery); !errors.Is(err, cause) {
		t.Error(err)
	}
}

// TestRegexpsMatchLikeGo checks that matching a string in pieces gives the same
// result as matching it as a whole.
func TestRegexpsMatchLikeGo(t *testing.T) {
	patterns := []string{
		`^a*b$`, `(?P<x>a+)(?P<y>b)?`, `\bab\b`, `(?i)A|é`, `a{2,5}?`, ``, `$`, `^$`, `(?s).`, `.`, `(?m)^b$`, `(a|ab)(c|bcd)(d*)`, `\x{fffd}`, `[^a]+`, `^\pL+\z`, `(?:(?:a?){10}){10}b`,
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(patterns).Draw(t, "pattern")
		s := string(rapid.SliceOfN(rapid.SampledFrom([]byte("aabbcd \n\xc3\xa9\xffA")), 0, 60).Draw(t, "text"))
		re, err := Compile(text)
		if err != nil {
			t.Fatal(err)
		}
		slow := *re
		slow.steps = 2 * atOnce // nothing of it at once
		want := regexp.MustCompile(text).FindStringSubmatch(s)
		for _, re := range []*Regexp{re, &slow} {
			matched, err := re.Match(New(context.Background(), 1<<40), s)
			if err != nil || matched != (want != nil) {
				t.Errorf("Match: %t, %v", matched, err)
			}
			groups, err := re.Find(New(context.Background(), 1<<40), s)
			if diff := cmp.Diff(want, groups); diff != "" || err != nil {
				t.Error(diff, err)
			}
		}
	})
}

// hostile are short regular expressions that are expensive to match.
var hostile = map[string]struct{ pattern, text string }{
	"nested":             {`(((a?){30}){30})$`, "a"},
	"nested star":        {`(?:(?:a|b)*c?){500}d`, "ab"},
	"counted classes":    {strings.Repeat(`\pL{0,900}`, 10) + "!", "aé"},
	"dots":               {strings.Repeat(`.{0,900}`, 10) + "!", "x"},
	"folded":             {`(?i)(` + strings.Repeat("k|", 40) + `s){0,400}\z`, "ſK"},
	"many alternatives":  {`(` + strings.Repeat("a?a|", 200) + `b)+$`, "a"},
	"captures":           {strings.Repeat(`(a?)`, 200) + "!", "a"},
	"unanchored counted": {`[ab]{900}c`, "ab"},
}

// TestRegexpsStop checks that each match of a long string ends soon after its
// context, or by its budget.
func TestRegexpsStop(t *testing.T) {
	for name, test := range hostile {
		t.Run(name, func(t *testing.T) {
			re, err := Compile(test.pattern)
			if err != nil {
				t.Fatal(err)
			}
			s := strings.Repeat(test.text, 4<<20)
			for what, match := range map[string]func(*Budget, string) error{
				"Match": func(b *Budget, s string) error { _, err := re.Match(b, s); return err },
				"Find":  func(b *Budget, s string) error { _, err := re.Find(b, s); return err },
			} {
				// The text is short, so that what does not spend fails here and does not hang.
				if err := match(New(context.Background(), 1<<18), s[:64<<10]); !errors.Is(err, ErrSpent) {
					t.Fatalf("%s of little budget: %v", what, err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
				start := time.Now()
				err := match(New(ctx, 1<<60), s)
				cancel()
				if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > time.Minute {
					t.Errorf("%s: %v after %s", what, err, took)
				}
			}
		})
	}
}

// TestRegexpsOfHostileSize checks that no regular expression of a thousand bytes
// takes long to compile, or compiles to a large program.
func TestRegexpsOfHostileSize(t *testing.T) {
	for _, text := range []string{
		strings.Repeat(`\pL{1000}`, 110), `((((((((((a{10}){10}){10})))))))){1}`, strings.Repeat("(", 500) + strings.Repeat("){2}", 1),
		`(?i)` + strings.Repeat(`[\pL\pN\pM]{999}`, 60), `((a{31}){31}){1}`, strings.Repeat("(a{0,30}){0,30}", 60), `a{1001}`, `(x`,
		strings.Repeat("(?:", 200) + "a" + strings.Repeat("){2}", 200),
	} {
		start := time.Now()
		re, err := Compile(text)
		if took := time.Since(start); took > time.Minute {
			t.Errorf("%.40s took %s: %v", text, took, err)
		}
		if err == nil && re.steps > maxSteps {
			t.Errorf("%.40s has %d steps", text, re.steps)
		}
	}
}

// TestProgramSize checks that the estimate is not below the size of the compiled
// program.
func TestProgramSize(t *testing.T) {
	for text, least := range map[string]int{`a{100}`: 100, `(a{10}){10}`: 100, `a*`: 1, `[a-z]{1,63}(\.[a-z]{1,63}){0,9}`: 1200, `(ab|c){3,7}`: 20} {
		re, err := Compile(text)
		if err != nil || re.steps < least {
			t.Errorf("%s: %+v, %v", text, re, err)
		}
	}
	if _, err := Compile(`([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.){0,12}[a-z]+`); err != nil {
		t.Error("a host name:", err)
	}
}

func BenchmarkMatch(b *testing.B) {
	re, err := Compile(`^[a-z][a-z0-9-]*$`)
	if err != nil {
		b.Fatal(err)
	}
	for _, n := range []int{12, 1 << 20} {
		s := strings.Repeat("a", n)
		b.Run(fmt.Sprint(n, " alone"), func(b *testing.B) {
			for b.Loop() {
				re.MatchString(s)
			}
		})
		b.Run(fmt.Sprint(n, " of a budget"), func(b *testing.B) {
			for b.Loop() {
				if _, err := re.Match(New(b.Context(), 1<<40), s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
