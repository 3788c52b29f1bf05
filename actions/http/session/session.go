// Package session sends requests: with credentials, which go to the origin of the block that
// declares them and nowhere else, over connections that a spec's permissions allow, and no
// faster than its author says.
package session

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
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
	"github.com/declprov/declprov/actions/sys/network"
)

// Session sends requests: over which connections, how many at a time, with which
// credentials. What comes of them its judge says.
type Session struct {
	call   *actions.Call
	shared *Shared
	given  settings
	base   *url.URL // of the call, or nil

	network  *network.Network
	pool     *resty.Client
	rate     restraint
	maxBytes int64
	read     int64 // bytes of the pages before
	owner    owner
	auth     *authenticator // nil is none
	Judge    verdict.Judge
}

// Shared is what the sessions of an engine share: connections, tokens, and how fast requests
// may be sent.
type Shared struct {
	bases   request.Bases
	pools   request.Kept[poolKey, pool]
	sources request.Kept[sourceKey, *source]
	limits  *limits
}

// Share returns what sessions share, with nothing in it.
func Share() *Shared { return &Shared{limits: newLimits()} }

// settings are the arguments that say how requests are sent.
type settings struct {
	BaseURL  string        `arg:"baseURL"`
	Timeout  time.Duration `arg:"timeout"`
	MaxBytes declare.Bytes `arg:"maxBytes"`
	Auth     any           `arg:"auth"`
	route
	pace
}

// New returns the session that the arguments of a call ask for, without credentials.
func New(c *actions.Call, shared *Shared) (*Session, error) {
	s := &Session{call: c, shared: shared, given: settings{Timeout: DefaultTimeout}, network: c.Env.Network}
	err := c.Decode(&s.given)
	if err != nil {
		return nil, err
	}
	s.maxBytes = int64(s.given.MaxBytes)
	if s.given.BaseURL != "" {
		if s.base, err = shared.bases.Parse(s.given.BaseURL); err != nil {
			return nil, err
		}
	}
	if s.pool, err = shared.poolOf(s.network, s.given.route); err != nil {
		return nil, err
	}
	if s.rate, err = shared.limits.of(s.given.pace); err != nil {
		return nil, err
	}
	if s.Judge, err = verdict.New(c, s.base); err != nil {
		return nil, err
	}
	s.owner, err = ownerOf(c, &shared.bases, s.base)
	return s, err
}

// Request makes the request of the call, without credentials but those in its headers.
func (s *Session) Request(ctx context.Context) (*request.Request, error) {
	g, err := request.ArgumentsOf(s.call)
	if err != nil {
		return nil, err
	}
	r, err := g.Request(ctx, s.call.Env, s.base, s.owner.carries(s.call, s.base))
	if err != nil {
		return nil, err
	}
	return r, r.Conditions(g, s.call.ETag, s.call.Key)
}

// Authenticate makes the credentials of the call, which belong to where the request goes if
// they are the step's own.
func (s *Session) Authenticate(r *request.Request) (err error) {
	s.owner.anchored(r.At, s.base)
	if s.auth, err = s.authentication("auth", s.given.Auth); err != nil {
		return fmt.Errorf("auth: %w", err)
	}
	return nil
}

// Spend counts what of maxBytes an answer took.
func (s *Session) Spend(a *verdict.Answer) { s.read += int64(len(a.Raw)) }

const DefaultTimeout = 2 * time.Minute

// Ask sends a request and judges the answer. The answer is there where the outcome is
// Done or Gone.
func (s *Session) Ask(ctx context.Context, r *request.Request) (*verdict.Answer, actions.Outcome) {
	a, out := s.send(ctx, r)
	if out.Status != actions.Done {
		return nil, out
	}
	return a, s.Judge.Outcome(r, a)
}

