package load

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/walk"
	"github.com/declprov/declprov/spec/names"
)

// stepReader reads steps and operations.
type stepReader struct{ *dataReader }

// readOperation reads a single step, or `steps`, with `return`.
func (r *stepReader) readOperation(it walk.Item, p source.Place, undo bool) *spec.Operation {
	if r.Broken(it, p) {
		return nil
	}
	op := &spec.Operation{Range: it.At}
	if r.Kind(it) == cue.ListKind {
		r.Report(source.CodeWrongShape, it.At, p, "an operation with several steps requires steps: […]", fmt.Sprintf("Write %s: steps: [ … ].", it.Name))
		return nil
	}
	if r.Kind(it) != cue.StructKind {
		shape := walk.Operation
		if it.Name == "update" && (r.isNull(it) || isFalse(it)) {
			shape = shape.By("If the API cannot update an object, leave it out, and next to `rest` write `rest: {…, update: \"none\"}`: every change then replaces the resource.")
		}
		r.WrongShape(it, p, shape)
		return nil
	}
	members := r.Values(it)
	if slices.ContainsFunc(members, func(m walk.Item) bool { return m.Name == "steps" }) {
		r.readSteps(members, p, undo, op)
		return op
	}
	returned := func(m walk.Item) bool {
		if m.Name == "return" || m.Name == "let" {
			r.keepKey(m, p, block.Operation.Key(m.Name), op)
			return true
		}
		return false
	}
	if step := r.readStepWith(it, p, undo, returned, []string{"steps", "return", "let"}); step != nil {
		op.Steps = []*spec.Step{step}
		r.checkStepNames(op.Steps, p)
	}
	return op
}

// readFind reads the operation that looks for the object of a create. `first: false`
// means that it does not run before the create sends its first request.
func (r *stepReader) readFind(it walk.Item, p source.Place) *spec.Operation {
	if r.Broken(it, p) || r.Kind(it) != cue.StructKind {
		return r.readOperation(it, p, false)
	}
	first := true
	var returned, let *spec.Node
	op := r.readOperationWith(it, p, func(m walk.Item) bool {
		switch m.Name {
		case "first":
			first = r.readBool(m, p.Member("first"))
		case "let":
			let = r.readNode(m, p.Member("let").AddContext("let"))
		case "return":
			returned = r.readNode(m, p.Member("return").AddContext("return"))
		default:
			return false
		}
		return true
	}, block.Find.Names())
	if op == nil {
		r.Report(source.CodeMissingKey, it.NameAt, p, "find requires a step", "Add the action that looks for the created object, such as http: path: \"/pets\".")
		return nil
	}
	op.Return, op.Let, op.NotFirst = returned, let, !first
	return op
}

// readSteps reads an operation of several steps.
func (r *stepReader) readSteps(members []walk.Item, p source.Place, undo bool, op *spec.Operation) {
	op.Listed = true
	for _, m := range members {
		translated, _ := foreign.Key(block.Step.What, m.Name)
		switch {
		case m.Name == "steps":
			n := 0
			r.readList(m, p.Member("steps"), func(m walk.Item, at source.Place) {
				n++
				op.Steps = appendRead(op.Steps, r.readStep(m, source.Place{Context: p.Context, Path: at.Path}.AddContext(fmt.Sprintf("step %d", n)), undo))
			})
			if r.Kind(m) == cue.ListKind && len(r.Items(m)) == 0 {
				r.Report(source.CodeEmptySteps, m.At, p.Member("steps"), "steps is empty", "Add a step, or remove the operation.")
			}
		case m.Name == "return", m.Name == "retry", m.Name == "lock", m.Name == "let":
			r.keepKey(m, p, block.Operation.Key(m.Name), op)
		case slices.Contains(block.Step.Names(), m.Name):
			r.Report(source.CodeStepBesideSteps, m.NameAt, p.Member(m.Name), fmt.Sprintf("%s is not allowed next to steps", m.Name),
				"It applies to a single step. Move it into that step.")
		case translated.Own == "retry", translated.Own == "lock":
			translated.Suggest(r.Report(source.CodeUnknownKey, m.NameAt, p.Member(m.Name), fmt.Sprintf("unknown key %q", m.Name), ""), m.Name)
		case diag.DidYouMean(m.Name, block.Operation.Names()) != "":
			r.Report(source.CodeUnknownKey, m.NameAt, p.Member(m.Name), fmt.Sprintf("unknown key %q", m.Name),
				"An operation with several steps has the keys steps, return, retry, lock and let.").Meant(m.Name, block.Operation.Names())
		case diag.DidYouMean(m.Name, block.Step.Names()) != "":
			r.Report(source.CodeUnknownKey, m.NameAt, p.Member(m.Name), fmt.Sprintf("unknown key %q", m.Name),
				fmt.Sprintf("A single step has %s: write it in that step.", diag.DidYouMean(m.Name, block.Step.Names())))
		default:
			r.Report(source.CodeStepBesideSteps, m.NameAt, p.Member(m.Name), fmt.Sprintf("%s is not allowed next to steps", m.Name),
				"An operation has either one action or steps. Move the action into the list.")
		}
	}
	r.checkStepNames(op.Steps, p)
}

