package compile

import (
	"fmt"
	"maps"
	"slices"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr"
)

// markUses marks which members of the results of its steps an operation uses: in the steps, the id
// and `return`; without a `return`, the properties take the members of their names from the last
// result. It returns the inputs that the operation shows to others.
func markUses(op *plan.Operation, id *expr.Value, properties ...*spec.Type) (sinks []plan.Sink) {
	if op == nil || op.Stepless() {
		return nil
	}
	for i, s := range op.Steps {
		plan.MarkUsedBy(s, op.Steps[:i])
		sinks = append(sinks, stepSinks(s)...)
		for n, u := range s.Undo {
			plan.MarkUsedBy(u, slices.Concat(op.Steps[:i+1], s.Undo[:n]))
			sinks = append(sinks, stepSinks(u)...)
		}
	}
	plan.MarkUsed(op.Steps, id)
	last := plan.Last(op.Steps)
	switch {
	case op.Return != nil:
		plan.MarkUsed(op.Steps, op.Return)
	case last.Yield != "":
		last.MarkUsed([]string{last.Yield})
	default:
		for _, t := range properties {
			for _, p := range t.Fields {
				last.Used[p.Name] = true
			}
		}
	}
	return sinks
}

// stepSinks returns the inputs that a step shows to others: Check refuses secrets in them.
func stepSinks(s *plan.Step) []plan.Sink {
	var sinks []plan.Sink
	for _, name := range slices.Sorted(maps.Keys(s.Args)) {
		a := s.Args[name]
		for _, v := range a.Exposes {
			sinks = append(sinks, sinksOf(v, s.ForEach, fmt.Sprintf("argument %q of %s", a.Decl.Name, s.Action))...)
		}
	}
	if s.Progress != nil {
		sinks = append(sinks, sinksOf(s.Progress, s.ForEach, "progress")...)
	}
	return sinks
}

// sinksOf returns the inputs that a template shows to others. In a loop over an input, each.value
// is an element of that input.
func sinksOf(v, forEach *expr.Value, what string) []plan.Sink {
	var sinks []plan.Sink
	for _, ref := range v.Refs() {
		switch {
		case ref.Path[0] == "inputs":
			sinks = append(sinks, plan.Sink{Path: ref.Path[1:], What: what})
		case ref.Path[0] == "each" && forEach != nil && len(ref.Path) > 1 && ref.Path[1] == "value":
			// Which elements a computed list has is checked when it runs.
			if pieces := forEach.Segments(); len(pieces) == 1 && len(pieces[0].Ref) > 0 && pieces[0].Ref[0] == "inputs" {
				sinks = append(sinks, plan.Sink{Path: slices.Concat(pieces[0].Ref[1:], []string{"*"}, ref.Path[2:]), What: what})
			}
		}
	}
	return sinks
}
