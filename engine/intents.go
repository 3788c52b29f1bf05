package engine

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine/journal"
	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec/screen"
)

// canLook reports whether the resource's find can tell what became of a step.
func (r *run) canLook(s *plan.Step) bool {
	return r.verb == plan.Create && !r.undoing && r.res.Finds(s) && r.looked
}

// certainty is what is known of a step whose response is lost. An update that may give
// the resource another name is not safe to repeat, whatever its method: done once, it
// leaves nothing where the second request goes, and a "not found" proves nothing.
func (r *run) certainty(s *plan.Step) actions.Certainty {
	if s.Certainty == actions.Safe && r.verb == plan.Update && !r.undoing && r.renames() {
		return actions.Conditional
	}
	return s.Certainty
}

// renames reports whether an update changes an input that the id is made of, or that
// find looks by.
func (r *run) renames() bool {
	return slices.ContainsFunc(r.res.Names, func(name string) bool { return !value.PlainEqual(r.before.Get(name), r.given.Get(name)) })
}

// journalled reports whether the step's intent is written down before it is sent,
// and whether it has to survive a loss of power. That of a create without key or
// find is only written once its response is lost: nothing could settle it, and it
// is labelled at least once.
func (r *run) journalled(s *plan.Step) (before, sync bool) {
	switch {
	case r.undoing || r.res == nil || s.Effect != actions.Write || s.Certainty == actions.Settled:
		return false, false
	case s.Certainty == actions.Keyed:
		return r.verb == plan.Create || r.verb == plan.Update, true
	case r.verb == plan.Update:
		// Without find nothing settles it; a rename is listed all the same, because under
		// its old name nothing would tell that the object is there.
		return r.certainty(s) != actions.Safe && (r.res.Find != nil || r.renames()), true
	case r.verb == plan.Create:
		return r.res.Finds(s) || s.Certainty != actions.Uncertain, r.res.Finds(s)
	default:
		return false, false
	}
}

// inputsHash is the hash of the inputs, made when it is first asked for. Whoever reads
// it in the journal learns nothing of what is secret among them.
func (r *run) inputsHash() string {
	if r.hash == "" {
		r.hash, _ = r.engine.keyed(hashInputs(r.given))
	}
	return r.hash
}

// keyed is a hash that only those can make who have the journal's key. Where that cannot be
// read known is false, and only this process can make it.
func (e *Engine) keyed(text string) (sum string, known bool) {
	key, err := e.journalKey()
	if err != nil {
		key = e.ownKey()
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil)), err == nil
}

// markOf is what tells the work of a create's step from everybody else's.
func (r *run) markOf(s *plan.Step) string {
	if r.verb != plan.Create || r.undoing || s.Kind == nil || !s.Kind.Marked {
		return ""
	}
	of := r.subject()
	mark, known := r.engine.keyed(strings.Join([]string{of.Provider, of.Type, of.Resource, of.Settings, r.inputsHash(), fmt.Sprint(s.Index), r.at}, "\x00"))
	if !known {
		return "" // anybody could make it, and guess by it
	}
	return mark[:32]
}

// intent is that of the step that runs.
func (r *run) intent(s *plan.Step) journal.Intent {
	op := journal.Create
	if r.verb == plan.Update {
		op = journal.Update
	}
	i := journal.Intent{
		Subject: r.subject(), Operation: op, Token: r.token, ID: r.id,
		Step: s.Index, StepName: s.Name, Element: r.at, Hash: r.inputsHash(), Looked: r.looked,
		Proves:        r.verb == plan.Update && r.looked && !r.effected,
		Configuration: r.engine.configuration,
	}
	if r.remakes && s == r.res.Maker {
		i.ID = "" // that of the object that was undone
	}
	if r.res.Find != nil || s.Certainty == actions.Keyed {
		i.Inputs, i.Withheld = value.Recordable(r.given)
	}
	return i
}

