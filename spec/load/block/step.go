package block

import (
	"fmt"

	"github.com/declprov/declprov/spec"
)

// Operation is one step, or steps in a row.
var Operation = &Block{
	Name: "Operation", What: "an operation", Doc: "One step, or steps in a row.", Has: []string{"Step"},
	Keys: []Key{
		{Name: "steps", Kind: Steps, Doc: "The steps, in their order."},
		{Name: "return", Kind: Data, Part: true, Into: to(func(o *spec.Operation) any { return &o.Return }), Doc: "What the operation returns."},
		{Name: "retry", Kind: Struct, Of: Retry, CUE: "_", Into: to(func(o *spec.Operation) any { return &o.Retry }), Doc: "Beside steps: runs them all again when one is refused."},
	},
}

// Step is what is said around an action. A key that is none of its own names a
// family of actions, for the compiler to know.
var Step = &Block{
	Name: "Step", What: "a step", Doc: "One action, and what is said around it.",
	Keys: []Key{
		{Name: "as", Kind: Text, CUE: fmt.Sprintf("=~%q", Identifiers.Pattern), Doc: "Names the result: ${steps.NAME}."},
		{Name: "if", Kind: Condition, Into: to(func(s *spec.Step) any { return &s.If }), Doc: "Runs only when true."},
		{Name: "forEach", Kind: Collection, Into: to(func(s *spec.Step) any { return &s.ForEach }), Doc: "Runs for each element."},
		{Name: "until", Kind: Condition, Into: to(func(s *spec.Step) any { return &s.Until }), Doc: "Repeats until true."},
		{Name: "every", Kind: Duration, Into: to(func(s *spec.Step) any { return &s.Every }), Doc: `The pause between attempts: "5s".`},
		{Name: "timeout", Kind: Duration, Into: to(func(s *spec.Step) any { return &s.Timeout }), Doc: `The limit over all attempts: "10m".`},
		{Name: "retry", Kind: Struct, Of: Retry, Into: to(func(s *spec.Step) any { return &s.Retry }), Doc: "When to run the action again after a failure."},
		{Name: "refused", Kind: Template, Into: to(func(s *spec.Step) any { return &s.Refused }), Doc: "A text that is not null says that nothing was done, whatever the status."},
		{Name: "fail", Kind: Template, Into: to(func(s *spec.Step) any { return &s.Fail }), Doc: "A text that is not null fails the step."},
		{Name: "progress", Kind: Template, Into: to(func(s *spec.Step) any { return &s.Progress }), Doc: "Shown while it runs."},
		{Name: "gone", Kind: Condition, Into: to(func(s *spec.Step) any { return &s.Gone }), Doc: "True: the thing is not there."},
		{Name: "preview", Kind: Bool, Doc: "Runs in previews too."},
		{Name: "onFailure", Kind: Steps, Doc: "Undo steps, of a create."},
		{Name: "lock", Kind: Template, Into: to(func(s *spec.Step) any { return &s.Lock }), Doc: "Steps of an equal value never run side by side."},
		{Name: "restart", Kind: Text, Doc: "The earlier step from which a run goes on that stopped at this one."},
	},
}

// Retry is how often an action is run again, and when.
var Retry = &Block{
	What: "retry",
	Keys: []Key{
		{Name: "on", Kind: Failures, Doc: "The statuses, exit codes and classes of errors that are retried."},
		{Name: "if", Kind: Condition, Doc: "Which failures are retried, as a condition."},
		{
			Name: "attempts", Kind: Count, CUE: "int & >=1 | string",
			Whole: &Whole{Least: 1, Range: "from 1 on", Remedy: "It counts all attempts, the first one too."},
			Doc:   "The number of attempts, the first one included.",
		},
		{Name: "backoff", Kind: Duration, Doc: "The first pause; each further pause is twice as long."},
		{Name: "maxBackoff", Kind: Duration, Doc: "The longest pause."},
		{Name: "jitter", Kind: Condition, Doc: "Whether pauses vary at random: true by default."},
	},
}
