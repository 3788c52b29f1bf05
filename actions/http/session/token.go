package session

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/oauth2"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// tokenSource caches a token, shared by all calls that use it. One call at a time fetches a
// new one.
type tokenSource struct {
	lock chan struct{}
	// current is the token. Its Expiry is when to renew it, which is earlier than its real
	// expiry; zero means never.
	current oauth2.Token
	// lastFailure is the outcome of the last failed attempt, and failedAt its time.
	lastFailure actions.Outcome
	failedAt    time.Time
	// secretInBody says that the server only accepts the client's id and secret in the body.
	secretInBody bool
}

func newSource() *tokenSource { return &tokenSource{lock: make(chan struct{}, 1)} }

// sourceKey identifies a token by everything that it is fetched with.
type sourceKey [sha256.Size]byte

// tokenSource returns the cache for the token that is fetched with these settings, shared by
// all calls of the engine.
func (s *Session) tokenSource(how any) (*tokenSource, error) {
	data, err := json.Marshal([]any{how, s.settings.route})
	if err != nil {
		return nil, errors.New("the settings cannot be encoded")
	}
	key := sourceKey(sha256.Sum256(data))
	return s.shared.sources.Get(key, newSource), nil
}

// tokenFetcher fetches a new token.
type tokenFetcher func(context.Context) (*oauth2.Token, actions.Outcome)

// token returns the cached token, or a new one if the cached token is expired or was refused
// by the server. cached says which. Calls that waited for an attempt share its failure, so
// that a wrong password is tried once and not once per call.
func (s *tokenSource) token(ctx context.Context, refused string, fetch tokenFetcher) (string, bool, actions.Outcome) {
	asked := time.Now()
	select {
	case s.lock <- struct{}{}:
		defer func() { <-s.lock }()
	case <-actions.StopDone(ctx):
		return "", false, actions.Refuse(fmt.Errorf("auth: waiting for a token: %w", actions.ErrStopped))
	case <-ctx.Done():
		return "", false, actions.Outcome{Status: actions.Refused, Err: fmt.Errorf("auth: waiting for a token: %w", context.Cause(ctx)), Class: verdict.ClassOf(context.Cause(ctx))}
	}
	if s.current.AccessToken != "" && s.current.AccessToken != refused && (s.current.Expiry.IsZero() || time.Now().Before(s.current.Expiry)) {
		return s.current.AccessToken, true, actions.Outcome{Status: actions.Done}
	}
	if s.failedAt.After(asked) {
		return "", false, s.lastFailure
	}
	t, out := fetch(ctx)
	if out.Status != actions.Done {
		if out.Status != actions.Refused {
			out.Status = actions.Refused // the request itself was not sent
		}
		out.Err = fmt.Errorf("auth: %w", out.Err)
		if ctx.Err() == nil && actions.StopErr(ctx) == nil {
			s.lastFailure, s.failedAt = out, time.Now()
		}
		return "", false, out
	}
	s.current = *t
	return t.AccessToken, false, out
}

// tokenCredential sends a token that it fetches.
type tokenCredential struct {
	session *Session
	source  *tokenSource
	fetch   tokenFetcher
	// header and prefix say how the token is sent.
	header, prefix string
	// given is the token in the last signature. cached says that it was not fetched for it.
	// refused is the token that the server rejected, or "".
	given, refused string
	cached         bool
}

func (c *tokenCredential) sign(ctx context.Context, _ hop) (signature, actions.Outcome) {
	t, cached, out := c.source.token(ctx, c.refused, c.fetch)
	if out.Status != actions.Done {
		return signature{}, out
	}
	c.given, c.cached = t, cached
	c.session.Judge.AddSecret(t)
	value := c.prefix + t
	if err := request.CheckHeaderValue(value); err != nil {
		return signature{}, actions.Refuse(fmt.Errorf("auth: the token is not valid in a header: %w", err))
	}
	return headerSignature(c.header, value), out
}

// renew reports whether the server rejected a cached token. A token that was just fetched
// would not be replaced by a better one.
func (c *tokenCredential) renew(_ hop, resp *verdict.Response) bool {
	if resp.Status != http.StatusUnauthorized || !c.cached {
		return false
	}
	c.refused = c.given
	return true
}

// renewalTime returns when to renew a token that expires at end: after nine tenths of its
// lifetime, but at most 30 seconds before end.
func renewalTime(now, end time.Time) time.Time {
	return end.Add(-min(end.Sub(now)/10, 30*time.Second))
}

// renewalOf returns when to renew a token that came in a response, if any. A time of its expiry is
// one of the server's clock, so the Date of the response tells how long the token lasts.
func renewalOf(v any, resp *verdict.Response) (time.Time, error) {
	now := time.Now()
	date, known := dateOf(resp)
	if !known {
		date = now
	}
	end, err := parseExpiry(v, date)
	if err != nil || end.IsZero() {
		return end, err
	}
	return now.Add(end.Sub(date)), nil
}

// parseExpiry parses the expiry of a token: seconds from now, seconds or milliseconds since
// 1970, or a time as a string. Null means never.
func parseExpiry(v any, now time.Time) (time.Time, error) {
	const distant = 1e9 // seconds: more than 30 years is not a lifetime
	var seconds float64
	switch v := v.(type) {
	case nil:
		return time.Time{}, nil
	case int64:
		seconds = float64(v)
	case float64:
		seconds = v
	case json.Number:
		seconds, _ = v.Float64()
	case fmt.Stringer:
		return parseExpiry(v.String(), now)
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return parseExpiry(f, now)
		}
		for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05"} {
			if t, err := time.Parse(layout, v); err == nil {
				return renewalTime(now, t), nil
			}
		}
		t, err := http.ParseTime(v)
		if err != nil {
			return time.Time{}, fmt.Errorf("invalid expiry of the token: expected seconds, or a time like 2026-01-02T15:04:05Z")
		}
		return renewalTime(now, t), nil
	default:
		return time.Time{}, fmt.Errorf("invalid expiry of the token: expected seconds or a time, got %s", actions.KindOf(v))
	}
	switch {
	case !(seconds >= 0 && seconds < 1e15):
		return time.Time{}, fmt.Errorf("invalid expiry of the token: the number of seconds is out of range")
	case seconds >= distant*1000:
		return renewalTime(now, time.UnixMilli(int64(seconds))), nil
	case seconds >= distant:
		return renewalTime(now, time.Unix(int64(seconds), 0)), nil
	default:
		return renewalTime(now, now.Add(time.Duration(seconds*float64(time.Second)))), nil
	}
}
