package block

import (
	"fmt"

	"github.com/declprov/declprov/spec"
)

// Operation is a single step or a list of steps.
var Operation = &Block{
	Name: "Operation", What: "an operation", Doc: "A single step or a list of steps.", Has: []string{"Step"},
	Keys: []Key{
		{Name: "steps", Kind: Steps, Doc: "The steps, in order."},
		{Name: "return", Kind: Data, Part: true, Into: to(func(o *spec.Operation) any { return &o.Return }), Doc: "What the operation returns."},
		{Name: "let", Kind: Special, CUE: "{...}", Part: true, Into: to(func(o *spec.Operation) any { return &o.Let }), Doc: "Local names: expressions by name. A template may use each like `inputs` or `id`."},
		{Name: "retry", Kind: Struct, Of: Retry, CUE: "_", Into: to(func(o *spec.Operation) any { return &o.Retry }), Doc: "Next to `steps`: runs all steps again if one is refused."},
		{Name: "lock", Kind: Template, Into: to(func(o *spec.Operation) any { return &o.Lock }), Doc: "Next to `steps`: a text. Operations and steps with the same text never run concurrently. The lock is held from the first step to the last."},
	},
}

// Step is one action with its conditions, retries and limits. A key that it does not
// declare names a family of actions, which the compiler checks.
var Step = &Block{
	Name: "Step", What: "a step", Doc: "One action with its conditions, retries and limits.",
	Keys: []Key{
		{Name: "as", Kind: Text, CUE: fmt.Sprintf("=~%q", Identifiers.Pattern), Doc: "Names the result: ${steps.NAME}."},
		{Name: "if", Kind: Condition, Into: to(func(s *spec.Step) any { return &s.If }), Doc: "Runs the step only if true."},
		{Name: "forEach", Kind: Collection, Into: to(func(s *spec.Step) any { return &s.ForEach }), Doc: "Runs the step once for each element."},
		{Name: "until", Kind: Condition, Into: to(func(s *spec.Step) any { return &s.Until }), Doc: "Repeats the action until this is true."},
		{Name: "every", Kind: Duration, Into: to(func(s *spec.Step) any { return &s.Every }), Doc: `The pause between the attempts of until; "5s" by default.`},
		{Name: "timeout", Kind: Duration, Into: to(func(s *spec.Step) any { return &s.Timeout }), Doc: `The time limit for all attempts: "10m".`},
		{Name: "retry", Kind: Struct, Of: Retry, Null: true, Into: to(func(s *spec.Step) any { return &s.Retry }), Doc: "When to run the action again after a failure."},
		{Name: "refused", Kind: Template, Null: true, Into: to(func(s *spec.Step) any { return &s.Refused }), Doc: "A message if the action had no effect, or else null. A message takes precedence over the status of the response."},
		{Name: "fail", Kind: Template, Null: true, Into: to(func(s *spec.Step) any { return &s.Fail }), Doc: "A message that makes the step fail although the action ran, or else null."},
		{Name: "progress", Kind: Template, Into: to(func(s *spec.Step) any { return &s.Progress }), Doc: "A message that is shown while the step runs."},
		{Name: "gone", Kind: Condition, Into: to(func(s *spec.Step) any { return &s.Gone }), Doc: "If true, the object does not exist."},
		{Name: "preview", Kind: Bool, Doc: "Also runs the step in previews."},
		{Name: "onFailure", Kind: Steps, Doc: "In `create`: the steps that undo this step if it fails after a possible effect, or if a later step fails that does not only wait for what was begun. Of a step that waits, only `fail` counts."},
		{Name: "lock", Kind: Template, Into: to(func(s *spec.Step) any { return &s.Lock }), Doc: "A text. Steps with the same text never run concurrently."},
		{Name: "restart", Kind: Text, Doc: "The name of an earlier step. A run that would resume at this step starts again at the earlier one."},
	},
}

// Retry describes when and how often an action is repeated.
var Retry = &Block{
	What: "retry",
	Keys: []Key{
		{Name: "on", Kind: Failures, Doc: "The failures that are retried: statuses, exit codes, \"timeout\", \"connection\"."},
		{Name: "if", Kind: Condition, Doc: "The condition for a retry."},
		{
			Name: "attempts", Kind: Count, CUE: "int & >=1 | string",
			Whole: &Whole{Least: 1, Range: "of at least 1", Remedy: "It is the number of all attempts, including the first."},
			Doc:   "The number of attempts, including the first; 4 by default.",
		},
		{Name: "backoff", Kind: Duration, Doc: `The first pause; "500ms" by default. Each further pause is twice as long.`},
		{Name: "maxBackoff", Kind: Duration, Doc: `The longest pause; "30s" by default.`},
		{Name: "jitter", Kind: Condition, Doc: "Whether pauses vary randomly; true by default."},
	},
}

// Defaults are the keys of steps that the block of defaults of any family may have.
var Defaults = &Block{
	What: "a block of defaults",
	Keys: []Key{*Step.Key("retry"), *Step.Key("refused"), *Step.Key("fail")},
}
