package verdict

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
)

// Broken is the outcome of a request to which there is no whole answer.
func (j *Judge) Broken(ctx, limited context.Context, r *request.Request, err error, sent bool) actions.Outcome {
	out := actions.Outcome{Status: actions.Refused, Class: ClassOf(err)}
	var asked *url.Error
	if errors.As(err, &asked) {
		err = asked.Err // it has the whole URL in front
	}
	switch {
	case ctx.Err() != nil:
		err, out.Class = context.Cause(ctx), ClassOf(ctx.Err())
	case limited.Err() != nil:
		err, out.Class = context.Cause(limited), "timeout"
		out.Again = !sent
	case errors.Is(err, fs.ErrPermission), errors.As(err, new(*request.BodyError)):
		out.Class = ""
	case refusedByTLS(err):
		sent = false // the other side ended the connection before it read
	case !sent:
		out.Again = !hopeless(err)
	default:
		out.Again = true
	}
	text := errors.New(wording(err))
	if sent {
		out.Status = actions.Unknown
		out.Err = fmt.Errorf("%s was sent, and no answer came: %w", j.Title(r), &told{text, err})
	} else {
		out.Err = fmt.Errorf("%s could not be sent: %w", j.Title(r), &told{text, err})
	}
	return j.Settled(r, out)
}

// told is an error in other words.
type told struct{ words, err error }

func (t *told) Error() string { return t.words.Error() }
func (t *told) Unwrap() error { return t.err }

// wording is an error of the network in words for people.
func wording(err error) string {
	switch {
	case errors.Is(err, io.EOF) || strings.Contains(err.Error(), "server closed idle connection"):
		return "the connection was closed"
	default:
		const most = 400
		return actions.Clip(err.Error(), most)
	}
}

// ClassOf is the class of an error of the network.
func ClassOf(err error) string {
	var timeout interface{ Timeout() bool }
	if errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return "timeout"
	}
	if errors.Is(err, context.Canceled) {
		return ""
	}
	return "connection"
}

// hopeless reports whether an error before anything was sent will be the same
// in a moment: there is no such name, or the other side is not who it should be.
func hopeless(err error) bool {
	var name *net.DNSError
	var record tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	return errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &name) && name.IsNotFound || errors.As(err, &record) || errors.As(err, &verify) ||
		errors.As(err, &unknown) || errors.As(err, &host)
}

// refusedByTLS reports whether the other side refused us in the handshake: by an
// alert about certificates or parameters, which it gives before it reads a
// request, whatever had been sent by then. With TLS 1.3 the client has finished
// its part by the time that the server looks at its certificate. Any other alert
// may come at any time, after the request was done as well.
func refusedByTLS(err error) bool {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "remote error" {
		return false
	}
	// The type of such an error is the library's own; its text is not.
	return slices.ContainsFunc(handshakeAlerts, func(a tls.AlertError) bool { return op.Err.Error() == a.Error() })
}

// handshakeAlerts are those that only a handshake knows (RFC 8446, 6.2):
// handshake_failure, the certificate ones, unknown_ca, access_denied,
// protocol_version, insufficient_security, missing_extension,
// unrecognized_name, certificate_required, no_application_protocol.
var handshakeAlerts = []tls.AlertError{40, 42, 43, 44, 45, 46, 48, 49, 70, 71, 109, 112, 116, 120}
