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

// The limits of one evaluation.
const (
	// MaxWork is the maximum number of units of work. One unit is an item, or sixteen
	// bytes of text. At 25 nanoseconds per unit (see budget.Budget), the limit is half a
	// second; on slow machines and for expensive units, it may be a few seconds.
	MaxWork = 20_000_000
	// MaxText is the maximum length of a string that an evaluation creates, in bytes.
	MaxText = 16 << 20
	// maxTextTotal is the maximum total length of these strings.
	maxTextTotal = 64 << 20
	// MaxItems is the maximum length of a list that an evaluation creates, and of a
	// result.
	MaxItems = 1_000_000
	// listsInAll limits the total number of items in created lists, as a multiple of
	// the maximum length.
	listsInAll = 5
)

// Run is the state of one evaluation of a whole tree, including the remaining budget.
// All parts of the tree, and all functions that they call, share it.
type Run struct {
	budget.Budget
	text     int // bytes of the created strings
	items    int // items of the created lists
	results  int // values of the result so far
	Most     int // maximum number of values of a result or a list
	Given    map[string]any
	counted  bool // Most accounts for the number of input values
	readable int  // maximum number of values in decoded texts
	decoding *decode.Budget
	patterns map[string]*budget.Regexp
	vars     *Vars
}

// NewRun returns a run with a budget of work units, which ends with the context of
// vars.
func NewRun(vars *Vars, work int) *Run {
	r := &Run{}
	r.Begin(vars, work)
	return r
}

// Begin prepares a run for another evaluation.
func (r *Run) Begin(vars *Vars, work int) {
	var ctx context.Context
	if vars != nil {
		ctx = vars.Context
	}
	*r = Run{Most: MaxItems, vars: vars}
	if vars != nil {
		r.Most, r.readable, r.Given = max(MaxItems, vars.MaxValues), vars.MaxValues, vars.Values
	}
	r.Reset(ctx, work)
}

// TooMany reports whether n exceeds the maximum number of values of a result or a
// list. The number of values in the scope is always allowed, so that values read
// under a higher limit can be passed on.
func (r *Run) TooMany(n int) bool {
	if n > r.Most && !r.counted {
		r.Most, r.counted = max(r.Most, valuesIn(r.Given)), true
	}
	return n > r.Most
}

// valuesIn returns the number of values in a value, including itself.
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

// Size returns the error for a list that is too long.
func (r *Run) Size() error {
	return fmt.Errorf("the expression creates a list of more than %d items", r.Most)
}

// Spend charges n units of work. It is called before the work.
func (r *Run) Spend(n int) error {
	err := r.Budget.Spend(n)
	if err == budget.ErrSpent {
		return ErrWork
	}
	return err
}

// Read charges for reading strings.
func (r *Run) Read(texts ...string) error {
	n := 1
	for _, s := range texts {
		n += len(s) >> 4
	}
	return r.Spend(n)
}

// Grow charges for a string of n bytes. It is called before the string is created.
func (r *Run) Grow(n int) error {
	if n < 0 || n > MaxText {
		return ErrText
	}
	if r.text > maxTextTotal-n {
		return fmt.Errorf("the expression creates strings of more than %d MiB in total", maxTextTotal>>20)
	}
	r.text += n
	return r.Spend(n >> 4)
}

// Items charges for a list or map of n items. It is called before the list or map is
// created.
func (r *Run) Items(n int) error {
	if r.TooMany(n) {
		return r.Size()
	}
	if r.items += n; r.items > listsInAll*r.Most {
		return fmt.Errorf("the expression creates lists of more than %d items in total", listsInAll*r.Most)
	}
	return r.Spend(n)
}

// pattern compiles a regular expression once per evaluation.
func (r *Run) pattern(text string) (*budget.Regexp, error) {
	if re := r.patterns[text]; re != nil {
		return re, nil
	}
	re, err := types.Pattern(text)
	if err != nil {
		return nil, Faultf("%s is not a valid regular expression: %s", Quote(text), Quoted(err.Error()))
	}
	if r.patterns == nil {
		r.patterns = map[string]*budget.Regexp{}
	}
	r.patterns[text] = re
	return re, nil
}

// matches reports whether a string contains a match.
func (r *Run) matches(re *budget.Regexp, s string) (bool, error) {
	found, err := re.Match(&r.Budget, s)
	if err == budget.ErrSpent {
		err = ErrWork
	}
	return found, err
}

// RegexpArg returns a regular expression. A literal one is already compiled.
func (r *Run) RegexpArg(v any) (*budget.Regexp, error) {
	switch v := v.(type) {
	case *budget.Regexp:
		return v, nil
	case string:
		return r.pattern(v)
	default:
		return nil, Faultf("a regular expression must be a string, got %s", DescribeKind(v))
	}
}

// sortAtOnce is the number of keys that are sorted without checking the budget.
const sortAtOnce = 1 << 12

// SortedKeys returns the sorted keys of a map, which may be large.
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
		// After an error, all keys compare as equal, so that sorting ends soon.
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

// Decoded returns the budget for the values in all texts that the evaluation decodes.
func (r *Run) Decoded() *decode.Budget {
	if r.decoding == nil {
		r.decoding = decode.NewBudget(r.readable)
	}
	return r.decoding
}
