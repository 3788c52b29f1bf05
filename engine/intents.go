package engine

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"

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
	of := r.subject()
	sum := sha256.Sum256([]byte(strings.Join([]string{of.Provider, of.Type, of.Resource, of.Settings, r.inputsHash(), fmt.Sprint(s.index)}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// subject says which resource the run is about.
func (r *run) subject() journal.Subject {
	return journal.Subject{
		Provider: r.engine.program.provider.Name, Type: r.ref.Type, Resource: cmp.Or(r.ref.Key, r.ref.Name), Settings: r.engine.settings,
	}
}

// begin writes the intent of a create's step, or goes on with the one that an
// earlier run left.
func (r *run) begin(book *journal.Journal, s *step) (intent journal.Intent, adopted bool, err error) {
	before, err := book.Of(r.subject())
	if err != nil {
		return intent, false, err
	}
	for _, i := range before {
		if i.Operation == journal.Create && i.Step == s.index && i.Hash == r.inputsHash() {
			intent, err = book.Claim(i)
			return intent, true, err
		}
	}
	inputs, withheld := recordable(r.created)
	intent, err = book.Begin(journal.Intent{
		Subject: r.subject(), Operation: journal.Create, Step: s.index, StepName: s.name, Hash: r.inputsHash(),
		Inputs: inputs, Withheld: withheld, Configuration: r.engine.configuration,
	}, true)
	return intent, false, err
}

// answered notes that a response came.
func answered(book *journal.Journal, i journal.Intent) error {
	i.Status = journal.Answered
	return book.Put(i, false)
}

// lose notes that nobody knows what came of an intent.
func lose(book *journal.Journal, i journal.Intent) error {
	i.Status = journal.Unknown
	return book.Put(i, true)
}

func settle(book *journal.Journal, i journal.Intent) error {
	return book.Settle(i.Subject, func(other journal.Intent) bool { return other.Key == i.Key })
}

// intended runs a step whose intent is journalled: what an earlier run began is
// settled first, and what this one begins is written down before it is sent.
func (r *run) intended(ctx context.Context, s *step) (any, error) {
	book, err := r.engine.book()
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	intent, adopted, err := r.begin(book, s)
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	r.intents = append(r.intents, intent)
	if adopted && !s.keyed {
		found, err := r.find(ctx, s)
		if err != nil {
			return nil, r.stop(s, 1, actions.Refused, errors.Join(err, lose(book, intent)))
		}
		if found != nil {
			r.log.Message(Info, "an earlier run made it, and its answer was lost: it was found, and is taken over")
			r.effect(s, actions.Succeed(found))
			return found, answered(book, intent)
		}
	}
	r.key, r.lost = intent.Key, false
	value, err := r.attempts(ctx, s)
	r.key = ""
	var stopped *StepError
	switch errors.As(err, &stopped); {
	case err == nil:
		err = answered(book, intent)
	case stopped.status == actions.Lost && !s.keyed && !Stopped(ctx):
		value, err = r.afterLoss(ctx, s, book, intent, err)
	case !r.lost && (stopped.status == actions.Refused || stopped.status == actions.Gone):
		r.intents = r.intents[:len(r.intents)-1]
		err = errors.Join(err, settle(book, intent))
	default:
		err = leftOpen(ctx, errors.Join(err, lose(book, intent)))
	}
	return value, err
}

// afterLoss looks at once for what a create without an answer may have made.
func (r *run) afterLoss(ctx context.Context, s *step, book *journal.Journal, intent journal.Intent, lost error) (any, error) {
	found, err := r.find(ctx, s)
	switch {
	case err != nil:
		return nil, leftOpen(ctx, errors.Join(lost, err, lose(book, intent)))
	case found != nil:
		return found, answered(book, intent)
	default:
		return nil, errors.Join(fmt.Errorf("%w; nothing was found of it now, and the next run looks again before it sends anything", lost), lose(book, intent))
	}
}

// reopen takes back that answers came, where nothing in them said what was made:
// the next run has to look, and a person may.
func (r *run) reopen() error {
	return r.eachIntent(func(book *journal.Journal, i journal.Intent) error { return lose(book, i) })
}

// forgetFrom settles the intents of what was undone, from a step on: what comes
// next under the same inputs is another create, and no server may take it for
// this one.
func (r *run) forgetFrom(undone *step) error {
	return r.eachIntent(func(book *journal.Journal, i journal.Intent) error {
		if i.Step < undone.index {
			return nil
		}
		return settle(book, i)
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
func (e *Engine) book() (*journal.Journal, error) { return e.openJournal() }

// openingJournal opens the journal of a folder once; "" is the user's own.
func openingJournal(dir string, getenv func(string) string) func() (*journal.Journal, error) {
	return sync.OnceValues(func() (*journal.Journal, error) {
		if dir != "" {
			return journal.In(dir), nil
		}
		dir, err := journal.DefaultDir(getenv)
		return journal.In(dir), err
	})
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
	// An intent that stays is listed, and does no harm.
	_ = book.Settle(r.subject(), func(i journal.Intent) bool { return i.Step < done && i.Hash == r.inputsHash() })
}
