package exec

import (
	"fmt"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/spec"
)

// others stands for all exit codes that are not listed elsewhere.
const others = "others"

// exitCodes says what the exit codes of a command mean.
type exitCodes struct {
	OK      codeSet `arg:"ok"`
	Gone    codeSet `arg:"gone"`
	Refused codeSet `arg:"refused"`
}

// codeSet is a list of exit codes, or all that are not listed elsewhere.
type codeSet struct {
	listed []int
	others bool
}

// ReadArgument reads a list, or "others". Without a value, the set keeps its default.
func (s *codeSet) ReadArgument(v any) error {
	switch v := v.(type) {
	case nil:
		return nil
	case string:
		*s = codeSet{others: v == others}
		return nil
	case []any:
		*s = codeSet{}
		for _, item := range v {
			code, ok := item.(int64)
			if !ok {
				return fmt.Errorf("expected an exit code, got %s", actions.KindOf(item))
			}
			s.listed = append(s.listed, int(code))
		}
		return nil
	default:
		return fmt.Errorf("expected a list of exit codes, got %s", actions.KindOf(v))
	}
}

// meaning is what an exit code means.
type meaning uint8

const (
	meansFailed meaning = iota
	meansOK
	meansGone
	meansRefused
)

// of returns what an exit code means.
func (e exitCodes) of(code int) meaning {
	for _, listed := range []bool{true, false} {
		for _, set := range []struct {
			codeSet
			means meaning
		}{{e.Gone, meansGone}, {e.OK, meansOK}, {e.Refused, meansRefused}} {
			if listed && slices.Contains(set.listed, code) || !listed && set.others {
				return set.means
			}
		}
	}
	return meansFailed
}

// exitCodesArg returns the argument that says what exit codes mean.
func exitCodesArg() actions.Arg {
	codes := func() *spec.Type {
		return declare.Either(declare.List(declare.Between("0", "255")), declare.OneOf(others))
	}
	return declare.Arg("exitCodes", declare.Object(
		declare.Field("ok", codes(), "Exit codes that mean success. Default: 0."),
		declare.Field("gone", codes(), "Exit codes that mean that the object does not exist."),
		declare.Field("refused", codes(), "Exit codes that mean that the command had no effect."),
	), "Meaning of exit codes; `\"others\"` stands for all that are not listed. An exit code without a meaning is an error after which the command may have had an effect.")
}

// checkExitCodes reports several sets of all other codes, and codes with two meanings.
func checkExitCodes(n *spec.Node, fail failer) {
	first, meanings := "", map[string]string{}
	for _, key := range []string{"ok", "gone", "refused"} {
		set := n.Get(key)
		if set == nil {
			continue
		}
		if set.Kind == spec.StringNode && set.Text == others {
			if first != "" {
				fail("exitCodes", key, fmt.Sprintf("both %s and %s are all other exit codes", first, key), "List the exit codes of one of them.")
			}
			first = key
		}
		for _, item := range set.Items {
			if before := meanings[item.Text]; before != "" && before != key {
				fail("exitCodes", key, fmt.Sprintf("exit code %s is %s and %s", item.Text, before, key), "Remove it from one of the lists.")
			}
			meanings[item.Text] = key
		}
	}
}
