package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// Operation is a compiled operation.
type Operation struct {
	Steps []*Step
	// Retry runs all of the steps again when one is refused; nil is never.
	Retry *Retry
	// Return is the `return` of the operation, else of the resource; nil where the
	// last step's own result stands.
	Return *expr.Value
	// Broken says that there is a `return` and that it did not compile; Meant are
	// the properties that misspelt ones in it were for. Both were reported.
	Broken bool
	Meant  []string
}

// Stepless reports whether the operation has no step. The loader reported why;
// nothing is known of what such an operation yields.
func (o *Operation) Stepless() bool { return len(o.Steps) == 0 }

// MeansTo reports whether a property is in the operation's `return`, misspelt.
func (o *Operation) MeansTo(property string) bool {
	return o != nil && slices.Contains(o.Meant, property)
}

// Renames reports whether an update of an object, which it finds by what is
// recorded, sends it an input.
func (o *Operation) Renames(input string) bool {
	finds, sends := false, false
	for _, s := range o.Steps {
		for _, ref := range s.Refs() {
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

// YieldType is the type of what an operation yields.
func (o *Operation) YieldType() *spec.Type {
	if o.Return != nil {
		return o.Return.Type()
	}
	return Last(o.Steps).Yields()
}

// AsksByID reports whether an operation asks for the id, or for what was recorded.
func (o *Operation) AsksByID() bool {
	return slices.ContainsFunc(o.Steps, func(s *Step) bool {
		return slices.ContainsFunc(s.Refs(), func(ref expr.Ref) bool { return ref.Path[0] == "id" || ref.Path[0] == "state" })
	})
}

// Named is the index of the step of that name.
func (o *Operation) Named(name string) (index int, ok bool) {
	index = slices.IndexFunc(o.Steps, func(s *Step) bool { return s.Model.As == name })
	return index, index >= 0
}

// Shape is a short text that is another one where the operation has other steps:
// their names and actions, in order. What an action is given may differ.
func (o *Operation) Shape() string {
	sum := sha256.New()
	for _, s := range o.Steps {
		fmt.Fprintf(sum, "%q %q\n", s.Model.As, s.Action)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// MayEndHalfway reports whether a refusal may come after something was done: of another
// step, of another turn, or by the same step for another of its requests.
func (op *Operation) MayEndHalfway() bool {
	requests, more := 0, len(op.Steps) > 1
	for _, s := range op.Steps {
		requests += len(s.Asks)
		more = more || s.ForEach != nil || len(s.Asks) > 1
	}
	return more && requests > 0
}

// RelyOn are the steps of an operation that use what some of them gave, directly or
// through each other: once those are undone, their work belongs to what is gone.
func (o *Operation) RelyOn(some map[int]bool) map[int]bool {
	out := map[int]bool{}
	w := Wanting{Named: map[string]*Step{}}
	for i, s := range o.Steps {
		for _, ref := range s.Refs() {
			if of, _ := w.Of(o.Steps[:i], ref.Path); of != nil && (some[of.Index] || out[of.Index]) {
				out[i] = true
			}
		}
		if s.Model.As != "" {
			w.Named[s.Model.As] = s
		}
	}
	return out
}

// conditional reports whether an operation sends the ETag of the last read.
func (o *Operation) conditional() bool {
	return o != nil && slices.ContainsFunc(o.Steps, func(s *Step) bool {
		a, ok := s.Args["ifMatch"]
		if !ok || a.Value == nil {
			return false
		}
		v, known := a.Value.Const()
		return !known || v == true
	})
}

// Uses reports whether anything after a step refers to its result.
func (o *Operation) Uses(s *Step) bool {
	named := Wanting{Named: map[string]*Step{}}
	for _, other := range o.Steps {
		named.Named[other.Model.As] = other
	}
	refers := func(before []*Step) func(*expr.Value) bool {
		return func(v *expr.Value) bool {
			return v != nil && slices.ContainsFunc(v.Refs(), func(ref expr.Ref) bool {
				of, _ := named.Of(before, ref.Path)
				return of == s
			})
		}
	}
	for n, later := range o.Steps[s.Index+1:] {
		before := o.Steps[:s.Index+1+n]
		if slices.ContainsFunc(append(later.Templates(), later.ForEach), refers(before)) ||
			slices.ContainsFunc(later.OwnTemplates(), refers(append(slices.Clone(before), later))) {
			return true
		}
	}
	return refers(o.Steps)(o.Return)
}

// Recorded are the recorded properties that an operation's steps refer to by
// name, sorted; whole says that one refers to all of them.
func (o *Operation) Recorded(r *Resource) (out []string, whole bool) {
	for _, s := range o.Steps {
		for _, ref := range s.Refs() {
			if ref.Path[0] != "inputs" && ref.Path[0] != "state" {
				continue
			}
			if len(ref.Path) < 2 {
				whole = true
				continue
			}
			if name := ref.Path[1]; r.Inputs.ByName[name] != nil || r.Outputs.ByName[name] != nil {
				out = append(out, name)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out), whole
}

// Last is the last of a list; the zero value of an empty one.
func Last[T any](list []T) T {
	if len(list) == 0 {
		var none T
		return none
	}
	return list[len(list)-1]
}