// sameEffect is the intent of an earlier run that was about the same effect, and
// that a run may go on with; nil where there is none. What may be done twice and
// cannot be found stays in the journal for people.
func (r *run) sameEffect(s *plan.Step) (*journal.Intent, error) {
	list, err := r.earlier()
	if err != nil || s.Certainty == actions.Uncertain && !r.res.Finds(s) && r.verb == plan.Create {
		return nil, err
	}
	now := r.intent(s)
	for n := range slices.Backward(list) {
		i := list[n]
		if i.Operation == now.Operation && i.Step == now.Step && i.Element == now.Element && i.Hash == now.Hash && r.mayTake(i) &&
			(i.Operation == journal.Create || i.Token == now.Token) { // an update is of one object
			return &i, nil
		}
	}
	return nil, nil
}

// settled runs a step under its intent: what an earlier run began is settled
// first, and what this one begins is written down before it is sent.
func (r *run) settled(ctx context.Context, s *plan.Step) (any, error) {
	before, sync := r.journalled(s)
	if !before {
		value, err := r.noted(s, func() (any, error) { return r.attempts(ctx, s, false) })
		return value, r.noteLate(s, err)
	}
	book, err := r.engine.book()
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	if _, err := r.engine.journalKey(); err != nil {
		return nil, r.stop(s, 1, actions.Refused, err) // nothing would tell this create from another
	}
	intent, doubt, err := r.begin(book, s, sync)
	if err != nil {
		return nil, r.stop(s, 1, actions.Refused, err)
	}
	// What may be repeated needs no find, unless that can prove whose it is.
	if doubt && r.verb == plan.Create && r.res.Finds(s) && (intent.Looked || !s.Certainty.Repeatable()) {
		found, err := r.lookUntil(ctx, s, intent)
		if err != nil {
			return nil, r.leaveOpen(book, s, intent, r.stop(s, 1, actions.Unknown, err))
		}
		if found != nil {
			value, err := r.adopt(ctx, book, s, intent, found)
			if err == nil {
				r.log.Message(Info, "an earlier run made it, and its response was lost: it was found, and is taken over")
			}
			return value, err
		}
		r.sending = &intent
		if err := r.sendsAgain(); err != nil {
			return nil, r.leaveOpen(book, s, intent, r.stop(s, 1, actions.Unknown, err))
		}
		doubt = false
	}
	if doubt {
		moved, err := r.moved(ctx, s, &intent)
		if err != nil {
			return nil, r.leaveOpen(book, s, intent, r.stop(s, 1, actions.Unknown, err))
		}
		if moved {
			r.mention(book.Put(intent, false))
			return nil, nil
		}
	}
	r.key, r.sending = intent.Key, &intent
	defer func() {
		r.key, r.sending = "", nil
		if bug := recover(); bug != nil {
			// The process lives on, and the intent must not look as if it were worked on.
			intent.Status = journal.Unknown
			_ = book.Put(intent, true)
			panic(bug)
		}
	}()
	value, err := r.attempts(ctx, s, doubt)
	if err == nil && doubt {
		switch stale, looked := r.stale(ctx, s, value); {
		case looked != nil:
			return nil, r.leaveOpen(book, s, intent, r.stop(s, 1, actions.Unknown, looked))
		case stale:
			if err = errors.Join(r.forget(intent), r.beginAnew(book, s, sync, &intent)); err != nil {
				return nil, r.stop(s, 1, actions.Refused, err)
			}
			value, err = r.attempts(ctx, s, false)
		}
	}
	return r.close(ctx, book, s, intent, value, err)
}

// stale reports whether a step that was sent again with the key of an earlier run got the
// response that the server keeps for that key, and what it tells of has gone since.
func (r *run) stale(ctx context.Context, s *plan.Step, response any) (bool, error) {
	if r.verb != plan.Create || s.Certainty != actions.Keyed || s != r.res.Maker || r.res.Read == nil || r.until > 0 {
		return false, nil // a run that pauses behind it looks by itself
	}
	id := r.idIn(s, response)
	if id == "" {
		return false, nil
	}
	there := false
	err := r.untilSeen(ctx, journal.Intent{Sent: time.Now()}, func() (_ bool, err error) {
		there, err = r.standing(ctx, id)
		return there, err
	})
	return err == nil && !there, err
}

