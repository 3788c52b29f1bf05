package try

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/declprov/declprov/engine/pulumi/client"
	"github.com/declprov/declprov/spec/screen"
)

// drift runs the command that changes the object behind the provider's back, and verifies that
// a refresh shows the change, and that the next up undoes it.
func (l *life) drift(ctx context.Context) error {
	l.heading("drift", screen.Exact(l.plan.Drift))
	cmd := exec.CommandContext(ctx, "sh", "-c", l.plan.Drift)
	cmd.Dir, cmd.Env = l.plan.Dir, append(os.Environ(), "ID="+l.state.ID)
	out, err := cmd.CombinedOutput()
	if text := strings.TrimSpace(string(out)); text != "" {
		l.line("%s", strings.ReplaceAll(text, "\n", "\n        "))
	}
	if err != nil {
		l.failure("the command failed: %v", err)
		return ErrFailed
	}
	now, err := l.client.Read(ctx, l.resource, l.state, client.Operation{})
	if err != nil {
		l.heading("refresh", "")
		return l.fail(err)
	}
	if now.ID == "" {
		l.heading("refresh", "it is gone")
		l.exists = false
		if err := l.create(ctx); err != nil {
			return err
		}
		return l.lookAgain(ctx)
	}
	changed := outputsOnly(now.Outputs, l.state.Outputs)
	if changed.Len() == 0 && same(mapValue(now.Inputs), mapValue(l.state.Inputs)) {
		l.heading("refresh", "as recorded")
		l.finding(codeDriftUnseen, "a refresh does not show the change", "Return from read what the command changes, and declare it in inputs without @noRead().")
		return nil
	}
	l.heading("refresh", "differs from what was recorded")
	l.values(changed, func(string) string { return "" })
	l.state = now
	return l.repair(ctx)
}

// repair verifies that the next up undoes what somebody else has changed.
func (l *life) repair(ctx context.Context) error {
	diff, err := l.client.Diff(ctx, l.resource, l.state, l.checked)
	if err != nil {
		l.heading("diff", "")
		return l.fail(err)
	}
	if !diff.Changed {
		l.heading("diff", "no changes")
		l.finding(codeDriftRemains, "the next up does not undo the change",
			fmt.Sprintf("Only inputs that the program sets are undone. Declare what the command changes in inputs of %s, and set it.", l.plan.Resource.Name))
		return nil
	}
	return l.change(ctx)
}
