package http

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
)

// ordinary reports whether a status is no error.
func (x *exchange) ordinary(status int) bool {
	if slices.Contains(x.expect, status) {
		return true
	}
	success := status >= 200 && status < 300
	return success && !slices.ContainsFunc(x.expect, func(s int) bool { return s < 400 })
}

// title is the request as messages name it.
func (x *exchange) title(r *request) string { return r.method + " " + shown(r.at.url, x.base) }

// title is the status with its words.
func (a *answer) title() string {
	words := http.StatusText(a.status)
	if words == "" {
		_, words, _ = strings.Cut(a.reason, " ")
		words = clean(words)
	}
	return strings.TrimSpace(strconv.Itoa(a.status) + " " + words)
}

// judge says what an answer means, and decodes its body.
func (x *exchange) judge(r *request, a *answer) actions.Outcome {
	wait, asked := retryAfter(a.header, time.Now())
	if x.ordinary(a.status) {
		if a.status >= 300 {
			a.lenient(x.typed, x.newBudget()) // its form is not what the author said of the others
		} else if err := a.decode(x.response, x.typed, x.values); err != nil {
			return x.failed(r, a, err)
		}
		if text := x.graphqlErrors(a); text != "" {
			out := x.failed(r, a, errors.New(text))
			out.Result, out.Received = x.failure(a), x.typed
			if r.effect == actions.Write {
				out.Status = actions.Failed
			}
			return out
		}
		out := actions.Outcome{Status: actions.Done, RetryAfter: wait}
		if x.typed && x.call.Receive != nil {
			out.Received = true
			if a.body, out.Unfit = x.call.Receive(a.came, a.form); out.Unfit != nil && a.status >= 300 {
				a.body, out.Unfit = nil, nil // an error that the author expects is of no declared type
			}
		}
		return out
	}
	a.lenient(x.typed, x.newBudget())
	x.learn(a)
	out := actions.Outcome{Status: statusOf(a.status), Class: strconv.Itoa(a.status), RetryAfter: wait}
	if a.moved {
		out.Status = actions.Unknown // the response is about another request than the one that was processed
	}
	text := fmt.Sprintf("%s answered %s", x.title(r), a.title())
	if said := x.said(a); said != "" {
		text += ": " + said
	}
	switch a.status {
	case http.StatusTooManyRequests, http.StatusRequestTimeout, http.StatusBadGateway, http.StatusGatewayTimeout:
		out.Again = !a.moved
	case http.StatusServiceUnavailable:
		out.Again = asked && !a.moved
	case http.StatusPreconditionFailed:
		switch {
		case r.headers.Get("If-Match") != "":
			text += "; it has changed since it was last read: run `pulumi refresh`, then try again"
		case r.headers.Get("If-None-Match") != "":
			text += "; it exists already: if it is yours, import it (or remove it, where it is left of an earlier attempt), else choose another name"
		}
	}
	if out.Again && wait > longestWait {
		out.Again = false
		text += fmt.Sprintf(" (and asks to come back in %s, which is too long to wait for)", wait.Round(time.Second))
	}
	if a.status >= 300 && a.status < 400 && a.header.Get("Location") != "" {
		text += x.elsewhere(a)
	}
	out.Err, out.Result, out.Received = errors.New(text), x.failure(a), x.typed
	return x.settled(r, out)
}

// statusOf says what a status that is no success tells about the effect of a
// request. A 408 may come from a proxy that gave up waiting, 499 and most 5xx
// from one that forwarded the request, 503 with Retry-After too; a redirect
// other than 307 and 308 follows a request that was processed (RFC 9110, 15.4).
func statusOf(status int) actions.Status {
	const clientClosedRequest = 499 // nginx's, and other proxies'
	switch status {
	case http.StatusNotFound, http.StatusGone:
		return actions.Gone
	case http.StatusRequestTimeout, clientClosedRequest:
		return actions.Unknown
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect, http.StatusNotModified,
		http.StatusNotImplemented, http.StatusHTTPVersionNotSupported:
		return actions.Refused
	}
	if status >= 400 && status < 500 {
		return actions.Refused
	}
	return actions.Unknown
}

