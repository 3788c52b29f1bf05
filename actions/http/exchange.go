package http

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec/decode"
)

// exchange is a call under way: its request, and how it is sent and judged.
type exchange struct {
	family *family
	call   *actions.Call
	given  given

	base     *url.URL // nil where there is none
	owner    owner
	pool     *resty.Client
	rate     restraint
	timeout  time.Duration
	maxBytes int64
	read     int64 // bytes of the pages before
	values   *decode.Budget
	follow   bool
	response string
	typed    bool
	expect   []int

	req   *request
	auth  *authenticator // nil is none
	pages *pages         // nil is one

	// tokenOf finds the token in an answer to a login; issues are the members of an
	// answer that hold one.
	tokenOf actions.LateExpr
	issues  []string
}

// newBudget is how many values an answer may have, or all pages together.
func (x *exchange) newBudget() *decode.Budget { return decode.NewBudget(x.call.MaxValues()) }

// exchange sends a request and judges the answer. The answer is there where the
// outcome is Done or Gone.
func (x *exchange) exchange(ctx context.Context, r *request) (*answer, actions.Outcome) {
	a, out := x.send(ctx, r)
	if out.Status != actions.Done {
		return nil, out
	}
	return a, x.judge(r, a)
}

// hop is one message of a request and where it goes: the request itself, then
// what redirects make of it.
type hop struct {
	method  string
	url     *url.URL
	headers http.Header
	body    *payload
	// first says that nothing of the request was sent before.
	first bool
}

// mostHops is how many redirects are followed.
const mostHops = 10

// send sends a request, and follows redirects where that is wanted.
func (x *exchange) send(ctx context.Context, r *request) (*answer, actions.Outcome) {
	h := hop{method: r.method, url: r.complete(nil), headers: r.headers, body: r.body, first: true}
	moved := false
	for hops := 0; ; hops++ {
		a, sign, out := x.signed(ctx, r, h)
		if a != nil {
			a.moved, a.signed = moved, sign.query
		}
		if out.Status != actions.Done && moved {
			out = x.settled(r, unsettled(out)) // the first request was processed
		}
		if out.Status != actions.Done || !x.follow || x.ordinary(a.status) {
			return a, out
		}
		next, err := h.redirected(a, sign.query)
		if err == nil && next.url != nil && hops == mostHops {
			err = fmt.Errorf("it redirects more than %d times", mostHops)
		}
		if err != nil {
			return nil, x.misdirected(r, a, err)
		}
		if next.url == nil {
			return a, out
		}
		h, moved = next, moved || next.method != r.method
	}
}

// unsettled is an outcome of the request that a redirect made of an earlier one,
// as the outcome of that one.
func unsettled(out actions.Outcome) actions.Outcome {
	out.Status, out.Again = actions.Unknown, false
	return out
}

// misdirected is the outcome of a redirect that is not followed. One that keeps
// the method (307, 308) was answered instead of the request.
func (x *exchange) misdirected(r *request, a *answer, err error) actions.Outcome {
	out := x.failed(r, a, err)
	if !a.moved {
		out.Status = statusOf(a.status)
	}
	return x.settled(r, out)
}

// signed sends one message with credentials. A token that is refused is renewed,
// once; then this message alone is sent again, and no earlier one: that it was
// refused with 401 says that it had no effect, and nothing about those before.
func (x *exchange) signed(ctx context.Context, r *request, h hop) (*answer, signature, actions.Outcome) {
	sign, out := x.sign(ctx, r, "")
	if out.Status != actions.Done {
		return nil, sign, out
	}
	a, out := x.message(ctx, r, h.with(sign), sign.query)
	if out.Status != actions.Done || a.status != http.StatusUnauthorized || !sign.cached || x.ordinary(a.status) {
		return a, sign, out
	}
	if sign, out = x.sign(ctx, r, sign.token); out.Status != actions.Done {
		return nil, sign, out
	}
	a, out = x.message(ctx, r, h.with(sign), sign.query)
	return a, sign, out
}

// with is the hop with the credentials that go into a header. Its headers are its own:
// what sends it adds to them.
func (h hop) with(sign signature) hop {
	h.headers = h.headers.Clone()
	if sign.header.name != "" {
		h.headers.Set(sign.header.name, sign.header.value)
	}
	return h
}