// beginAnew writes down a new intent of a step, with another key, and makes it the one
// that is sent.
func (r *run) beginAnew(book *journal.Journal, s *plan.Step, sync bool, intent *journal.Intent) (err error) {
	r.log.Message(Info, "the server answered with what an earlier run had made, which is gone: it is made anew")
	*intent, err = book.Begin(r.intent(s), sync)
	if err == nil {
		r.intents = append(r.intents, *intent)
		r.key = intent.Key
	}
	return err
}

// sendsAgain writes down that the step is sent again, now that nothing came of an
// earlier attempt: what this one makes may stay unseen for as long.
func (r *run) sendsAgain() error {
	if r.sending == nil {
		return nil
	}
	book, err := r.engine.book()
	if err != nil {
		return err
	}
	r.sending.Sent = time.Now().UTC()
	return book.Put(*r.sending, true)
}

// begin writes the intent of a step, or goes on with that of an earlier run: then
// there is doubt whether the step was done.
func (r *run) begin(book *journal.Journal, s *plan.Step, sync bool) (intent journal.Intent, doubt bool, err error) {
	same, err := r.sameEffect(s)
	if err != nil {
		return intent, false, err
	}
	if same == nil {
		doubt = r.begunBefore(s)
		intent, err = book.Begin(r.intent(s), sync)
	} else {
		doubt = true
		if intent, err = book.Claim(*same); err == nil && intent.Token != r.token {
			intent.Token = r.token
			if err = book.Put(intent, false); err != nil {
				intent.Status = journal.Unknown
				err = errors.Join(err, book.Put(intent, false))
			}
		}
	}
	if err == nil {
		r.intents = append(r.intents, intent)
	}
	return intent, doubt, err
}

// begunBefore reports whether the journal has an earlier create of the resource, with
// whatever inputs, that may have done this step: handed to a host that never showed it, or
// left open. A server that now says that the thing exists may mean what that one made.
func (r *run) begunBefore(s *plan.Step) bool {
	if r.verb != plan.Create || s.Certainty != actions.Conditional || r.res.Finds(s) {
		return false
	}
	list, err := r.earlier()
	return err == nil && slices.ContainsFunc(list, func(i journal.Intent) bool {
		return i.Operation == journal.Create && i.Step == s.Index && i.Element == r.at && i.Status != journal.Failed
	})
}

// close writes down what came of a step.
func (r *run) close(ctx context.Context, book *journal.Journal, s *plan.Step, intent journal.Intent, value any, err error) (any, error) {
	if err == nil {
		intent.Status, intent.ID = journal.Answered, r.idGiven(s, value)
		if r.verb == plan.Update && r.idIn(s, value) == "" {
			intent.Status = journal.Unknown // should nothing more come of this run, find is asked
		}
		r.mention(errors.Join(book.Put(intent, false), r.forgetFailed(s)))
		return value, nil
	}
	switch statusOf(err) {
	case actions.Refused, actions.Gone:
		return nil, errors.Join(err, r.forget(intent))
	case actions.Failed:
		intent.Status, intent.Error = journal.Failed, screen.Show(err.Error(), r.Mask()).String()
		return nil, errors.Join(err, book.Put(intent, false))
	}
	if stopped(ctx) == nil {
		if moved, looked := r.moved(ctx, s, &intent); looked != nil {
			err = errors.Join(err, looked)
		} else if moved {
			r.mention(book.Put(intent, false))
			return nil, nil
		}
	}
	if r.canLook(s) && stopped(ctx) == nil {
		switch found, looked := r.find(ctx, s); {
		case looked != nil:
			err = errors.Join(err, looked)
		case found != nil:
			return r.adopt(ctx, book, s, intent, found)
		default:
			err = fmt.Errorf("%w; nothing was found of it now, and the next run looks again before it sends anything", err)
		}
	}
	return nil, r.leaveOpen(book, s, intent, err)
}

