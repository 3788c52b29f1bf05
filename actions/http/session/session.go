// Package session sends requests. It adds credentials, which only go to the origin of the
// block that declares them, uses only connections that the spec's permissions allow, and
// applies rate limits.
package session

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// Session sends the requests of one call, with its connections, limits and credentials. Its
// judge determines their outcomes.
type Session struct {
	call     *actions.Call
	shared   *Shared
	settings settings
	base     *url.URL // the baseURL of the call, or nil

	network   *network.Network
	pool      *resty.Client
	throttle  throttle
	maxBytes  int64
	bytesRead int64 // bytes of the previous pages
	owner     owner
	auth      []credential
	Judge     verdict.Judge
}

// Shared has what the sessions of an engine share: connections, tokens and limits.
type Shared struct {
	bases   request.Bases
	pools   request.Cache[poolKey, pool]
	sources request.Cache[sourceKey, *tokenSource]
	digests request.Cache[sourceKey, *challenge]
	clocks  clocks
	limits  *limits
	helper  Helper
}

// Helper runs a command that prints credentials. Its call has the arguments of the action that
// runs commands.
type Helper func(ctx context.Context, call *actions.Call) actions.Outcome

// NewShared returns an empty Shared, with the clock of this machine, and what runs credential
// helpers.
func NewShared(now func() time.Time, helper Helper) *Shared {
	return &Shared{limits: newLimits(), clocks: clocks{now: now}, helper: helper}
}

// settings are the arguments that concern the sending of requests.
type settings struct {
	BaseURL  string        `arg:"baseURL"`
	Timeout  time.Duration `arg:"timeout"`
	MaxBytes declare.Bytes `arg:"maxBytes"`
	Auth     any           `arg:"auth"`
	route
	throttleSettings
}

// New returns the session for a call, without credentials.
func New(c *actions.Call, shared *Shared) (*Session, error) {
	s := &Session{call: c, shared: shared, settings: settings{Timeout: DefaultTimeout}, network: c.Env.Network}
	err := c.Decode(&s.settings)
	if err != nil {
		return nil, err
	}
	s.maxBytes = int64(s.settings.MaxBytes)
	if s.settings.BaseURL != "" {
		if s.base, err = shared.bases.Parse(s.settings.BaseURL); err != nil {
			return nil, err
		}
	}
	if s.pool, err = shared.poolOf(s.network, s.settings.route); err != nil {
		return nil, err
	}
	if s.throttle, err = shared.limits.newThrottle(s.settings.throttleSettings); err != nil {
		return nil, err
	}
	if s.Judge, err = verdict.New(c, s.base); err != nil {
		return nil, err
	}
	s.owner, err = newOwner(c, &shared.bases, s.base)
	return s, err
}

// NewRequest returns the request of the call. It has no credentials other than its headers.
func (s *Session) NewRequest(ctx context.Context) (*request.Request, error) {
	g, err := request.ArgumentsOf(s.call)
	if err != nil {
		return nil, err
	}
	r, err := g.NewRequest(ctx, s.call.Env, s.base, s.owner.headerFilter(s.call, s.base))
	if err != nil {
		return nil, err
	}
	return r, r.SetConditions(g, s.call.ETags, s.call.Key)
}

// Authenticate sets the credentials of the call. If the step declares them, they belong to
// the origin of the request.
func (s *Session) Authenticate(r *request.Request) (err error) {
	s.owner.setAnchor(r.Address, s.base)
	if s.auth, err = s.newCredentials("auth", s.settings.Auth); err != nil {
		return fmt.Errorf("auth: %w", err)
	}
	return nil
}

// CountBytes counts a response towards maxBytes.
func (s *Session) CountBytes(resp *verdict.Response) { s.bytesRead += int64(len(resp.Raw)) }

const DefaultTimeout = 2 * time.Minute

// Do sends a request and judges the response. It returns nil if no usable response arrived.
func (s *Session) Do(ctx context.Context, r *request.Request) (*verdict.Response, actions.Outcome) {
	resp, out := s.send(ctx, r)
	if out.Status != actions.Done {
		return nil, out
	}
	if resp.Event != nil {
		return resp, resp.Event.Outcome
	}
	return resp, s.Judge.Outcome(r, resp)
}

