package try

import (
	"context"
	"fmt"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/property"

	"github.com/declprov/declprov/engine/pulumi/client"
)

// reimport imports the resource by what a user would type, and verifies that the program that
// created it would not change it then.
func (l *life) reimport(ctx context.Context) error {
	text, ok := l.plan.ImportID(l.state.ID, l.checked, l.settings)
	if !ok {
		return nil
	}
	now, err := l.client.Lookup(ctx, l.resource, text)
	switch {
	case err != nil:
		l.heading("import", showText(text))
		_ = l.fail(err)
		l.finding(codeImportFails, "the resource that was just created cannot be imported", "")
		return nil
	case now.ID == "":
		l.heading("import", showText(text))
		l.finding(codeImportFails, "an import does not find the resource that was just created", "Read must find it by the id, or `import` must say what else a user types.")
		return nil
	case now.ID != l.state.ID:
		l.heading("import", showText(text))
		l.finding(codeImportOther, fmt.Sprintf("an import of %s gives the id %s, and the create gave %s", showText(text), showText(now.ID), showText(l.state.ID)),
			"Put into `import` all that tells objects apart, or return it from read, from what the API says of the object.")
		return nil
	}
	if valid, err := l.checkImport(ctx, now, text); err != nil {
		return l.fail(err)
	} else if !valid {
		return nil
	}
	diff, err := l.client.Diff(ctx, l.resource, now, l.checked)
	if err != nil {
		return l.fail(err)
	}
	written := rewritten(l, diff)
	if diff = l.readOnly(diff); len(diff.Details) == 0 {
		how := ", no changes"
		switch {
		case l.found:
			how = ", no further changes"
		case len(written) > 0:
			how = ", and the next up would write " + strings.Join(written, " and ") + " again, because of @normalised()"
		}
		l.heading("import", showText(text)+how)
		return nil
	}
	l.heading("import", showText(text)+l.paint(red, ", and the next up would change it"))
	l.changes(diff)
	l.explain(diff, now, "after an import, ")
	return nil
}

// checkImport checks the inputs that an import gives, as Pulumi does, and reports what it would warn of. A user adds what is
// required, and what read is declared not to return.
func (l *life) checkImport(ctx context.Context, now client.State, text string) (valid bool, err error) {
	inputs := now.Inputs
	for _, p := range l.plan.Resource.Inputs.Fields {
		_, given := inputs.GetOk(p.Name)
		if v, set := l.checked.GetOk(p.Name); set && !given && (p.Required || p.NoRead || p.Ephemeral) {
			inputs = inputs.Set(p.Name, v)
		}
	}
	answer, err := l.client.Check(ctx, l.resource, now.Inputs, inputs)
	if err != nil || len(answer.Failures) == 0 {
		return true, err
	}
	l.heading("import", showText(text))
	for _, f := range answer.Failures {
		what := f.Reason
		if f.Property != "" {
			what = f.Property + ": " + what
		}
		l.finding(codeImportInvalid, "an import gives inputs that the provider refuses: "+what,
			"Pulumi calls this a bug of the provider, and the program that it writes fails. Leave out by the `return` of read what a program may not set next to the other inputs, make it an output only, or allow it.")
	}
	return false, nil
}

// rewritten returns the changed inputs whose values the API may rewrite: what it has made of a value
// is only known after a write, so the first difference after an import is a change.
func rewritten(l *life, diff client.Diff) []string {
	var names []string
	for _, name := range namesOf(diff) {
		if p := l.plan.Resource.Inputs.Field(name); p != nil && p.Normalised {
			names = append(names, name)
		}
	}
	return names
}

// readOnly returns the changes of inputs that read is declared to return as the program has them,
// and about which there is no finding yet.
func (l *life) readOnly(diff client.Diff) client.Diff {
	var rest []client.Change
	for _, c := range diff.Details {
		name := nameOf(c.Path)
		p := l.plan.Resource.Inputs.Field(name)
		if _, reported := l.reported[name]; reported || p != nil && (p.NoRead || p.Ephemeral || p.Normalised) {
			continue
		}
		rest = append(rest, c)
	}
	return client.Diff{Details: rest, HasDetails: true}
}

// showImport imports an existing object, shows the inputs that a program for it has, and
// verifies that it would change nothing. It only reads.
func (l *life) showImport(ctx context.Context) error {
	l.heading("import", showText(l.plan.Import))
	// An import confirms what it has found. What it returns has placeholders for files, in contrast to a lookup.
	now, err := l.client.Read(ctx, l.resource, client.State{ID: l.plan.Import}, client.Operation{})
	if err == nil && now.ID != "" {
		now, err = l.client.Lookup(ctx, l.resource, l.plan.Import)
	}
	switch {
	case err != nil:
		return l.fail(err)
	case now.ID == "":
		l.failure("error[%s]: no object has this id", codeImportFails)
		return ErrFailed
	case now.ID != l.plan.Import:
		l.line("id %s", showText(now.ID))
	}
	l.values(now.Inputs, func(string) string { return "" })
	if outputs := outputsOnly(now.Outputs, now.Inputs); outputs.Len() > 0 {
		l.heading("outputs", "")
		l.values(outputs, func(string) string { return "" })
	}
	l.program = merge(now.Inputs, l.program)
	if !l.isComplete(now.Inputs) {
		return nil
	}
	l.state = now
	if err := l.check(ctx, property.Map{}); err != nil {
		return err
	}
	diff, err := l.client.Diff(ctx, l.resource, now, l.checked)
	if err != nil {
		return l.fail(err)
	}
	if !diff.Changed {
		l.heading("diff", "no changes")
		return nil
	}
	l.heading("diff", l.paint(red, "the next up would change it"))
	l.changes(diff)
	if diff = l.readOnly(diff); len(diff.Details) > 0 {
		l.explain(diff, now, "")
	}
	return nil
}

// isComplete reports whether the program has all required inputs, and names those that it must
// set because an import does not give them.
func (l *life) isComplete(imported property.Map) bool {
	complete := true
	for _, p := range l.plan.Resource.Inputs.Fields {
		_, given := l.program.GetOk(p.Name)
		_, read := imported.GetOk(p.Name)
		if !p.Required || p.Default != nil || read {
			continue
		}
		if complete = complete && given; !given {
			l.line("%s: read does not return it; a program must set it: write %s=… here", p.Name, p.Name)
		}
	}
	return complete
}