// adopt takes what find found for the result of a step whose response was lost.
// Only an intent that says that there was nothing before allows it, and only if
// nothing speaks against it.
func (r *run) adopt(ctx context.Context, book *journal.Journal, s *plan.Step, intent journal.Intent, found any) (any, error) {
	if intent.ID != "" && intent.ID != r.idGiven(s, found) {
		switch there, err := r.standing(ctx, intent.ID); {
		case err != nil:
			return nil, r.leaveOpen(book, s, intent, r.stop(s, 1, actions.Unknown, err))
		case there:
			return nil, r.leave(book, intent, r.stop(s, 1, actions.Unknown, r.besides(s, found, intent)))
		}
		err := fmt.Errorf("it exists already%s, and is not what an earlier create made: import it if it is yours, else choose another name", r.idOf(s, found))
		return nil, errors.Join(r.stop(s, 1, actions.Refused, err), r.forget(intent))
	}
	if !intent.Looked {
		return nil, r.leave(book, intent, r.foundOther(s, found, intent.Key, "nobody knows whether this create made it"))
	}
	switch why, err := r.notOwn(ctx, s, found, nil, r.given); {
	case err != nil:
		return nil, r.leaveOpen(book, s, intent, r.stop(s, 1, actions.Unknown, err))
	case why != "":
		return nil, r.leave(book, intent, r.foundOther(s, found, intent.Key, why))
	}
	r.effect(s, verdict{status: actions.Done, value: found})
	intent.Status, intent.ID = journal.Answered, r.idGiven(s, found)
	r.mention(book.Put(intent, false))
	return found, nil
}

// idGiven is the id that a create's response gives, "" where it gives none.
func (r *run) idGiven(s *plan.Step, response any) string {
	if s != r.res.Maker || r.verb != plan.Create {
		return r.id
	}
	return r.idIn(s, response)
}

// idIn is the id that a response gives, "" where it gives none.
func (r *run) idIn(s *plan.Step, response any) string {
	id := ""
	_ = r.WithResult(s, response, func() (err error) {
		id, err = r.evalID()
		return err
	})
	return id
}

// idOf is the id of what find found, in words, where it can be told.
func (r *run) idOf(s *plan.Step, found any) string {
	if id := r.idGiven(s, found); id != "" {
		return fmt.Sprintf(" (its id is %q)", id)
	}
	return ""
}

// mention logs that the journal could not be kept up to date after a response came:
// the resource is recorded all the same, and that settles the intent later.
func (r *run) mention(err error) {
	if err != nil {
		r.log.Message(Warning, err.Error())
	}
}

// leaveOpen writes down that nobody knows what came of an intent, and says in the
// error what settles it.
func (r *run) leaveOpen(book *journal.Journal, s *plan.Step, intent journal.Intent, err error) error {
	return r.named(s, intent, r.leave(book, intent, err))
}

// leave writes down that nobody knows what came of an intent, of which the error says
// what settles it.
func (r *run) leave(book *journal.Journal, intent journal.Intent, err error) error {
	intent.Status, intent.Sent = journal.Unknown, time.Now().UTC()
	intent.Error = screen.Show(err.Error(), r.Mask()).String()
	return errors.Join(err, book.Put(intent, true))
}

