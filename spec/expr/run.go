package expr

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
	// maxWork is how many items and sixteenths of bytes an evaluation goes
	// over, all in all: well under a second.
	maxWork = 20_000_000
	// maxText is the most bytes of a string that an evaluation makes.
	maxText = 16 << 20
	// maxTextTotal is the most bytes of all strings that it makes.
	maxTextTotal = 64 << 20
	// maxItems is the most items of a list that it makes, and of a result.
	maxItems = 1_000_000
	// listsInAll is how many lists of the most items it makes.
	listsInAll = 5
)

// run is the state of one evaluation of a whole tree: what it may still use. All
// parts of the tree, and all that is called in them, spend from it.
type run struct {
	budget.Budget
	text     int // bytes of the strings that were made
	made     int // items of the lists that were made
	left     int // values of the result that have left so far
	most     int // values that a result or a list may have
	given    map[string]any
	counted  bool // most is known to be as much as what was given
	readable int  // values that texts may have
	decoding *decode.Budget
	patterns map[string]*budget.Regexp
}

// newRun is a run that may spend so much, and ends with the context of vars.
func newRun(vars *Vars, work int) *run {
	r := &run{}
	r.begin(vars, work)
	return r
}

func (r *run) begin(vars *Vars, work int) {
	var ctx context.Context
	if vars != nil {
		ctx = vars.Context
	}
	*r = run{most: maxItems}
	if vars != nil {
		r.most, r.readable, r.given = max(maxItems, vars.MaxValues), vars.MaxValues, vars.Values
	}
	r.Reset(ctx, work)
}

// tooMany reports whether so many values are more than a result or a list may have. As
// many as the scope has are not: what was read under a higher limit can be handed on.
func (r *run) tooMany(n int) bool {
	if n > r.most && !r.counted {
		r.most, r.counted = max(r.most, valuesIn(r.given)), true
	}
	return n > r.most
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

// size is the error of a list that is too long.
func (r *run) size() error {
	return fmt.Errorf("the expression makes a list of more than %d items", r.most)
}

// spend counts n units of work, before they are done.
func (r *run) spend(n int) error {
	err := r.Budget.Spend(n)
	if err == budget.ErrSpent {
		return errWork
	}
	return err
}

// read counts the bytes of strings that are gone over.
func (r *run) read(texts ...string) error {
	n := 1
	for _, s := range texts {
		n += len(s) >> 4
	}
	return r.spend(n)
}

// grow counts n bytes of a string that is about to be made.
func (r *run) grow(n int) error {
	if n < 0 || n > maxText {
		return errText
	}
	if r.text > maxTextTotal-n {
		return fmt.Errorf("the expression makes strings of more than %d MiB in all", maxTextTotal>>20)
	}
	r.text += n
	return r.spend(n >> 4)
}

// items counts n items of a list or map that is about to be made.
func (r *run) items(n int) error {
	if r.tooMany(n) {
		return r.size()
	}
	if r.made += n; r.made > listsInAll*r.most {
		return fmt.Errorf("the expression makes lists of more than %d items in all", listsInAll*r.most)
	}
	return r.spend(n)
}

// pattern compiles a regular expression once an evaluation.
func (r *run) pattern(text string) (*budget.Regexp, error) {
	if re := r.patterns[text]; re != nil {
		return re, nil
	}
	re, err := types.Pattern(text)
	if err != nil {
		return nil, faultf("%s is no regular expression: %s", quote(text), quoted(err.Error()))
	}
	if r.patterns == nil {
		r.patterns = map[string]*budget.Regexp{}
	}
	r.patterns[text] = re
	return re, nil
}

// matches reports whether a text holds a match.
func (r *run) matches(re *budget.Regexp, s string) (bool, error) {
	found, err := re.Match(&r.Budget, s)
	if err == budget.ErrSpent {
		err = errWork
	}
	return found, err
}

// regexpArg is a regular expression, compiled before where it is a literal.
func (r *run) regexpArg(v any) (*budget.Regexp, error) {
	switch v := v.(type) {
	case *budget.Regexp:
		return v, nil
	case string:
		return r.pattern(v)
	default:
		return nil, faultf("a regular expression must be a string, and this is %s", describeKind(v))
	}
}

// sortAtOnce is how many keys are sorted without a look at the budget.
const sortAtOnce = 1 << 12

// sortedKeys are the keys of a map that may be large.
func (r *run) sortedKeys(m map[string]any) ([]string, error) {
	if err := r.items(len(m)); err != nil {
		return nil, err
	}
	if len(m) <= sortAtOnce {
		return slices.Sorted(maps.Keys(m)), r.spend(3 * len(m))
	}
	keys := slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
	var failed error
	slices.SortFunc(keys, func(a, b string) int {
		// A comparison that fails makes all others equal, so that it ends soon.
		if failed != nil {
			return 0
		}
		if failed = r.spend(1 + min(len(a), len(b))>>4); failed != nil {
			return 0
		}
		return strings.Compare(a, b)
	})
	return keys, failed
}

// decoded counts the values that the evaluation's texts stand for, all together.
func (r *run) decoded() *decode.Budget {
	if r.decoding == nil {
		r.decoding = decode.NewBudget(r.readable)
	}
	return r.decoding
}
