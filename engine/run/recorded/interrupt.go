package recorded

import (
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/plan"
)

// Interrupt returns what is known of an update that was killed: only that it began.
func Interrupt(update *plan.Operation) *Failed {
	first := slices.IndexFunc(update.Steps, func(s *plan.Step) bool { return s.Effect == actions.Write })
	return &Failed{Op: string(plan.Update), Step: max(first, 0), Unknown: true, Error: "an update of it was interrupted, and its outcome is not known"}
}
