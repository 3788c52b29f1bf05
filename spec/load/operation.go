package load

import (
	"fmt"
	"slices"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/names"
)

// stepReader reads operations, and what is made of them.
type stepReader struct{ *dataReader }

// operation reads one step, or `steps`, with `return`.
func (r *stepReader) operation(it walk.Item, p source.Place, undo bool) *spec.Operation {
	if r.Broken(it, p) {
		return nil
	}
	op := &spec.Operation{Range: it.At}
	if r.Kind(it) == cue.ListKind {
		r.Report(source.CodeWrongShape, it.At, p, "an operation of several steps is written steps: […]", fmt.Sprintf("Write %s: steps: [ … ].", it.Name))
		return nil
	}
	if r.Kind(it) != cue.StructKind {
		r.WrongShape(it, p, "a step, or steps: […]")
		return nil
	}
	members := r.Values(it)
	if slices.ContainsFunc(members, func(m walk.Item) bool { return m.Name == "steps" }) {
		r.stepList(members, p, undo, op)
		return op
	}
	returned := func(m walk.Item) bool {
		if m.Name == "return" {
			r.keep(m, p, block.Operation.Key(m.Name), op)
			return true
		}
		return false
	}
	if step := r.stepWith(it, p, undo, returned, []string{"steps", "return"}); step != nil {
		op.Steps = []*spec.Step{step}
		r.stepNames(op.Steps, p)
	}
	return op
}

// find reads the operation that looks for what a create made. `first: false` says
// that it is not asked before the create sends anything.
func (r *stepReader) find(it walk.Item, p source.Place) *spec.Operation {
	if r.Broken(it, p) || r.Kind(it) != cue.StructKind {
		return r.operation(it, p, false)
	}
	first := true
	var returned *spec.Node
	op := r.operationWith(it, p, func(m walk.Item) bool {
		switch m.Name {
		case "first":
			first = r.bool(m, p.Member("first"))
		case "return":
			returned = r.node(m, p.Member("return").AddContext("return"))
		default:
			return false
		}
		return true
	}, block.Find.Names())
	if op == nil {
		r.Report(source.CodeMissingKey, it.NameAt, p, "find has no step", "Give it the action that looks for what a create made, such as http: path: \"/pets\".")
		return nil
	}
	op.Return, op.NotFirst = returned, !first
	return op
}

// stepList reads an operation of several steps.
func (r *stepReader) stepList(members []walk.Item, p source.Place, undo bool, op *spec.Operation) {
	op.Listed = true
	for _, m := range members {
		switch {
		case m.Name == "steps":
			n := 0
			r.list(m, p.Member("steps"), func(m walk.Item, at source.Place) {
				n++
				if step := r.step(m, source.Place{Context: p.Context, Path: at.Path}.AddContext(fmt.Sprintf("step %d", n)), undo); step != nil {
					op.Steps = append(op.Steps, step)
				}
			})
			if r.Kind(m) == cue.ListKind && len(r.Items(m)) == 0 {
				r.Report(source.CodeEmptySteps, m.At, p.Member("steps"), "there is no step", "Give at least one, or leave the operation out.")
			}
		case m.Name == "return", m.Name == "retry":
			r.keep(m, p, block.Operation.Key(m.Name), op)
		case slices.Contains(block.Step.Names(), m.Name):
			r.Report(source.CodeStepBesideSteps, m.NameAt, p.Member(m.Name), fmt.Sprintf("%s stands beside steps", m.Name),
				"It is said of one step: move it into the step that is meant.")
		case diag.DidYouMean(m.Name, block.Operation.Names()) != "":
			r.Report(source.CodeUnknownKey, m.NameAt, p.Member(m.Name), fmt.Sprintf("unknown key %q", m.Name),
				"An operation of several steps has steps, return and retry. "+diag.Remedy(m.Name, block.Operation.Names()))
		default:
			r.Report(source.CodeStepBesideSteps, m.NameAt, p.Member(m.Name), fmt.Sprintf("%s stands beside steps", m.Name),
				"An operation is one action, or steps. Move it into the list.")
		}
	}
	r.stepNames(op.Steps, p)
}

