package run

import (
	"context"
	"errors"
	"fmt"

	"github.com/declprov/declprov/engine/run/recorded"
	"github.com/declprov/declprov/engine/run/verdict"
)

// denied is a resource with a recorded state, about whose object a response said that it is gone, or
// that the credentials do not allow to see or delete it.
type denied struct {
	resource
	state recorded.State
}

// confirmGone returns nil if find does not find the object either. Without find, nothing tells.
func (d denied) confirmGone(ctx context.Context) error {
	if d.Find == nil {
		return nil
	}
	const denial = "read was denied, and `gone` says that this means that it is gone"
	id, _, found, err := d.findID(ctx, d.state.Inputs)
	switch {
	case err != nil:
		return fmt.Errorf("%s; find, which would tell, fails: %w; if it is gone, remove it from the state: `pulumi state delete '%s'`", denial, err, d.ref.Key)
	case found != nil && (id == "" || id == recorded.CurrentID(d.state)):
		return fmt.Errorf("%s; but find finds it: the credentials lack a right", denial)
	}
	return nil
}

// confirmDeleted returns an error if the object is still there after a delete that found nothing.
func (d denied) confirmDeleted(ctx context.Context) error {
	if d.Read == nil {
		return d.confirmGone(ctx)
	}
	const denial = "delete was denied, and `gone` says that this means that it is gone"
	_, _, err := d.readUntilSeen(ctx, d.state)
	switch {
	case errors.Is(err, verdict.ErrDenied):
		return d.confirmGone(ctx)
	case errors.Is(err, verdict.ErrGone):
		return nil
	case err != nil:
		return fmt.Errorf("%s; read, which would tell, fails: %w", denial, err)
	}
	return fmt.Errorf("%s; but read finds it: the credentials lack a right", denial)
}