// checkStepNames reports steps of an operation with the same name, and steps with a
// restart that does not name an earlier step.
func (r *stepReader) checkStepNames(steps []*spec.Step, p source.Place) {
	var earlier []string
	for i, s := range steps {
		at := func(key string) source.Place {
			return source.Place{Context: p.Context, Path: p.Member("steps").Item(i).Member(key).Path}.AddContext(fmt.Sprintf("step %d", i+1))
		}
		if s.Restart != "" && !slices.Contains(earlier, s.Restart) {
			r.Report(source.CodeUnknownStep, s.RestartRange, at("restart"),
				fmt.Sprintf("no earlier step is named %q", s.Restart), "Name an earlier step of the same list with `as`.").Meant(s.Restart, earlier)
		}
		if s.As == "" {
			continue
		}
		if slices.Contains(earlier, s.As) {
			r.Report(source.CodeDuplicateName, s.AsRange, at("as"), fmt.Sprintf("two steps are named %q", s.As), "Rename one. The result of a step is available as steps.NAME.")
		}
		earlier = append(earlier, s.As)
	}
	for i, s := range steps {
		names := slices.Clone(earlier)
		for n, u := range s.OnFailure {
			if slices.Contains(names, u.As) {
				at := source.Place{Context: p.Context, Path: p.Member("steps").Item(i).Member("onFailure").Item(n).Member("as").Path}.AddContext(fmt.Sprintf("step %d, undo step %d", i+1, n+1))
				r.Report(source.CodeDuplicateName, u.AsRange, at, fmt.Sprintf("two steps are named %q", u.As), "Rename one. The result of a step is available as steps.NAME.")
			}
			if u.As != "" {
				names = append(names, u.As)
			}
		}
	}
}

// readStep reads one item of `steps`, or the single step of an operation.
func (r *stepReader) readStep(it walk.Item, p source.Place, undo bool) *spec.Step {
	return r.readStepWith(it, p, undo, nil, nil)
}

// readStepWith reads a step from a block that also has other keys. other handles those,
// and near are their names, for suggestions.
func (r *stepReader) readStepWith(it walk.Item, p source.Place, undo bool, other func(walk.Item) bool, near []string) *spec.Step {
	s := &spec.Step{Range: it.At}
	known := slices.Concat(block.Step.Names(), near)
	action := func(m walk.Item) bool {
		if other != nil && other(m) {
			return true
		}
		if r.reportForeignStep(m, p, s) {
			return true
		}
		if t, ok := foreign.Key(block.Step.What, m.Name); ok {
			if t.Own == "" {
				s.Actions = append(s.Actions, spec.Field{Name: m.Name, NameRange: m.NameAt, Value: &spec.Node{Range: m.At}})
			}
			return false
		}
		if m.Optional || m.Required || !familyName.MatchString(m.Name) && diag.DidYouMean(m.Name, known) != "" {
			return false
		}
		if diag.DidYouMean(m.Name, near) != "" && m.Name != "returns" { // an argument: the compiler says where it belongs
			r.Report(source.CodeUnknownKey, m.NameAt, p.Member(m.Name), fmt.Sprintf("unknown key %q", m.Name), "").Meant(m.Name, known)
			s.Actions = append(s.Actions, spec.Field{Name: m.Name, NameRange: m.NameAt, Value: &spec.Node{Range: m.At}})
			return true
		}
		s.Actions = append(s.Actions, r.readField(m, p))
		return true
	}
	b, ok := r.openSection(it, p, block.Step, action)
	if !ok {
		return nil
	}
	if len(s.Actions) == 0 && len(b.order) == 0 {
		r.Report(source.CodeEmptySteps, startOf(it), p, "the step requires an action", "Add one, such as file: write: {…}.")
		return nil
	}
	r.readOptions(b, s)
	r.readUndo(b, s, undo)
	return s
}

// reportForeignStep reports keys of other tools whose values have another form here: a dotted action, a
// command line, and a number of minutes.
func (r *stepReader) reportForeignStep(m walk.Item, p source.Place, s *spec.Step) bool {
	text, _ := m.Value.String()
	unit := map[string]string{"timeoutMinutes": "m", "timeoutSeconds": "s", "timeout-minutes": "m", "timeout-seconds": "s"}[m.Name]
	family, kind, dotted := strings.Cut(m.Name, ".")
	switch {
	case r.reportNestedKeys(m, p):
	case dotted && familyName.MatchString(family) && familyName.MatchString(kind):
		r.reportDotted(m, p, family, kind)
		s.Actions = append(s.Actions, spec.Field{Name: m.Name, NameRange: m.NameAt, Value: &spec.Node{Range: m.At}})
	case unit != "":
		r.Report(source.CodeUnknownKey, m.NameAt, p.Member(m.Name), fmt.Sprintf("unknown key %q in a step", m.Name), "Write a duration: `timeout: \"5m\"`.").
			Replace(m.Name, "timeout").Suggest(diag.Edit{At: m.At, Text: fmt.Sprintf("%q", r.Files.TextAt(r.Files.Unquoted(m.At))+unit)})
	case (m.Name == "run" || m.Name == "command" || m.Name == "cmd") && foreign.IsCommand(text):
		words := foreign.Words(text)
		r.Report(source.CodeUnknownKey, m.NameAt, p.Member(m.Name), fmt.Sprintf("unknown key %q in a step", m.Name), fmt.Sprintf("Write `exec: command: %s`.", words)).
			Replace(m.Name, "exec").Suggest(diag.Edit{At: m.At, Text: "{command: " + words + "}"})
		s.Actions = append(s.Actions, spec.Field{Name: m.Name, NameRange: m.NameAt, Value: &spec.Node{Range: m.At}})
	default:
		return false
	}
	return true
}