// stepNames reports steps of one operation that share a name, and those that restart at
// what is no earlier step.
func (r *stepReader) stepNames(steps []*spec.Step, p source.Place) {
	var earlier []string
	for i, s := range steps {
		at := func(key string) source.Place {
			return source.Place{Context: p.Context, Path: p.Member("steps").Item(i).Member(key).Path}.AddContext(fmt.Sprintf("step %d", i+1))
		}
		if s.Restart != "" && !slices.Contains(earlier, s.Restart) {
			r.Report(source.CodeUnknownStep, s.RestartRange, at("restart"),
				fmt.Sprintf("no earlier step is named %q", s.Restart), "Name an earlier step of the same list with `as`. "+diag.Remedy(s.Restart, earlier))
		}
		if s.As == "" {
			continue
		}
		if slices.Contains(earlier, s.As) {
			r.Report(source.CodeDuplicateName, s.AsRange, at("as"), fmt.Sprintf("two steps are named %q", s.As), "Each step's result needs a name of its own: steps.NAME.")
		}
		earlier = append(earlier, s.As)
	}
}

// step reads one member of `steps`, or what stands in the place of a step.
func (r *stepReader) step(it walk.Item, p source.Place, undo bool) *spec.Step {
	return r.stepWith(it, p, undo, nil, nil)
}

// stepWith reads a step with further keys beside its own: other takes them, near
// are their names, for what is misspelt.
func (r *stepReader) stepWith(it walk.Item, p source.Place, undo bool, other func(walk.Item) bool, near []string) *spec.Step {
	s := &spec.Step{Range: it.At}
	known := slices.Concat(block.Step.Names(), near)
	action := func(m walk.Item) bool {
		if other != nil && other(m) {
			return true
		}
		if m.Optional || m.Required || !familyName.MatchString(m.Name) && diag.DidYouMean(m.Name, known) != "" {
			return false
		}
		if diag.DidYouMean(m.Name, near) != "" {
			r.Report(source.CodeUnknownKey, m.NameAt, p.Member(m.Name), fmt.Sprintf("unknown key %q", m.Name), diag.Remedy(m.Name, known))
			s.Actions = append(s.Actions, spec.Field{Name: m.Name, NameRange: m.NameAt, Value: &spec.Node{Range: m.At}})
			return true
		}
		s.Actions = append(s.Actions, r.dataField(m, p))
		return true
	}
	b, ok := r.open(it, p, block.Step, action)
	if !ok {
		return nil
	}
	if len(s.Actions) == 0 && len(b.order) == 0 {
		r.Report(source.CodeEmptySteps, startOf(it), p, "the step has no action", "Give it one, such as file: write: {…}.")
		return nil
	}
	r.around(b, s)
	r.undo(b, s, undo)
	return s
}

// around reads what a step says around its action.
func (r *stepReader) around(b *section, s *spec.Step) {
	r.fill(b, s)
	if m, ok := b.get("as"); ok {
		if name, ok := r.string(m, b.at("as")); ok {
			s.As, s.AsRange = name, m.At
			if !block.Identifiers.Pattern.MatchString(name) {
				r.Report(names.CodeName, m.At, b.at("as"), fmt.Sprintf("%q is not a valid name for a step", name), "Letters, digits and underscores: the result is read as steps.NAME.")
			}
		}
	}
	if m, ok := b.get("restart"); ok {
		s.Restart, _ = r.string(m, b.at("restart"))
		s.RestartRange = m.At
	}
	if m, ok := b.get("preview"); ok {
		s.Preview, s.PreviewRange = r.bool(m, b.at("preview")), m.NameAt
	}
	if m, ok := b.get("every"); ok && !b.given("until") {
		r.Report(source.CodeMissingKey, m.NameAt, b.at("every"), "every has no until", "A step is repeated until something holds: add until, or drop every.")
	}
}

// undo reads the steps that run in reverse when a create fails.
func (r *stepReader) undo(b *section, s *spec.Step, allowed bool) {
	m, ok := b.get("onFailure")
	if !ok {
		return
	}
	p := b.at("onFailure")
	if !allowed {
		r.Report(source.CodeMisplacedKey, m.NameAt, p, "onFailure stands in create only",
			"Elsewhere the next run continues at the failed step; there is nothing to take back.")
		return
	}
	if r.Broken(m, p) {
		return
	}
	if r.Kind(m) != cue.ListKind {
		r.WrongShape(m, p, "a list of steps")
		return
	}
	for i, it := range r.Items(m) {
		if step := r.step(it, p.Item(i).AddContext(fmt.Sprintf("undo step %d", i+1)), false); step != nil {
			s.OnFailure = append(s.OnFailure, step)
		}
	}
}
