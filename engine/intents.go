package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
)

// journalled reports whether the step's intent is written down before it is sent:
// a create's effect of which somebody can say later what came of it, by its key
// or by `find`.
func (r *run) journalled(s *step) bool {
	return r.verb == create && !r.undoing && s.effect == actions.Write && s.forEach == nil && (s.keyed || s.uncertain && r.res.find != nil)
}

// inputsHash is the hash of a create's inputs, made when it is first asked for.
func (r *run) inputsHash() string {
	if r.hash == "" {
		r.hash = hashInputs(r.created)
	}
	return r.hash
}

// markOf is what tells the work of a create's step from everybody else's.
func (r *run) markOf(s *step) string {
	if r.verb != create || r.undoing || s.kind == nil || !s.kind.Marked {
		return ""
	}
	return r.what(s).Hash()
}

// what says which create a step is of.
func (r *run) what(s *step) journal.What {
	resource := r.ref.Key
	if resource == "" {
		resource = r.ref.Name
	}
	return journal.What{
		Provider: r.engine.program.provider.Name, Type: r.ref.Type, Resource: resource,
		Settings: r.engine.settings, Inputs: r.inputsHash(), Step: s.index,
	}
}

// intended runs a step whose intent is journalled: what an earlier run began is
// settled first, and what this one begins is written down before it is sent.
func (r *run) intended(ctx context.Context, s *step) (any, error) {
	book, err := r.engine.book()
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	intent, adopted, err := book.Begin(r.what(s))
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	r.intents = append(r.intents, intent)
	if adopted && !s.keyed {
		found, err := r.find(ctx, s)
		if err != nil {
			return nil, r.stop(s, 1, actions.Refused, errors.Join(err, book.Lose(intent)))
		}
		if found != nil {
			r.log.Message(Info, "an earlier run made it, and its answer was lost: it was found, and is taken over")
			r.effect(s, actions.Succeed(found))
			return found, book.Answer(intent, "")
		}
	}
	r.key, r.lost = intent.Key, false
	value, err := r.attempts(ctx, s)
	r.key = ""
	var stopped *StepError
	switch errors.As(err, &stopped); {
	case err == nil:
		err = book.Answer(intent, "")
	case stopped.status == actions.Lost && !s.keyed:
		value, err = r.afterLoss(ctx, s, book, intent, err)
	case !r.lost && (stopped.status == actions.Refused || stopped.status == actions.Gone):
		r.intents = r.intents[:len(r.intents)-1]
		err = errors.Join(err, book.Settle(intent.What))
	default:
		err = errors.Join(err, book.Lose(intent))
	}
	return value, err
}

// afterLoss looks at once for what a create without an answer may have made.
func (r *run) afterLoss(ctx context.Context, s *step, book *journal.Journal, intent journal.Intent, lost error) (any, error) {
	found, err := r.find(ctx, s)
	switch {
	case err != nil:
		return nil, errors.Join(lost, err, book.Lose(intent))
	case found != nil:
		return found, book.Answer(intent, "")
	default:
		return nil, errors.Join(fmt.Errorf("%w; nothing was found of it now, and the next run looks again before it sends anything", lost), book.Lose(intent))
	}
}

// reopen takes back that answers came, where nothing in them said what was made:
// the next run has to look, and a person may.
func (r *run) reopen() error {
	return r.eachIntent(func(book *journal.Journal, i journal.Intent) error { return book.Lose(i) })
}

// forgetFrom settles the intents of what was undone, from a step on: what comes
// next under the same inputs is another create, and no server may take it for
// this one.
func (r *run) forgetFrom(undone *step) error {
	return r.eachIntent(func(book *journal.Journal, i journal.Intent) error {
		if i.Step < undone.index {
			return nil
		}
		return book.Settle(i.What)
	})
}

func (r *run) eachIntent(do func(*journal.Journal, journal.Intent) error) error {
	if len(r.intents) == 0 {
		return nil
	}
	book, err := r.engine.book()
	for _, i := range r.intents {
		if err == nil {
			err = do(book, i)
		}
	}
	return err
}

// book is the engine's journal.
func (e *Engine) book() (*journal.Journal, error) {
	dir := e.journal
	if dir == "" {
		var err error
		if dir, err = journal.DefaultDir(e.getenv); err != nil {
			return nil, err
		}
	}
	return journal.In(dir), nil
}

// settleRecorded settles the intents of a resource that the host shows to have
// recorded: it has an id, and so cannot be created again.
func (e *Engine) settleRecorded(res *resource, ref Ref, s State) {
	if !res.journalled || s.ID == "" {
		return
	}
	book, err := e.book()
	if err != nil {
		return // nothing could have been written either
	}
	r := &run{engine: e, res: res, ref: ref, created: s.Inputs}
	done := len(res.create.steps)
	if f := s.Private.Failed; f != nil && f.Op == string(create) {
		done = f.Step // what is still to be done keeps its intent
	}
	for _, step := range res.create.steps[:min(done, len(res.create.steps))] {
		if step.keyed || step.uncertain {
			// An intent that stays is listed, and does no harm.
			_ = book.Settle(r.what(step))
		}
	}
}