// reportNestedKeys reports keys of a step in a block of their own, as in `poll: {until: …, every: …}`.
func (r *stepReader) reportNestedKeys(m walk.Item, p source.Place) bool {
	if t, _ := foreign.Key(block.Step.What, m.Name); t.Own != "until" || r.Kind(m) != cue.StructKind {
		return false
	}
	inner := r.Values(m)
	if len(inner) == 0 || slices.ContainsFunc(inner, func(k walk.Item) bool { return block.Step.Key(k.Name) == nil }) {
		return false
	}
	d := r.Report(source.CodeUnknownKey, m.NameAt, p.Member(m.Name), fmt.Sprintf("unknown key %q", m.Name), "Write its keys in the step itself: `until: \"${…}\", every: \"5s\"`.")
	if m.At.Start.Line == m.At.End.Line && m.At.Start.Line == m.NameAt.Start.Line {
		open, end := m.NameAt, m.At
		open.End, end.Start = inner[0].NameAt.Start, inner[len(inner)-1].At.End
		d.Suggest(diag.Edit{At: open}, diag.Edit{At: end})
	}
	return true
}

// reportDotted reports an action with a dotted name, such as file.write.
func (r *stepReader) reportDotted(m walk.Item, p source.Place, family, kind string) {
	if method, ok := foreign.Method(kind); ok && family == "http" {
		d := r.Report(source.CodeUnknownKey, m.NameAt, p.Member(m.Name), fmt.Sprintf("unknown key %q in a step", m.Name),
			fmt.Sprintf("The method is an argument: `http: {method: %q, …}`.", method))
		if edits := r.readNode(m, p.Member(m.Name)).WithMember("method", method); len(edits) > 0 {
			d.Replace(m.Name, family).Suggest(edits...)
		}
		return
	}
	d := r.Report(source.CodeUnknownKey, m.NameAt, p.Member(m.Name), fmt.Sprintf("unknown key %q in a step", m.Name),
		fmt.Sprintf("The family of an action contains the action: `%s: %s: …`.", family, kind))
	d.Suggest(r.NestEdits(m.NameAt, m.At, family, kind)...)
}

// readOptions reads the keys of a step other than its action.
func (r *stepReader) readOptions(b *section, s *spec.Step) {
	r.fill(b, s)
	if m, ok := b.get("as"); ok {
		if name, ok := r.readString(m, b.at("as")); ok {
			s.As, s.AsRange = name, m.At
			if !block.Identifiers.Pattern.MatchString(name) {
				r.Report(names.CodeName, m.At, b.at("as"), fmt.Sprintf("%q is not a valid name for a step", name), "Use letters, digits and underscores. The result is available as steps.NAME.")
			}
		}
	}
	if m, ok := b.get("restart"); ok {
		s.Restart, _ = r.readString(m, b.at("restart"))
		s.RestartRange = m.At
	}
	if m, ok := b.get("preview"); ok {
		s.Preview, s.PreviewRange = r.readBool(m, b.at("preview")), m.NameAt
	}
	if m, ok := b.get("every"); ok && !b.has("until") && !slices.ContainsFunc(s.Actions, hasUntil) {
		r.Report(source.CodeMissingKey, m.NameAt, b.at("every"), "every requires until", "A step is repeated until a condition is true. Add until, or remove every.")
	}
}

// hasUntil reports whether the condition of a step is in the block of its action, where the compiler reports it.
func hasUntil(f spec.Field) bool {
	return f.Value.Get("until") != nil || slices.ContainsFunc(f.Value.Fields, func(kind spec.Field) bool { return kind.Value.Get("until") != nil })
}

// readUndo reads the steps that run, in reverse order, if a create fails.
func (r *stepReader) readUndo(b *section, s *spec.Step, allowed bool) {
	m, ok := b.get("onFailure")
	if !ok {
		return
	}
	p := b.at("onFailure")
	if !allowed {
		r.Report(source.CodeMisplacedKey, m.NameAt, p, "onFailure is only allowed in create",
			"In other operations the next run resumes at the failed step. Remove onFailure.")
		return
	}
	if !r.expect(m, p, cue.ListKind, walk.List.As("a list of steps")) {
		return
	}
	for i, it := range r.Items(m) {
		s.OnFailure = appendRead(s.OnFailure, r.readStep(it, p.Item(i).AddContext(fmt.Sprintf("undo step %d", i+1)), false))
	}
}