// message sends one message, and reads the answer.
func (x *exchange) message(ctx context.Context, r *request, h hop, extra []pair) (*answer, actions.Outcome) {
	origin, err := originOf(h.url)
	if err == nil {
		err = x.call.Env.Network.Check(origin)
	}
	if err != nil {
		return nil, actions.Refuse(err)
	}
	done, err := x.turn(ctx, h, origin)
	if err != nil {
		return nil, actions.Outcome{Status: actions.Refused, Err: fmt.Errorf("%s: waiting for a turn: %w", x.title(r), err), Class: classOf(err)}
	}
	defer done()
	limited, cancel := context.WithTimeoutCause(ctx, x.timeout, overtime(x.timeout))
	defer cancel()

	sent := &watch{}
	limited = httptrace.WithClientTrace(limited, sent.trace())
	limited = context.WithValue(limited, messageKey{}, message{body: h.body, effect: r.effect})
	wire := *h.url
	if len(extra) > 0 {
		wire.RawQuery = joinQuery(wire.RawQuery, encodePairs(extra))
	}
	req := x.pool.R().SetContext(limited)
	req.Header = h.headers
	if h.body != nil {
		req.Body = strings.NewReader("") // attach puts the body there; this keeps resty from copying one
	}
	response, err := req.Execute(h.method, wire.String())
	if err != nil {
		return nil, x.broken(ctx, limited, r, err, sent.anything())
	}
	defer response.RawResponse.Body.Close()
	raw := response.RawResponse
	a := &answer{status: raw.StatusCode, reason: raw.Status, header: raw.Header, at: h.url}
	x.resolveLocation(a, h.url)
	if by := raw.Header.Get("Content-Encoding"); by != "" && by != "identity" {
		return nil, x.failed(r, a, fmt.Errorf("its body is encoded (%q) in a way that was not asked for", actions.Clip(by, 40)))
	}
	if a.raw, err = readAll(raw.Body, x.maxBytes-x.read); err != nil {
		return x.unread(ctx, limited, r, a, err)
	}
	a.trail(raw.Trailer)
	return a, actions.Outcome{Status: actions.Done}
}

// turn waits until the message may be sent. While nothing of a request was sent,
// it ends as soon as the operation is stopped.
func (x *exchange) turn(ctx context.Context, h hop, origin grant.Origin) (done func(), err error) {
	if h.first {
		if err := actions.Stopped(ctx); err != nil {
			return nil, err
		}
	}
	if h.first && x.rate.holdsBack() {
		var release context.CancelFunc
		ctx, release = actions.Waiting(ctx)
		defer release()
	}
	return x.rate.wait(ctx, origin)
}

// overtime is the error of an attempt that took longer than it may.
type overtime time.Duration

func (o overtime) Error() string {
	return fmt.Sprintf("no whole answer within %s (`timeout`): %v", time.Duration(o), context.DeadlineExceeded)
}

func (overtime) Unwrap() error { return context.DeadlineExceeded }

func joinQuery(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "&" + b
}

// resolveLocation makes the header absolute: what a later request with it
// resolves it against is not known there any more.
func (x *exchange) resolveLocation(a *answer, at *url.URL) {
	for _, name := range []string{"Location", "Content-Location"} {
		if text := a.header.Get(name); text != "" {
			if u, err := at.Parse(text); err == nil {
				a.header.Set(name, u.String())
			}
		}
	}
}

// unread is the outcome of an answer whose body cannot be read to its end. Where
// nobody asked for the body, or it says only what went wrong, the rest is not
// missed.
func (x *exchange) unread(ctx, limited context.Context, r *request, a *answer, err error) (*answer, actions.Outcome) {
	if x.response == "none" || !x.ordinary(a.status) {
		return a, actions.Outcome{Status: actions.Done}
	}
	var large *tooLargeError
	if errors.As(err, &large) {
		err = fmt.Errorf("has more than the %d bytes that maxBytes allows, all pages together; raise it, or ask for less", x.maxBytes)
		return nil, x.failed(r, a, err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the answer ends before its end")
	}
	return nil, x.broken(ctx, limited, r, fmt.Errorf("after %s: %w", a.title(), err), true)
}

// redirected is the next hop, if the answer is a redirect (RFC 9110, 15.4):
// within the origin only, so that nothing goes where the author did not send it.
// Parameters that auth adds are added again, and not taken over.
func (h hop) redirected(a *answer, signed []pair) (hop, error) {
	location := a.header.Get("Location")
	if location == "" {
		return hop{}, nil
	}
	next := hop{method: h.method, headers: h.headers, body: h.body}
	switch a.status {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		switch {
		case h.method == "GET" || h.method == "HEAD":
		case h.method == "POST" || a.status == http.StatusSeeOther:
			next.method, next.body, next.headers = "GET", nil, h.headers.Clone()
			next.headers.Del("Content-Type")
			next.headers.Del("Idempotency-Key")
			next.headers.Del("If-Match")
			next.headers.Del("If-None-Match")
		default:
			return hop{}, fmt.Errorf("it redirects a %s by a status that does not say with which method to go on", h.method)
		}
	default:
		return hop{}, nil
	}
	u, err := h.url.Parse(location)
	if err != nil || u.User != nil {
		return hop{}, errors.New("it redirects to what is no URL")
	}
	if !sameOrigin(u, h.url) {
		return hop{}, fmt.Errorf("it redirects to %s://%s, another origin, which is not followed", u.Scheme, u.Host)
	}
	u.Fragment, u.RawFragment = "", ""
	unsign(u, signed)
	next.url = u
	return next, nil
}

// unsign takes the parameters that auth adds out of a URL that the server gave: they
// are added again to what is sent, and stand nowhere else.
func unsign(u *url.URL, signed []pair) {
	for _, p := range signed {
		if query := u.Query(); query.Has(p.name) {
			query.Del(p.name)
			u.RawQuery = query.Encode()
		}
	}
}
