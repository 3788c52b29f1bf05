package run

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/declprov/declprov/engine/run/entries"
	"github.com/declprov/declprov/engine/run/operation"
	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
	"github.com/declprov/declprov/spec/screen"
)

// missingObject is a resource with a recorded state, whose object a response says is gone, or is not for these
// credentials.
type missingObject struct {
	resource
	state recorded.State
}

// afterRead returns the result of a read that did not find the object.
func (m missingObject) afterRead(ctx context.Context, reason ReadReason, err error) Result {
	token := m.state.Private.Token
	if reason == Refresh && errors.Is(err, verdict.ErrDenied) {
		if err := m.confirmGone(ctx, "read was denied, and `gone` says that this means that it is gone"); err != nil {
			return Result{Err: err}
		}
	}
	if said := (*verdict.GoneError)(nil); errors.As(err, &said) && m.Log != nil {
		m.Log.Message(operation.Info, screen.Show(reasonGone(err), nil))
	}
	m.all.Tokens.Forget(m.Object(m.state), token)
	if reason == Refresh {
		m.warn(m.entries(token).CloseGone(m.state))
		m.listUnseen(m.state)
	}
	return Result{Gone: true}
}

// reasonGone returns why read finds that the object is gone. The error of the read says so after the step, as a failure does,
// but nothing has failed.
func reasonGone(err error) string {
	text := err.Error()
	return "read finds that " + text[max(0, strings.Index(text, verdict.ErrGone.Error())):]
}

// listUnseen warns of the object of a state that was never found, and lists it in the journal once no state tells of it.
func (res resource) listUnseen(s recorded.State) {
	if why := recorded.NeverSeen(res.Resource, s); why != nil {
		res.warn(why)
		about := entries.Creates{Entries: res.entries(s.Private.Token)}
		res.warn(about.ListUnseen(s, screen.Show(why.Error(), nil).String(), res.all.journal.Configuration))
	}
}

// confirmGone returns nil if find does not find the object either. Without find, nothing tells. denial says why it
// may be there nevertheless.
func (m missingObject) confirmGone(ctx context.Context, denial string) error {
	if m.Find == nil {
		return nil
	}
	id, _, found, err := m.FindID(ctx, m.state.Inputs)
	switch {
	case err != nil:
		return fmt.Errorf("%s; find, which would tell, fails: %w; if it is gone, remove it from the state: `pulumi state delete '%s'`", denial, err, m.Ref.Key)
	case found != nil && (id == "" || id == recorded.CurrentID(m.state)):
		return fmt.Errorf("%s; but find finds it: the credentials lack a right", denial)
	}
	return nil
}

// confirmDeleted returns an error if the object is still there after a delete that found nothing, because of
// a response that the credentials alone may cause.
func (m missingObject) confirmDeleted(ctx context.Context, why error) error {
	denial := "delete was denied, and `gone` says that this means that it is gone"
	hint := "the credentials lack a right"
	switch {
	case errors.Is(why, verdict.ErrUntold):
		denial, hint = why.Error(), "it was not deleted, or not yet"
	case errors.Is(why, verdict.ErrIdle):
		denial = why.Error()
	}
	if m.Read == nil && m.Find == nil && errors.Is(why, verdict.ErrUntold) && !errors.Is(why, verdict.ErrGone) {
		return fmt.Errorf("%s, and without read, nothing tells whether the object is gone: look in the service; if it is gone, run `pulumi state delete '%s'`", denial, m.Ref.Key)
	}
	if m.Read == nil {
		return m.confirmGone(ctx, denial)
	}
	_, _, err := m.ReadUntilSeen(ctx, m.state)
	switch {
	case errors.Is(err, verdict.ErrDenied):
		return m.confirmGone(ctx, denial)
	case errors.Is(err, verdict.ErrGone):
		return nil
	case err != nil:
		return fmt.Errorf("%s; read, which would tell, fails: %w", denial, err)
	}
	return fmt.Errorf("%s; but read finds it: %s", denial, hint)
}
