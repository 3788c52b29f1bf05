package budget

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// maxSteps is the maximum size of the program of a regular expression. A thousand
// bytes of nested repetitions could compile to hundreds of thousands of steps.
const maxSteps = 50_000

// atOnce is the maximum number of steps of a match that is not interrupted, which
// corresponds to a few milliseconds.
const atOnce = 1 << 19

// Regexp is a regular expression of limited size, whose matches are charged to a
// budget. It is safe for concurrent use.
type Regexp struct {
	*regexp.Regexp
	// steps is the size of its program, and the maximum cost per character.
	steps int
}

// Compile compiles a regular expression (RE2).
func Compile(text string) (*Regexp, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	steps := programSize(tree)
	if steps > maxSteps {
		return nil, fmt.Errorf("its repetitions compile to more than %d steps; reduce the counts or the nesting", maxSteps)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return &Regexp{Regexp: re, steps: steps}, nil
}

// MustCompile is like Compile, for a regular expression that is known to be valid. It
// panics on an error.
func MustCompile(text string) *Regexp {
	re, err := Compile(text)
	if err != nil {
		panic(err)
	}
	return re
}

// programSize estimates the number of instructions that a tree compiles to, without
// compiling it. A repetition compiles to that many copies.
func programSize(re *syntax.Regexp) int {
	size := 2
	for _, sub := range re.Sub {
		size = min(size+programSize(sub), 2*maxSteps)
	}
	switch re.Op {
	case syntax.OpLiteral:
		size += len(re.Rune)
	case syntax.OpRepeat:
		size = min(size*max(re.Min+1, re.Max, 1), 2*maxSteps)
	}
	return size
}

// Match reports whether the string contains a match. It charges while it reads, and
// stops when the budget is used up.
func (re *Regexp) Match(b *Budget, s string) (bool, error) {
	if err := b.Spend(1 + len(s)>>4); err != nil {
		return false, err
	}
	if re.quick(b, s, 1) {
		return re.MatchString(s), b.Spend(re.cost(1) * len(s))
	}
	in := &reader{text: s, budget: b, cost: re.cost(1)}
	found := re.MatchReader(in)
	return found, in.err
}

// Find returns the leftmost match and its groups, as FindStringSubmatch does.
func (re *Regexp) Find(b *Budget, s string) ([]string, error) {
	if err := b.Spend(1 + len(s)>>4); err != nil {
		return nil, err
	}
	// Each state of the machine includes the groups.
	weight := 1 + (re.NumSubexp()+1)/4
	if re.quick(b, s, weight) {
		return re.FindStringSubmatch(s), b.Spend(re.cost(weight) * len(s))
	}
	in := &reader{text: s, budget: b, cost: re.cost(weight)}
	at := re.FindReaderSubmatchIndex(in)
	if at == nil || in.err != nil {
		return nil, in.err
	}
	out := make([]string, len(at)/2)
	for i := range out {
		if from := at[2*i]; from >= 0 {
			out[i] = s[from:at[2*i+1]]
		}
	}
	return out, nil
}

// quick reports whether a match is fast enough not to require interruption.
func (re *Regexp) quick(b *Budget, s string, weight int) bool {
	return b == nil || len(s) <= atOnce/(re.steps*weight)
}

// cost returns the maximum cost per character: every step of the program is executed.
func (re *Regexp) cost(weight int) int { return 1 + re.steps*weight>>4 }

// reader passes a string to the regular expression machine, rune by rune, and ends it
// early when the budget is used up. The machine itself cannot be interrupted.
type reader struct {
	text   string
	at     int
	budget *Budget
	cost   int
	err    error
}

func (r *reader) ReadRune() (rune, int, error) {
	if r.at >= len(r.text) {
		return 0, 0, io.EOF
	}
	if r.err = r.budget.Spend(r.cost); r.err != nil {
		r.at = len(r.text)
		return 0, 0, io.EOF
	}
	c, size := utf8.DecodeRuneInString(r.text[r.at:])
	r.at += size
	return c, size, nil
}