// send sends a request, and follows redirects if they are enabled.
func (s *Session) send(ctx context.Context, r *request.Request) (*verdict.Response, actions.Outcome) {
	h := hop{method: r.Method, url: r.FullURL(), headers: r.Headers, body: r.Body, first: true}
	moved := false
	for hops := 0; ; hops++ {
		resp, out := s.sendSigned(ctx, r, h)
		if resp != nil {
			resp.MethodChanged = moved
		}
		if out.Status != actions.Done && moved {
			out = s.Judge.RefuseIfReadOnly(r, asUnknown(out)) // the server processed the first request
		}
		if out.Status != actions.Done || !s.Judge.Follow || s.Judge.IsExpected(resp.Status) {
			return resp, out
		}
		next, err := h.next(resp)
		if err == nil && next.url != nil && hops == maxRedirects {
			err = fmt.Errorf("it redirects more than %d times", maxRedirects)
		}
		if err != nil {
			return nil, s.redirectFailure(r, resp, err)
		}
		if next.url == nil {
			return resp, out
		}
		h, moved = next, moved || next.method != r.Method
	}
}

// asUnknown returns the outcome of a request after a redirect as the outcome of the original
// request, whose effect is then unknown.
func asUnknown(out actions.Outcome) actions.Outcome {
	out.Status, out.Again = actions.Unknown, false
	return out
}

// redirectFailure returns the outcome of a redirect that cannot be followed. If the method
// has not changed (307, 308), the server did not process the request.
func (s *Session) redirectFailure(r *request.Request, resp *verdict.Response, err error) actions.Outcome {
	out := s.Judge.UnusableOutcome(r, resp, err)
	if !resp.MethodChanged {
		out.Status = verdict.StatusOf(resp.Status)
	}
	return s.Judge.RefuseIfReadOnly(r, out)
}

// sendSigned sends one message with credentials. If the server rejects them, and others may
// be accepted (a new token, the answer to a challenge, a corrected time), the message is sent
// once more. Only this message is repeated: the rejection says that it had no effect, but says
// nothing about earlier messages.
func (s *Session) sendSigned(ctx context.Context, r *request.Request, h hop) (*verdict.Response, actions.Outcome) {
	signed, resp, out := s.sendInTurn(ctx, r, h)
	if !signed.credentials || out.Status != actions.Done || s.Judge.IsExpected(resp.Status) || !s.renew(signed, resp) {
		return resp, out
	}
	if signed, resp, out = s.sendInTurn(ctx, r, h); out.Status == actions.Done {
		s.renew(signed, resp) // keeps what the response tells about the next message
	}
	return resp, out
}

// sendInTurn sends one message when the limits allow it. It is signed only then, because a token
// or a signature may expire while it waits.
func (s *Session) sendInTurn(ctx context.Context, r *request.Request, h hop) (signed hop, resp *verdict.Response, out actions.Outcome) {
	origin, err := request.OriginOf(h.url)
	if err == nil {
		err = s.network.Check(origin)
	}
	if err != nil {
		return h, nil, actions.Refuse(err)
	}
	done, err := s.waitTurn(ctx, h, origin)
	if err != nil {
		return h, nil, actions.Outcome{Status: actions.Refused, Err: fmt.Errorf("%s: waiting for the rate or concurrency limit: %w", s.Judge.Title(r), err), Class: verdict.ClassOf(err)}
	}
	defer done()
	if signed, out = s.sign(ctx, r, h); out.Status != actions.Done {
		return signed, nil, out
	}
	resp, out = s.sendMessage(ctx, r, signed)
	return signed, resp, out
}

