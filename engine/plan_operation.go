package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// operation is a compiled operation.
type operation struct {
	steps []*step
	// retry runs all of the steps again when one is refused; nil is never.
	retry *retry
	// ret is the `return` of the operation, else of the resource; nil where the
	// last step's own result stands.
	ret *expr.Value
	// broken says that there is a `return` and that it did not compile; meant are
	// the properties that misspelt ones in it were for. Both were reported.
	broken bool
	meant  []string
}

// stepless reports whether the operation has no step. The loader reported why;
// nothing is known of what such an operation yields.
func (o *operation) stepless() bool { return len(o.steps) == 0 }

// meansTo reports whether a property is in the operation's `return`, misspelt.
func (o *operation) meansTo(property string) bool {
	return o != nil && slices.Contains(o.meant, property)
}

// renames reports whether an update of an object, which it finds by what is
// recorded, sends it an input.
func (o *operation) renames(input string) bool {
	finds, sends := false, false
	for _, s := range o.steps {
		for _, ref := range s.refs() {
			switch ref.Path[0] {
			case "id", "state":
				finds = true
			case "inputs", "changes":
				sends = sends || len(ref.Path) < 2 || ref.Path[1] == input
			}
		}
	}
	return finds && sends
}

// yieldType is the type of what an operation yields.
func (o *operation) yieldType() *spec.Type {
	if o.ret != nil {
		return o.ret.Type()
	}
	return last(o.steps).yields()
}

// asksByID reports whether an operation asks for the id, or for what was recorded.
func (o *operation) asksByID() bool {
	return slices.ContainsFunc(o.steps, func(s *step) bool {
		return slices.ContainsFunc(s.refs(), func(ref expr.Ref) bool { return ref.Path[0] == "id" || ref.Path[0] == "state" })
	})
}

// named is the index of the step of that name.
func (o *operation) named(name string) (index int, ok bool) {
	index = slices.IndexFunc(o.steps, func(s *step) bool { return s.model.As == name })
	return index, index >= 0
}

// shape is a short text that is another one where the operation has other steps:
// their names and actions, in order. What an action is given may differ.
func (o *operation) shape() string {
	sum := sha256.New()
	for _, s := range o.steps {
		fmt.Fprintf(sum, "%q %q\n", s.model.As, s.action)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// mayEndHalfway reports whether a refusal may come after something was done: of another
// step, of another turn, or by the same step for another of its requests.
func (op *operation) mayEndHalfway() bool {
	requests, more := 0, len(op.steps) > 1
	for _, s := range op.steps {
		requests += len(s.asks)
		more = more || s.forEach != nil || len(s.asks) > 1
	}
	return more && requests > 0
}

// relyOn are the steps of an operation that use what some of them gave, directly or
// through each other: once those are undone, their work belongs to what is gone.
func (o *operation) relyOn(some map[int]bool) map[int]bool {
	out := map[int]bool{}
	w := wanting{named: map[string]*step{}}
	for i, s := range o.steps {
		for _, ref := range s.refs() {
			if of, _ := w.of(o.steps[:i], ref.Path); of != nil && (some[of.index] || out[of.index]) {
				out[i] = true
			}
		}
		if s.model.As != "" {
			w.named[s.model.As] = s
		}
	}
	return out
}

// conditional reports whether an operation sends the ETag of the last read.
func (o *operation) conditional() bool {
	return o != nil && slices.ContainsFunc(o.steps, func(s *step) bool {
		a, ok := s.args["ifMatch"]
		if !ok || a.value == nil {
			return false
		}
		v, known := a.value.Const()
		return !known || v == true
	})
}

// uses reports whether anything after a step refers to its result.
func (o *operation) uses(s *step) bool {
	named := wanting{named: map[string]*step{}}
	for _, other := range o.steps {
		named.named[other.model.As] = other
	}
	refers := func(before []*step) func(*expr.Value) bool {
		return func(v *expr.Value) bool {
			return v != nil && slices.ContainsFunc(v.Refs(), func(ref expr.Ref) bool {
				of, _ := named.of(before, ref.Path)
				return of == s
			})
		}
	}
	for n, later := range o.steps[s.index+1:] {
		before := o.steps[:s.index+1+n]
		if slices.ContainsFunc(append(later.templates(), later.forEach), refers(before)) ||
			slices.ContainsFunc(later.ownTemplates(), refers(append(slices.Clone(before), later))) {
			return true
		}
	}
	return refers(o.steps)(o.ret)
}

// recorded are the recorded properties that an operation's steps refer to by
// name, sorted; whole says that one refers to all of them.
func (o *operation) recorded(r *resource) (out []string, whole bool) {
	for _, s := range o.steps {
		for _, ref := range s.refs() {
			if ref.Path[0] != "inputs" && ref.Path[0] != "state" {
				continue
			}
			if len(ref.Path) < 2 {
				whole = true
				continue
			}
			if name := ref.Path[1]; r.inputs.ByName[name] != nil || r.outputs.ByName[name] != nil {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), whole
}

// last is the last of a list; the zero value of an empty one.
func last[T any](list []T) T {
	if len(list) == 0 {
		var none T
		return none
	}
	return list[len(list)-1]
}
