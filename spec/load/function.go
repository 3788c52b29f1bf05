package load

import (
	"fmt"
	"slices"

	"cuelang.org/go/cue"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/load/typing"
	"github.com/declprov/declprov/spec/load/walk"
)

// readFunction reads an operation with inputs and outputs: a function of the provider, a
// method of a resource, or an action that is run on demand.
func (r *stepReader) readFunction(it walk.Item, p source.Place, what string) *spec.Function {
	f := &spec.Function{
		Name: it.Name, Doc: r.Doc(it), Range: it.NameAt,
		Inputs: &spec.Type{Kind: spec.Object}, Outputs: &spec.Type{Kind: spec.Object},
	}
	if !r.expect(it, p, cue.StructKind, walk.Struct) {
		return nil
	}
	takesOutputs := what != "an action"
	own := func(m walk.Item) bool {
		switch {
		case m.Name == "inputs":
			f.Inputs = r.Object(m, p.Member("inputs").AddContext("inputs"), typing.ArgumentRole)
		case m.Name == "outputs" && takesOutputs:
			f.Outputs = r.Object(m, p.Member("outputs").AddContext("outputs"), typing.ResultRole)
		case m.Name == "outputs":
			r.Report(source.CodeMisplacedKey, m.NameAt, p.Member("outputs"), "an action cannot have outputs", "An action is run for its effect. To return values, declare a function or a method.")
		case m.Name == "let":
			f.Let = r.readNode(m, p.Member("let").AddContext("let"))
		case m.Name == "return":
			f.Return = r.readNode(m, p.Member("return").AddContext("return"))
		default:
			// If the name of the block is misspelt, its properties are unknown.
			switch diag.DidYouMean(m.Name, block.Function.Names()) {
			case "inputs":
				f.Inputs.Open = true
			case "outputs":
				f.Outputs.Open = true
			}
			return false
		}
		return true
	}
	f.Operation = r.readOperationWith(it, p, own, block.Function.Names())
	if f.Operation == nil && f.Return == nil {
		r.Report(source.CodeMissingKey, it.NameAt, p, what+" requires a step", `Add an action, steps: […], or return: "${…}" alone.`)
	}
	return f
}

// readOperationWith reads an operation from a block that also has other keys, which own
// handles. It returns nil if the block has no step.
func (r *stepReader) readOperationWith(it walk.Item, p source.Place, own func(walk.Item) bool, near []string) *spec.Operation {
	mine := slices.DeleteFunc(r.Values(it), own)
	if len(mine) == 0 {
		return nil
	}
	op := &spec.Operation{Range: it.At}
	if slices.ContainsFunc(mine, func(m walk.Item) bool { return m.Name == "steps" }) {
		r.readSteps(mine, p, false, op)
		return op
	}
	taken := func(m walk.Item) bool {
		return !slices.ContainsFunc(mine, func(o walk.Item) bool { return o.Name == m.Name })
	}
	if step := r.readStepWith(it, p, false, taken, append([]string{"steps", "return", "let"}, near...)); step != nil {
		op.Steps = []*spec.Step{step}
	}
	return op
}

// readLister reads how the existing resources of a type are listed.
func (r *stepReader) readLister(it walk.Item, p source.Place) *spec.Lister {
	if !r.expect(it, p, cue.StructKind, walk.Struct) {
		return nil
	}
	li := &spec.Lister{Inputs: &spec.Type{Kind: spec.Object}, Range: it.At}
	has := map[string]bool{}
	own := func(m walk.Item) bool {
		has[m.Name] = true
		switch m.Name {
		case "inputs":
			li.Inputs = r.Object(m, p.Member("inputs").AddContext("inputs"), typing.ArgumentRole)
		case "let":
			li.Let = r.readNode(m, p.Member("let").AddContext("let"))
		case "items", "id", "name":
			r.keepKey(m, p, block.Lister.Key(m.Name), li)
		default:
			// A misspelt key was reported, and does not also count as missing.
			has[diag.DidYouMean(m.Name, block.Lister.Names())] = true
			return false
		}
		return true
	}
	if op := r.readOperationWith(it, p, own, block.Lister.Names()); op != nil && len(op.Steps) > 0 {
		li.Step = op.Steps[0]
		if len(op.Steps) > 1 || has["steps"] {
			r.Report(source.CodeMisplacedKey, it.NameAt, p, "list must be a single step", "Keep the step that returns the items.")
		}
	} else if op == nil {
		r.Report(source.CodeMissingKey, it.NameAt, p, "list requires a step", "Add the action that lists the existing objects, such as file: list: {…}.")
	}
	for _, key := range []string{"items", "id"} {
		if !has[key] {
			r.Report(source.CodeMissingKey, it.NameAt, p, fmt.Sprintf("list requires %s", key),
				`Add the items and the id of each: items: "${result.items}", id: "${each.value.path}".`)
		}
	}
	return li
}

// readEphemeral reads a value that is opened and closed, and never stored.
func (l *loader) readEphemeral(it walk.Item, p source.Place) *spec.Ephemeral {
	b, ok := l.openSection(it, p, block.Ephemeral, nil)
	if !ok {
		return nil
	}
	e := &spec.Ephemeral{
		Name: it.Name, Doc: l.Doc(it), Range: it.NameAt,
		Inputs: l.readObject(b, "inputs", typing.ArgumentRole), Outputs: l.readObject(b, "outputs", typing.ResultRole),
	}
	l.fill(b, e)
	if m, ok := b.get("renewAfter"); ok && !b.has("renew") {
		l.Report(source.CodeMissingKey, m.NameAt, b.at("renewAfter"), "renewAfter requires renew", "Add a step that renews the value: renew: {…}.")
	}
	return e
}