// named adds to an error that leaves an intent open what settles it.
func (r *run) named(s *plan.Step, i journal.Intent, err error) error {
	again := r.res.Finds(s) || s.Certainty.Repeatable() || r.verb == plan.Update
	var failed *StepError
	refused := errors.As(err, &failed) && failed.refused
	switch {
	case refused && r.verb == plan.Create && r.res.Maker != nil && s.Index > r.res.Maker.Index:
		return fmt.Errorf("%w; an earlier attempt may have been done, and this one was refused: look in the service for what it makes, and remove it if it is left of that; "+
			"then `declprov journal forget %s`, and `pulumi up`", err, i.Key)
	case refused && !r.res.Finds(s) && r.verb == plan.Create:
		return fmt.Errorf("%w; an earlier attempt may have been done, and this one was refused: look for it in the service, and import it if it is there; "+
			"then `declprov journal forget %s` takes it off the list", err, i.Key)
	case r.verb == plan.Update && r.res.Find == nil && s.Certainty != actions.Keyed && r.renames():
		return fmt.Errorf("%w; nobody knows whether it has its new name: look for it in the service. If it has, run `pulumi state delete` and `pulumi import`, else `pulumi up`; "+
			"`declprov journal` lists it until `declprov journal forget %s`", err, i.Key)
	case again:
		return fmt.Errorf("%w; nobody knows whether it was done: run `pulumi up`, which settles it; `declprov journal` lists it until then", err)
	case s.Certainty == actions.Conditional:
		return fmt.Errorf("%w; nobody knows whether it was done: look for it in the service before you run `pulumi up` again, which is refused if it was; "+
			"`declprov journal` lists it until `declprov journal forget %s`", err, i.Key)
	default:
		return fmt.Errorf("%w; nobody knows whether it was done: look for it in the service before you run `pulumi up` again, which does it again; "+
			"`declprov journal` lists it until `declprov journal forget %s`", err, i.Key)
	}
}

// noteLate lists a create without key or find once its response is lost.
func (r *run) noteLate(s *plan.Step, err error) error {
	if err == nil && r.verb == plan.Create && !r.undoing && s.Certainty == actions.Uncertain {
		if book, opened := r.engine.book(); opened == nil && book.Has(r.subject()) {
			r.mention(r.forgetFailed(s))
		}
	}
	if err == nil || statusOf(err) == actions.Refused || statusOf(err) == actions.Gone || r.verb != plan.Create || r.undoing ||
		s.Effect != actions.Write || s.Certainty == actions.Settled {
		return err
	}
	book, opened := r.engine.book()
	if opened != nil {
		return errors.Join(err, opened)
	}
	intent, begun := book.Begin(r.intent(s), false)
	if begun != nil {
		return errors.Join(err, begun)
	}
	r.intents = append(r.intents, intent)
	if statusOf(err) == actions.Unknown {
		return r.leaveOpen(book, s, intent, err)
	}
	intent.Status, intent.Error = journal.Failed, screen.Show(err.Error(), r.Mask()).String()
	return errors.Join(err, book.Put(intent, false))
}

// reopen takes back that responses came, where nothing in them said what was made or moved:
// the next run has to look, and a person may. What was not written down before is
// listed now.
func (r *run) reopen(undone map[int]bool, failure error) error {
	book, err := r.engine.book()
	if err != nil {
		return err
	}
	// Those that are there now: what was refused is forgotten, and stays so.
	list, err := book.Of(r.subject())
	for _, i := range list {
		begun := slices.ContainsFunc(r.intents, func(own journal.Intent) bool { return own.Key == i.Key })
		if !begun || i.Status == journal.Failed || undone[i.Step] {
			continue
		}
		i.Status = journal.Unknown
		err = errors.Join(err, book.Put(i, true))
	}
	for _, t := range r.touched {
		if undone[t.step.Index] || slices.ContainsFunc(r.intents, func(i journal.Intent) bool { return i.Step == t.step.Index }) {
			continue
		}
		i, begun := book.Begin(r.intent(t.step), false)
		i.Status, i.Sent, i.Error = journal.Unknown, time.Now().UTC(), screen.Show(failure.Error(), r.Mask()).String()
		if begun == nil {
			begun = book.Put(i, true)
		}
		err = errors.Join(err, begun)
	}
	return err
}
