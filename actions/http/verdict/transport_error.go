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

// TransportOutcome returns the outcome of a request without a complete response.
func (j *Judge) TransportOutcome(ctx, limited context.Context, r *request.Request, err error, sent bool) actions.Outcome {
	out := actions.Outcome{Status: actions.Refused, Class: ClassOf(err)}
	var urlError *url.Error
	if errors.As(err, &urlError) {
		err = urlError.Err // its text contains the full URL
	}
	switch {
	case ctx.Err() != nil:
		err, out.Class = context.Cause(ctx), ClassOf(ctx.Err())
	case limited.Err() != nil:
		err, out.Class = context.Cause(limited), "timeout"
		out.Again = !sent
	case errors.Is(err, fs.ErrPermission), errors.As(err, new(*request.BodyError)):
		out.Class = ""
	case isHandshakeAlert(err):
		sent = false // the server closed the connection before it read the request
	case !sent:
		out.Again = !isPermanent(err)
	default:
		out.Again = true
	}
	text := errors.New(describe(err))
	if sent {
		out.Status = actions.Unknown
		out.Err = fmt.Errorf("%s was sent, but got no response: %w", j.Title(r), &rewordedError{text, err})
	} else {
		out.Err = fmt.Errorf("%s could not be sent: %w", j.Title(r), &rewordedError{text, err})
	}
	return j.RefuseIfReadOnly(r, out)
}

// rewordedError is an error with another text.
type rewordedError struct{ words, err error }

func (t *rewordedError) Error() string { return t.words.Error() }
func (t *rewordedError) Unwrap() error { return t.err }

// describe returns the text of a network error for messages.
func describe(err error) string {
	switch {
	case errors.Is(err, io.EOF) || strings.Contains(err.Error(), "server closed idle connection"):
		return "the connection was closed"
	default:
		const most = 400
		return actions.Clip(err.Error(), most)
	}
}

// ClassOf returns the class of a network error, as in Outcome.Class.
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

// isPermanent reports whether an immediate retry would fail with the same error: the host
// name does not exist, or the server's identity is wrong. Nothing was sent.
func isPermanent(err error) bool {
	var name *net.DNSError
	var record tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	return errors.Is(err, http.ErrSchemeMismatch) || errors.As(err, &name) && name.IsNotFound || errors.As(err, &record) || errors.As(err, &verify) ||
		errors.As(err, &unknown) || errors.As(err, &host)
}

// isHandshakeAlert reports whether the server rejected the client during the TLS handshake,
// by an alert about certificates or parameters. It then did not read the request, even if
// bytes were sent: with TLS 1.3, the client completes its handshake before the server has
// verified the client's certificate. Other alerts can arrive at any time, also after the
// request was processed.
func isHandshakeAlert(err error) bool {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "remote error" {
		return false
	}
	// The type of the error is internal to crypto/tls, so compare its text.
	return slices.ContainsFunc(handshakeAlerts, func(a tls.AlertError) bool { return op.Err.Error() == a.Error() })
}

// handshakeAlerts are the alerts that only occur in a handshake (RFC 8446, 6.2):
// handshake_failure, the certificate alerts, unknown_ca, access_denied, protocol_version,
// insufficient_security, missing_extension, unrecognized_name, certificate_required,
// no_application_protocol.
var handshakeAlerts = []tls.AlertError{40, 42, 43, 44, 45, 46, 48, 49, 70, 71, 109, 112, 116, 120}
