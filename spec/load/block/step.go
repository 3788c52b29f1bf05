package block

import (
	"fmt"

	"github.com/declprov/declprov/spec"
)

// Operation is one step, or steps in a row.
var Operation = &Block{
	Name: "Operation", What: "an operation", Doc: "One step, or steps in a row.", Has: []string{"Step"},
	Keys: []Key{
		{Name: "steps", Kind: Special, CUE: "[...#Step]", Doc: "The steps, in their order."},
		{Name: "return", Kind: Data, Part: true, Doc: "What the operation yields."},
		{Name: "retry", Kind: Struct, Of: Retry, CUE: "_", Doc: "Beside steps: runs them all again when one is refused."},
	},
}

// Step is what is said around an action. A key that is none of its own names a
// family of actions, for the compiler to know.
var Step = &Block{
	Name: "Step", What: "a step", Doc: "One action, and what is said around it.",
	Keys: []Key{
		{Name: "as", Kind: Special, CUE: fmt.Sprintf("=~%q", Identifiers.Pattern), Doc: "Names the result: ${steps.NAME}."},
		{Name: "if", Kind: Condition, Into: to(func(s *spec.Step) any { return &s.If }), Doc: "Runs only when true."},
		{Name: "forEach", Kind: Collection, Into: to(func(s *spec.Step) any { return &s.ForEach }), Doc: "Runs for each element."},
		{Name: "until", Kind: Condition, Into: to(func(s *spec.Step) any { return &s.Until }), Doc: "Repeats until true."},
		{Name: "every", Kind: Duration, Into: to(func(s *spec.Step) any { return &s.Every }), Doc: `The pause between attempts: "5s".`},
		{Name: "timeout", Kind: Duration, Into: to(func(s *spec.Step) any { return &s.Timeout }), Doc: `The limit over all attempts: "10m".`},
		{Name: "retry", Kind: Struct, Of: Retry, Doc: "Runs the action again when it is refused, or when that is safe."},
		{Name: "refused", Kind: Template, Into: to(func(s *spec.Step) any { return &s.Refused }), Doc: "A text says that nothing was done, whatever the status."},
		{Name: "fail", Kind: Template, Into: to(func(s *spec.Step) any { return &s.Fail }), Doc: "A text fails the step."},
		{Name: "progress", Kind: Template, Into: to(func(s *spec.Step) any { return &s.Progress }), Doc: "Shown while it runs."},
		{Name: "gone", Kind: Condition, Into: to(func(s *spec.Step) any { return &s.Gone }), Doc: "True: the thing is not there."},
		{Name: "preview", Kind: Special, CUE: "bool", Doc: "Runs in previews too."},
		{Name: "onFailure", Kind: Special, CUE: "[...#Step]", Doc: "Undo steps, of a create."},
		{Name: "lock", Kind: Template, Into: to(func(s *spec.Step) any { return &s.Lock }), Doc: "Steps of an equal value never run side by side."},
		{Name: "restart", Kind: Special, CUE: "string", Doc: "The earlier step from which a run goes on that stopped at this one."},
	},
}

// Retry is how often an action is run again, and when.
var Retry = &Block{
	What: "retry",
	Keys: []Key{
		{Name: "on", Kind: Failures, Doc: "The statuses and errors that are tried again."},
		{Name: "if", Kind: Condition, Doc: "What is tried again, by its response."},
		{
			Name: "attempts", Kind: Count, CUE: "int & >=1 | string",
			Whole: &Whole{Least: 1, Range: "from 1 on", Remedy: "It counts all attempts, the first one too."},
			Doc:   "How many attempts there are, the first one too.",
		},
		{Name: "backoff", Kind: Duration, Doc: "The first pause; each is twice the one before."},
		{Name: "maxBackoff", Kind: Duration, Doc: "The longest pause."},
		{Name: "jitter", Kind: Condition, Doc: "Whether pauses vary at random."},
	},
}
