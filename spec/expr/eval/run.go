package eval

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec/budget"
	"github.com/declprov/declprov/spec/decode"
	"github.com/declprov/declprov/spec/types"
)

// Limits of one evaluation.
const (
	// MaxWork is how many items and sixteenths of bytes an evaluation goes
	// over, all in all: well under a second.
	MaxWork = 20_000_000
	// MaxText is the most bytes of a string that an evaluation makes.
	MaxText = 16 << 20
	// maxTextTotal is the most bytes of all strings that it makes.
	maxTextTotal = 64 << 20
	// MaxItems is the most items of a list that it makes, and of a result.
	MaxItems = 1_000_000
	// listsInAll is how many lists of the most items it makes.
	listsInAll = 5
)

// Run is the state of one evaluation of a whole tree: what it may still use. All
// parts of the tree, and all that is called in them, spend from it.
type Run struct {
	budget.Budget
	text     int // bytes of the strings that were made
	made     int // items of the lists that were made
	left     int // values of the result that have left so far
	Most     int // values that a result or a list may have
	Given    map[string]any
	counted  bool // most is known to be as much as what was given
	readable int  // values that texts may have
	decoding *decode.Budget
	patterns map[string]*budget.Regexp
}

// NewRun returns a run that may spend so much, and ends with the context of vars.
func NewRun(vars *Vars, work int) *Run {
	r := &Run{}
	r.Begin(vars, work)
	return r
}

// Begin makes a run ready for another evaluation.
func (r *Run) Begin(vars *Vars, work int) {
	var ctx context.Context
	if vars != nil {
		ctx = vars.Context
	}
	*r = Run{Most: MaxItems}
	if vars != nil {
		r.Most, r.readable, r.Given = max(MaxItems, vars.MaxValues), vars.MaxValues, vars.Values
	}
	r.Reset(ctx, work)
}

// TooMany reports whether so many values are more than a result or a list may have. As
// many as the scope has are not: what was read under a higher limit can be handed on.
func (r *Run) TooMany(n int) bool {
	if n > r.Most && !r.counted {
		r.Most, r.counted = max(r.Most, valuesIn(r.Given)), true
	}
	return n > r.Most
}

// valuesIn counts the values that are in a value, and it.
func valuesIn(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			n += valuesIn(item)
		}
	case map[string]any:
		for _, member := range v {
			n += valuesIn(member)
		}
	}
	return n
}

// Size returns the error of a list that is too long.
func (r *Run) Size() error {
	return fmt.Errorf("the expression makes a list of more than %d items", r.Most)
}

// Spend counts n units of work, before they are done.
func (r *Run) Spend(n int) error {
	err := r.Budget.Spend(n)
	if err == budget.ErrSpent {
		return ErrWork
	}
	return err
}

// Read counts the bytes of strings that are gone over.
func (r *Run) Read(texts ...string) error {
	n := 1
	for _, s := range texts {
		n += len(s) >> 4
	}
	return r.Spend(n)
}

// Grow counts n bytes of a string that is about to be made.
func (r *Run) Grow(n int) error {
	if n < 0 || n > MaxText {
		return ErrText
	}
	if r.text > maxTextTotal-n {
		return fmt.Errorf("the expression makes strings of more than %d MiB in all", maxTextTotal>>20)
	}
	r.text += n
	return r.Spend(n >> 4)
}

// Items counts n items of a list or map that is about to be made.
func (r *Run) Items(n int) error {
	if r.TooMany(n) {
		return r.Size()
	}
	if r.made += n; r.made > listsInAll*r.Most {
		return fmt.Errorf("the expression makes lists of more than %d items in all", listsInAll*r.Most)
	}
	return r.Spend(n)
}

// pattern compiles a regular expression once an evaluation.
func (r *Run) pattern(text string) (*budget.Regexp, error) {
	if re := r.patterns[text]; re != nil {
		return re, nil
	}
	re, err := types.Pattern(text)
	if err != nil {
		return nil, Faultf("%s is no regular expression: %s", Quote(text), Quoted(err.Error()))
	}
	if r.patterns == nil {
		r.patterns = map[string]*budget.Regexp{}
	}
	r.patterns[text] = re
	return re, nil
}

// matches reports whether a text holds a match.
func (r *Run) matches(re *budget.Regexp, s string) (bool, error) {
	found, err := re.Match(&r.Budget, s)
	if err == budget.ErrSpent {
		err = ErrWork
	}
	return found, err
}

// RegexpArg returns a regular expression, compiled before where it is a literal.
func (r *Run) RegexpArg(v any) (*budget.Regexp, error) {
	switch v := v.(type) {
	case *budget.Regexp:
		return v, nil
	case string:
		return r.pattern(v)
	default:
		return nil, Faultf("a regular expression must be a string, and this is %s", DescribeKind(v))
	}
}

// sortAtOnce is how many keys are sorted without a look at the budget.
const sortAtOnce = 1 << 12

// SortedKeys returns the keys of a map that may be large.
func (r *Run) SortedKeys(m map[string]any) ([]string, error) {
	if err := r.Items(len(m)); err != nil {
		return nil, err
	}
	if len(m) <= sortAtOnce {
		return slices.Sorted(maps.Keys(m)), r.Spend(3 * len(m))
	}
	keys := slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
	var failed error
	slices.SortFunc(keys, func(a, b string) int {
		// A comparison that fails makes all others equal, so that it ends soon.
		if failed != nil {
			return 0
		}
		if failed = r.Spend(1 + min(len(a), len(b))>>4); failed != nil {
			return 0
		}
		return strings.Compare(a, b)
	})
	return keys, failed
}

// Decoded counts the values that the evaluation's texts stand for, all together.
func (r *Run) Decoded() *decode.Budget {
	if r.decoding == nil {
		r.decoding = decode.NewBudget(r.readable)
	}
	return r.decoding
}