// sendMessage sends one message, and reads the response.
func (s *Session) sendMessage(ctx context.Context, r *request.Request, h hop) (*verdict.Response, actions.Outcome) {
	limited, idle, cancel := limit(ctx, s.settings.Timeout, r.Stream != "")
	defer cancel()

	began := time.Now()
	sent := &sendWatch{}
	limited = httptrace.WithClientTrace(limited, sent.trace())
	limited = context.WithValue(limited, attachmentKey{}, attachment{body: h.body, effect: r.Effect})
	req := s.pool.R().SetContext(limited)
	req.Header = h.headers
	if h.body != nil {
		req.Body = strings.NewReader("") // attach sets the body; this prevents resty from copying it
	}
	response, err := req.Execute(h.method, h.sent().String())
	if err != nil {
		h.trace(ctx, began, err.Error())
		return nil, s.Judge.TransportOutcome(ctx, limited, r, err, sent.anySent())
	}
	defer response.RawResponse.Body.Close()
	raw := response.RawResponse
	moveHeader(raw.Header, hiddenLocation, "Location")
	resp := &verdict.Response{Status: raw.StatusCode, Reason: raw.Status, Header: raw.Header, URL: h.url, AuthQuery: h.added}
	h.trace(ctx, began, resp.Title())
	resp.ResolveLocation(h.url)
	if by := raw.Header.Get("Content-Encoding"); by != "" && by != "identity" {
		return nil, s.Judge.UnusableOutcome(r, resp, fmt.Errorf("the body has the Content-Encoding %q, which was not requested and cannot be decoded", actions.Clip(by, 40)))
	}
	if r.Stream != "" && s.Judge.IsExpected(resp.Status) && resp.Status < 300 {
		body := &stream{session: s, request: r, body: raw.Body, idle: idle, open: raw.ContentLength < 0 && len(raw.TransferEncoding) == 0}
		return body.read(ctx, limited, resp)
	}
	if resp.Raw, err = readAll(raw.Body, s.maxBytes-s.bytesRead); err != nil {
		return s.bodyFailure(ctx, limited, r, resp, err)
	}
	resp.AddTrailers(raw.Trailer)
	return resp, actions.Outcome{Status: actions.Done}
}

// waitTurn waits until the limits allow to send the message. As long as no message of the
// request was sent, it returns as soon as the operation is stopped.
func (s *Session) waitTurn(ctx context.Context, h hop, origin grant.Origin) (done func(), err error) {
	if h.first {
		if err := actions.StopErr(ctx); err != nil {
			return nil, err
		}
	}
	if h.first && s.throttle.mayWait() {
		var release context.CancelFunc
		ctx, release = actions.CancelOnStop(ctx)
		defer release()
	}
	return s.throttle.wait(ctx, origin)
}

// timeoutError is the error of an attempt that exceeded its timeout.
type timeoutError time.Duration

func (o timeoutError) Error() string {
	return fmt.Sprintf("no complete response within %s (`timeout`): %v", time.Duration(o), context.DeadlineExceeded)
}

func (timeoutError) Unwrap() error { return context.DeadlineExceeded }

func joinQuery(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "&" + b
}

// bodyFailure returns the outcome of a response whose body cannot be read completely. That is
// no failure if the body is not used, or only describes an error.
func (s *Session) bodyFailure(ctx, limited context.Context, r *request.Request, resp *verdict.Response, err error) (*verdict.Response, actions.Outcome) {
	if s.Judge.Format == "none" || !s.Judge.IsExpected(resp.Status) {
		resp.Incomplete = true
		return resp, actions.Outcome{Status: actions.Done}
	}
	if errors.Is(err, errTooLarge) {
		err = fmt.Errorf("the response exceeds maxBytes (%d bytes, counting all pages); raise maxBytes, or request less", s.maxBytes)
		return nil, s.Judge.UnusableOutcome(r, resp, err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the response is truncated")
	}
	return nil, s.Judge.TransportOutcome(ctx, limited, r, fmt.Errorf("after %s: %w", resp.Title(), err), true)
}

// errTooLarge means that a response has more bytes than allowed.
var errTooLarge = errors.New("the response is too large")

// readAll reads at most limit bytes. The limit applies to the decompressed body.
func readAll(body io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, limit+1))
	if int64(len(data)) > limit {
		return nil, errTooLarge
	}
	return data, err
}