// send sends a request, and follows redirects where that is wanted.
func (s *Session) send(ctx context.Context, r *request.Request) (*verdict.Answer, actions.Outcome) {
	h := hop{method: r.Method, url: r.Complete(nil), headers: r.Headers, body: r.Body, first: true}
	moved := false
	for hops := 0; ; hops++ {
		a, sign, out := s.signed(ctx, r, h)
		if a != nil {
			a.Moved, a.Signed = moved, sign.query
		}
		if out.Status != actions.Done && moved {
			out = s.Judge.Settled(r, unsettled(out)) // the first request was processed
		}
		if out.Status != actions.Done || !s.Judge.Follow || s.Judge.Ordinary(a.Status) {
			return a, out
		}
		next, err := h.redirected(a)
		if err == nil && next.url != nil && hops == mostHops {
			err = fmt.Errorf("it redirects more than %d times", mostHops)
		}
		if err != nil {
			return nil, s.misdirected(r, a, err)
		}
		if next.url == nil {
			return a, out
		}
		h, moved = next, moved || next.method != r.Method
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
func (s *Session) misdirected(r *request.Request, a *verdict.Answer, err error) actions.Outcome {
	out := s.Judge.Failed(r, a, err)
	if !a.Moved {
		out.Status = verdict.StatusOf(a.Status)
	}
	return s.Judge.Settled(r, out)
}

// signed sends one message with credentials. A token that is refused is renewed,
// once; then this message alone is sent again, and no earlier one: that it was
// refused with 401 says that it had no effect, and nothing about those before.
func (s *Session) signed(ctx context.Context, r *request.Request, h hop) (*verdict.Answer, signature, actions.Outcome) {
	sign, out := s.sign(ctx, r, "")
	if out.Status != actions.Done {
		return nil, sign, out
	}
	a, out := s.message(ctx, r, h.with(sign), sign.query)
	if out.Status != actions.Done || a.Status != http.StatusUnauthorized || !sign.cached || s.Judge.Ordinary(a.Status) {
		return a, sign, out
	}
	if sign, out = s.sign(ctx, r, sign.token); out.Status != actions.Done {
		return nil, sign, out
	}
	a, out = s.message(ctx, r, h.with(sign), sign.query)
	return a, sign, out
}

// message sends one message, and reads the answer.
func (s *Session) message(ctx context.Context, r *request.Request, h hop, extra []request.Pair) (*verdict.Answer, actions.Outcome) {
	origin, err := request.OriginOf(h.url)
	if err == nil {
		err = s.network.Check(origin)
	}
	if err != nil {
		return nil, actions.Refuse(err)
	}
	done, err := s.turn(ctx, h, origin)
	if err != nil {
		return nil, actions.Outcome{Status: actions.Refused, Err: fmt.Errorf("%s: waiting for a turn: %w", s.Judge.Title(r), err), Class: verdict.ClassOf(err)}
	}
	defer done()
	limited, cancel := context.WithTimeoutCause(ctx, s.given.Timeout, overtime(s.given.Timeout))
	defer cancel()

	sent := &watch{}
	limited = httptrace.WithClientTrace(limited, sent.trace())
	limited = context.WithValue(limited, messageKey{}, message{body: h.body, effect: r.Effect})
	wire := *h.url
	if len(extra) > 0 {
		wire.RawQuery = joinQuery(wire.RawQuery, request.EncodePairs(extra))
	}
	req := s.pool.R().SetContext(limited)
	req.Header = h.headers
	if h.body != nil {
		req.Body = strings.NewReader("") // attach puts the body there; this keeps resty from copying one
	}
	response, err := req.Execute(h.method, wire.String())
	if err != nil {
		return nil, s.Judge.Broken(ctx, limited, r, err, sent.anything())
	}
	defer response.RawResponse.Body.Close()
	raw := response.RawResponse
	a := &verdict.Answer{Status: raw.StatusCode, Reason: raw.Status, Header: raw.Header, At: h.url}
	a.ResolveLocation(h.url)
	if by := raw.Header.Get("Content-Encoding"); by != "" && by != "identity" {
		return nil, s.Judge.Failed(r, a, fmt.Errorf("its body is encoded (%q) in a way that was not asked for", actions.Clip(by, 40)))
	}
	if a.Raw, err = readAll(raw.Body, s.maxBytes-s.read); err != nil {
		return s.unread(ctx, limited, r, a, err)
	}
	a.Trail(raw.Trailer)
	return a, actions.Outcome{Status: actions.Done}
}

// turn waits until the message may be sent. While nothing of a request was sent,
// it ends as soon as the operation is stopped.
func (s *Session) turn(ctx context.Context, h hop, origin grant.Origin) (done func(), err error) {
	if h.first {
		if err := actions.StopErr(ctx); err != nil {
			return nil, err
		}
	}
	if h.first && s.rate.holdsBack() {
		var release context.CancelFunc
		ctx, release = actions.CancelOnStop(ctx)
		defer release()
	}
	return s.rate.wait(ctx, origin)
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

// unread is the outcome of an answer whose body cannot be read to its end. Where
// nobody asked for the body, or it says only what went wrong, the rest is not
// missed.
func (s *Session) unread(ctx, limited context.Context, r *request.Request, a *verdict.Answer, err error) (*verdict.Answer, actions.Outcome) {
	if s.Judge.Response == "none" || !s.Judge.Ordinary(a.Status) {
		return a, actions.Outcome{Status: actions.Done}
	}
	var large *tooLargeError
	if errors.As(err, &large) {
		err = fmt.Errorf("has more than the %d bytes that maxBytes allows, all pages together; raise it, or ask for less", s.maxBytes)
		return nil, s.Judge.Failed(r, a, err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the answer ends before its end")
	}
	return nil, s.Judge.Broken(ctx, limited, r, fmt.Errorf("after %s: %w", a.Title(), err), true)
}

// tooLargeError is the error of an answer with more bytes than are allowed.
type tooLargeError struct{ limit int64 }

func (e *tooLargeError) Error() string { return fmt.Sprintf("more than %d bytes", e.limit) }

// readAll reads at most limit bytes. What a body was compressed to does not
// count: the transport decompresses on the way.
func readAll(body io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, limit+1))
	if int64(len(data)) > limit {
		return nil, &tooLargeError{limit}
	}
	return data, err
}
