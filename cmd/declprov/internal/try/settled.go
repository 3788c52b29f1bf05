package try

import (
	"context"
	"fmt"

	"github.com/declprov/declprov/engine/pulumi/client"
)

// lookAgain reads the resource, and verifies that the next up would change nothing, neither
// without a refresh nor after one.
func (l *life) lookAgain(ctx context.Context) error {
	if err := l.recheck(ctx); err != nil {
		return err
	}
	recorded := l.state
	if err := l.read(ctx); err != nil {
		return err
	}
	for i, state := range []client.State{recorded, l.state} {
		diff, err := l.client.Diff(ctx, l.resource, state, l.checked)
		if err != nil {
			l.heading("diff", "")
			return l.fail(err)
		}
		if !diff.Changed {
			continue
		}
		l.heading("diff", l.paint(red, "the next up would change this again"))
		l.changes(diff)
		if i == 0 {
			l.finding(codeChangesAgain, "the next up would change what the last one wrote", "The recorded inputs differ from those of the program: look at rules of diff, and at @equal.")
			return nil
		}
		l.explain(diff, state, "")
		return nil
	}
	l.heading("diff", "no changes")
	return nil
}

// recheck checks the same inputs again, as the next up does: a default must not differ then.
func (l *life) recheck(ctx context.Context) error {
	answer, err := l.client.Check(ctx, l.resource, l.checked, l.program)
	switch {
	case err != nil:
		l.heading("check", "")
		return l.fail(err)
	case len(answer.Failures) > 0:
		l.heading("check", "of the same inputs, again")
		return l.failures(answer.Failures)
	}
	l.checked = answer.Inputs
	return nil
}

// read reads the resource, as a refresh does.
func (l *life) read(ctx context.Context) error {
	warnings := l.said.warnings.Load()
	now, err := l.client.Read(ctx, l.resource, l.state, client.Operation{})
	if l.said.warnings.Load() > warnings && !l.warned {
		l.warned = true
		l.finding(codeWarns, "a refresh warns", "Users of the provider see this at each refresh.")
	}
	switch {
	case err != nil:
		l.heading("read", "")
		return l.fail(err)
	case now.ID == "":
		l.heading("read", "")
		l.unseen = true
		address := "Read uses another address than create"
		if l.plan.Resource.Read != nil && l.plan.Resource.Read.Rest {
			address = "The path of an object is another one than that of the collection and the id: write it in `rest`, like `object: \"/pet/${id}\"`"
		}
		l.finding(codeNotFound, "read does not find the resource that was just written", address+"; or `return` or `gone` of read says of an object that it does not exist, perhaps because of a misspelt member; or the server shows the object later: `consistency` says how long that may take.")
		return ErrFailed
	}
	drift := outputsOnly(now.Outputs, l.state.Outputs)
	switch {
	case now.ID != l.state.ID:
		l.heading("read", "gives the id "+showText(now.ID))
	case drift.Len() == 0:
		l.heading("read", "as recorded")
	default:
		l.heading("read", "differs from what was recorded")
	}
	l.values(drift, func(string) string { return "" })
	l.state = now
	return nil
}

// explain reports the inputs because of which the next up would change something, each with
// its remedy, and once for each value in the program: other updates leave the difference as it
// was. how, if not "", says how the state was found.
func (l *life) explain(diff client.Diff, state client.State, how string) {
	names := namesOf(diff)
	if len(names) == 0 {
		l.finding(codeChangesAgain, "the next up would continue an update that stopped halfway", "")
		return
	}
	for _, name := range names {
		if value, ok := l.reported[name]; ok && same(value, l.checked.Get(name)) {
			continue
		}
		d := difference{
			name: name, property: l.plan.Resource.Inputs.Field(name),
			program: l.checked.Get(name), read: state.Inputs.Get(name), before: l.previous.Get(name),
			updated: l.previous.Len() > 0,
		}
		text, remedy := d.explain()
		l.reported[name] = d.program
		l.finding(d.code(), fmt.Sprintf("%s: %s%s", name, how, text), remedy)
	}
}
