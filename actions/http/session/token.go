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
	"github.com/declprov/declprov/actions/http/verdict"
)

// source keeps a token for all who need it. One at a time gets a new one.
type source struct {
	turn chan struct{}
	// held is the token. Its Expiry is when to get another, some time before it ends; zero
	// is never.
	held oauth2.Token
	// failure is how the last attempt to get one ended, and when.
	failure  actions.Outcome
	failedAt time.Time
	// inBody says that the server takes the client's name and secret in the body only.
	inBody bool
}

func newSource() *source { return &source{turn: make(chan struct{}, 1)} }

// sourceKey tells tokens apart by all that they are got with.
type sourceKey [sha256.Size]byte

// sourceOf is the keeper of the token that is got so, by the session's way, shared by all
// calls of the engine.
func (s *Session) sourceOf(how any) (*source, error) {
	data, err := json.Marshal([]any{how, s.given.route})
	if err != nil {
		return nil, errors.New("it cannot be read")
	}
	key := sourceKey(sha256.Sum256(data))
	return s.shared.sources.Get(key, newSource), nil
}

// fetcher gets a new token.
type fetcher func(context.Context) (*oauth2.Token, actions.Outcome)

// token is the one that is kept, or a new one where that is refused or over.
// Cached says that it was kept. Those who wait for an attempt share its failure,
// so that a wrong password is tried once, not once each.
func (s *source) token(ctx context.Context, refused string, fetch fetcher) (string, bool, actions.Outcome) {
	asked := time.Now()
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-actions.StopDone(ctx):
		return "", false, actions.Refuse(fmt.Errorf("auth: waiting for a token: %w", actions.ErrStopped))
	case <-ctx.Done():
		return "", false, actions.Outcome{Status: actions.Refused, Err: fmt.Errorf("auth: waiting for a token: %w", context.Cause(ctx)), Class: verdict.ClassOf(context.Cause(ctx))}
	}
	if s.held.AccessToken != "" && s.held.AccessToken != refused && (s.held.Expiry.IsZero() || time.Now().Before(s.held.Expiry)) {
		return s.held.AccessToken, true, actions.Outcome{Status: actions.Done}
	}
	if s.failedAt.After(asked) {
		return "", false, s.failure
	}
	t, out := fetch(ctx)
	if out.Status != actions.Done {
		if out.Status != actions.Refused {
			out.Status = actions.Refused // of the request itself, nothing was sent
		}
		out.Err = fmt.Errorf("auth: %w", out.Err)
		if ctx.Err() == nil && actions.StopErr(ctx) == nil {
			s.failure, s.failedAt = out, time.Now()
		}
		return "", false, out
	}
	s.held = *t
	return t.AccessToken, false, out
}

// lasting is when a token that ends then is renewed: a tenth of its time before,
// half a minute at most.
func lasting(now, end time.Time) time.Time {
	return end.Add(-min(end.Sub(now)/10, 30*time.Second))
}

// expiry reads when a token ends: seconds from now, seconds since 1970, or a
// time as text. Null is never.
func expiry(v any, now time.Time) (time.Time, error) {
	const distant = 1e9 // seconds: more than 30 years is no duration
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
		return expiry(v.String(), now)
	case string:
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return expiry(f, now)
		}
		for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05"} {
			if t, err := time.Parse(layout, v); err == nil {
				return lasting(now, t), nil
			}
		}
		t, err := http.ParseTime(v)
		if err != nil {
			return time.Time{}, fmt.Errorf("when the token ends is no time: write seconds, or a time like 2026-01-02T15:04:05Z")
		}
		return lasting(now, t), nil
	default:
		return time.Time{}, fmt.Errorf("when the token ends is %s, and seconds or a time is wanted", actions.KindOf(v))
	}
	switch {
	case !(seconds >= 0 && seconds < 1e15):
		return time.Time{}, fmt.Errorf("when the token ends is no number of seconds")
	case seconds >= distant*1000:
		return lasting(now, time.UnixMilli(int64(seconds))), nil
	case seconds >= distant:
		return lasting(now, time.Unix(int64(seconds), 0)), nil
	default:
		return lasting(now, now.Add(time.Duration(seconds*float64(time.Second)))), nil
	}
}
