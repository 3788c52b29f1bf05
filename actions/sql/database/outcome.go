package database

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/declprov/declprov/actions"
)

// sent is what was sent when an error occurred.
type sent uint8

const (
	// nothingSent: no statement.
	nothingSent sent = iota
	// sentReading: a query, which changes nothing.
	sentReading
	// sentWithin: a statement in a transaction whose commit was not sent. If the connection is
	// lost, the server rolls the transaction back.
	sentWithin
	// sentAlone: a statement without a transaction, or the commit of one. The server's error
	// means that nothing was done.
	sentAlone
	// sentInParts: a statement that may fail after a part of its effect, or several of which
	// one commits.
	sentInParts
)

// serverError is an error that the server reported.
type serverError struct {
	class, text string
	// noEffect says that the statement had no effect, and that its transaction has none. It is
	// false if the server ended while it worked on the statement.
	noEffect bool
	// again says that another attempt may succeed.
	again bool
	// canceled says that the server canceled the statement.
	canceled bool
}

// timeoutError is the cause of a context whose time is up.
type timeoutError time.Duration

func (e timeoutError) Error() string {
	return fmt.Sprintf("no result within %s (set `timeout` to allow more)", time.Duration(e))
}

// limitError says that a result exceeds a limit of the spec. The statement took effect.
type limitError struct{ error }

// connectOutcome returns the outcome of a failed connection: nothing was sent.
func (r *run) connectOutcome(ctx context.Context, err error) actions.Outcome {
	out := r.outcome(ctx, err, nothingSent)
	if out.Class == "" && !errors.Is(err, fs.ErrPermission) && ctx.Err() == nil {
		out.Class = "connection"
		var op *net.OpError
		out.Again = errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	}
	out.Err = fmt.Errorf("cannot connect to %s: %w", r.args.title(), out.Err)
	return out
}

// title returns the server or file for a message.
func (t *target) title() string {
	switch {
	case t.File != "":
		return t.File
	case t.Socket != "":
		return t.Socket
	default:
		return net.JoinHostPort(t.Host, t.port())
	}
}

// outcome returns the outcome of a failed run.
func (r *run) outcome(ctx context.Context, err error, state sent) actions.Outcome {
	out := actions.Outcome{Status: actions.Refused, Err: r.masked(err)}
	if large := (*pgproto3.ExceededMaxBodyLenErr)(nil); errors.As(err, &large) && state > nothingSent {
		err = errTooLarge
		out.Err = err
	}
	reported, isServer := r.backend.serverError(err)
	var limit limitError
	switch {
	case isServer && (reported.noEffect || state < sentAlone):
		out.Class, out.Again = reported.class, reported.again
		if state == sentInParts {
			out.Status, out.Again = actions.Failed, false
		}
		if reported.canceled && ctx.Err() != nil {
			out.Class, out.Err = contextClass(ctx), fmt.Errorf("the server canceled the statement: %w", context.Cause(ctx))
		} else {
			out.Err = r.masked(errors.New(prefixOf(err, reported) + reported.text))
		}
		return out
	case errors.As(err, &limit):
		if state >= sentAlone {
			out.Status = actions.Failed
		}
		return out
	case r.isUnsent(err) && ctx.Err() == nil:
		out.Again, out.Class = isNetwork(err), networkClass(err)
		if state == sentInParts {
			out.Status, out.Again = actions.Failed, false
		}
		return out
	}
	out.Class, out.Again = "connection", true
	if ctx.Err() != nil {
		out.Class, out.Again, out.Err = contextClass(ctx), false, context.Cause(ctx)
	}
	if state >= sentAlone {
		out.Status = actions.Unknown
		out.Err = fmt.Errorf("the statement was sent, but its result is not known: %w", out.Err)
	}
	return out
}

// prefixOf returns the text that was put in front of the server's error ("statement 2: ").
func prefixOf(err error, reported serverError) string {
	if wrapped := errors.Unwrap(err); wrapped != nil {
		full, inner := err.Error(), wrapped.Error()
		if len(full) > len(inner) && full[len(full)-len(inner):] == inner && len(full)-len(inner) < len("statement 10000: ") {
			return full[:len(full)-len(inner)]
		}
	}
	return ""
}

// masked returns an error without secrets, and not too long.
func (r *run) masked(err error) error {
	const most = 600
	text := err.Error()
	if r.call.Mask != nil {
		text = r.call.Mask(text)
	}
	return &maskedError{actions.ClipMiddle(text, most), err}
}

// maskedError is an error with another text.
type maskedError struct {
	text string
	err  error
}

func (e *maskedError) Error() string { return e.text }

// Is reports that the error is about a permission, which `find` and others ask.
func (e *maskedError) Is(target error) bool {
	return target == fs.ErrPermission && errors.Is(e.err, fs.ErrPermission)
}

func contextClass(ctx context.Context) string {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return "timeout"
	}
	return ""
}

func networkClass(err error) string {
	if isNetwork(err) {
		return "connection"
	}
	return ""
}

// isEncoding reports whether pgx could not encode a parameter. The statement was then only
// described. The error has no type.
func isEncoding(err error) bool {
	return strings.Contains(err.Error(), "failed to encode args[")
}

// isNetwork reports whether the connection failed.
func isNetwork(err error) bool {
	var op net.Error
	return errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, sql.ErrConnDone)
}
