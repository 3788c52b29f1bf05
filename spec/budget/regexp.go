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

// maxSteps is the largest program that a regular expression may compile to. A
// thousand bytes of nested repetitions would be hundreds of thousands.
const maxSteps = 50_000

// atOnce is how many steps a match may take that is not interrupted: some
// milliseconds.
const atOnce = 1 << 19

// Regexp is a regular expression of bounded size, whose matching spends from a
// budget. It is safe for concurrent use.
type Regexp struct {
	*regexp.Regexp
	// steps is how long its program is: what a character costs at most.
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
		return nil, fmt.Errorf("its repetitions make a program of more than %d steps; repeat less, or in fewer levels", maxSteps)
	}
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "error parsing regexp: "))
	}
	return &Regexp{Regexp: re, steps: steps}, nil
}

// MustCompile is Compile for a regular expression that was compiled before. It panics
// on others.
func MustCompile(text string) *Regexp {
	re, err := Compile(text)
	if err != nil {
		panic(err)
	}
	return re
}

// programSize estimates how many instructions a tree compiles to, without
// compiling it: a repetition is as many copies.
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

// Match reports whether the text holds a match. It spends as it reads, and stops
// when there is nothing left to spend.
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
	// Each state of the machine carries the groups along.
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

// quick reports whether a match is over before anybody could want to stop it.
func (re *Regexp) quick(b *Budget, s string, weight int) bool {
	return b == nil || len(s) <= atOnce/(re.steps*weight)
}

// cost is what a character costs: in the worst case every step of the program is
// looked at for it.
func (re *Regexp) cost(weight int) int { return 1 + re.steps*weight>>4 }

// reader hands a text to the regular expression machine, rune by rune, and ends it
// early where the budget does: the machine itself cannot be interrupted.
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