// settled makes a failure of what changes nothing one that changed nothing.
func (x *exchange) settled(r *request, out actions.Outcome) actions.Outcome {
	if r.effect == actions.None && (out.Status == actions.Failed || out.Status == actions.Unknown) {
		out.Status = actions.Refused
	}
	return out
}

// elsewhere says where a redirect leads, without what may be secret.
func (x *exchange) elsewhere(a *answer) string {
	u, err := url.Parse(a.header.Get("Location"))
	if err != nil {
		return ""
	}
	text := " (to " + x.hidden(shown(u, x.base)) + ")"
	if !x.follow {
		text += "; redirects within the origin are followed with `redirects: \"same-origin\"`"
	}
	return text
}

// failed is the outcome of an answer that cannot be used: that the request was
// processed may be clear, but not what it did.
func (x *exchange) failed(r *request, a *answer, err error) actions.Outcome {
	return x.settled(r, actions.Outcome{
		Status: actions.Unknown, Class: strconv.Itoa(a.status),
		Err: fmt.Errorf("%s answered %s, and %w", x.title(r), a.title(), err),
	})
}

func (x *exchange) unusable(a *answer, err error) actions.Outcome { return x.failed(x.req, a, err) }

// said is the server's own message: what `error` finds, else the beginning of
// what it said.
func (x *exchange) said(a *answer) string {
	late := x.call.Late[x.given.prefix+"error"]
	if late == nil {
		late = x.call.Late["error"]
	}
	if late != nil {
		if v, err := late(a.knownAs(x.adapted(a))); err == nil {
			if text := x.messageOf(v); text != "" {
				return text
			}
		}
	}
	return x.hidden(a.excerpt())
}

// adapted is the body of a failure, with what of it fits the declared type.
func (x *exchange) adapted(a *answer) any {
	if !x.typed || x.call.Adapt == nil {
		return a.body
	}
	return x.call.Adapt(a.came, a.form)
}

// failure is the result of an answer that is one.
func (x *exchange) failure(a *answer) map[string]any {
	result := x.result(a)
	result["body"] = x.adapted(a)
	return result
}

// messageOf is a message that may be an object.
func (x *exchange) messageOf(v any) string {
	text, err := actions.TextOf(v)
	if err != nil && v != nil {
		data, _ := json.Marshal(v)
		text = string(data)
	}
	return x.hidden(text)
}

// graphqlErrors is what a GraphQL server says went wrong, under a status that
// says all is well.
func (x *exchange) graphqlErrors(a *answer) string {
	if x.given.args["graphql"] == nil {
		return ""
	}
	x.learn(a)
	body, _ := a.body.(map[string]any)
	list, _ := body["errors"].([]any)
	if len(list) == 0 {
		return ""
	}
	if x.call.Late["error"] != nil {
		return "reports errors: " + x.said(a)
	}
	first, _ := list[0].(map[string]any)
	text, _ := first["message"].(string)
	return "reports errors: " + x.hidden(text)
}

// broken is the outcome of a request to which there is no whole answer.
func (x *exchange) broken(ctx, limited context.Context, r *request, err error, sent bool) actions.Outcome {
	out := actions.Outcome{Status: actions.Refused, Class: classOf(err)}
	var asked *url.Error
	if errors.As(err, &asked) {
		err = asked.Err // it has the whole URL in front
	}
	switch {
	case ctx.Err() != nil:
		err, out.Class = context.Cause(ctx), classOf(ctx.Err())
	case limited.Err() != nil:
		err, out.Class = context.Cause(limited), "timeout"
		out.Again = !sent
	case errors.Is(err, fs.ErrPermission), errors.As(err, new(*bodyError)):
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
		out.Err = fmt.Errorf("%s was sent, and no answer came: %w", x.title(r), &told{text, err})
	} else {
		out.Err = fmt.Errorf("%s could not be sent: %w", x.title(r), &told{text, err})
	}
	return x.settled(r, out)
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

// classOf is the class of an error of the network.
func classOf(err error) string {
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
