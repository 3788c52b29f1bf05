package session

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/declprov/declprov/actions/grant"
)

// limits delays requests, by origin, for the lifetime of an engine.
type limits struct {
	mu    sync.Mutex
	rates map[rateKey]*rate.Limiter
	slots map[slotKey]chan struct{}
}

type rateKey struct {
	origin grant.Origin
	allowance
}

type slotKey struct {
	origin grant.Origin
	most   int64
}

func newLimits() *limits {
	return &limits{rates: map[rateKey]*rate.Limiter{}, slots: map[slotKey]chan struct{}{}}
}

// allowance is a rate limit; the zero value is no limit.
type allowance struct {
	requests, burst int64
	per             time.Duration
}

// throttleSettings are the arguments that limit the rate and number of requests.
type throttleSettings struct {
	Concurrency int64 `arg:"concurrency"`
	RateLimit   *struct {
		Requests int64         `arg:"requests"`
		Burst    *int64        `arg:"burst"`
		Per      time.Duration `arg:"per"`
	} `arg:"rateLimit"`
}

// throttle delays the requests of a call.
type throttle struct {
	limits *limits
	allowance
	most int64
}

// newThrottle returns the throttle for the arguments.
func (l *limits) newThrottle(p throttleSettings) (throttle, error) {
	r := throttle{limits: l, most: p.Concurrency}
	if p.RateLimit == nil {
		return r, nil
	}
	r.requests, r.burst, r.per = p.RateLimit.Requests, p.RateLimit.Requests, p.RateLimit.Per
	if p.RateLimit.Burst != nil {
		r.burst = *p.RateLimit.Burst
	}
	if r.requests < 1 || r.burst < 1 || r.per == 0 {
		return r, fmt.Errorf("rateLimit: expected positive numbers, as in {requests: 10, per: \"1s\"}")
	}
	return r, nil
}

// mayWait reports whether a request may have to wait.
func (r throttle) mayWait() bool { return r.most > 0 || r.requests > 0 }

// wait waits until the next request to the origin may be sent. The caller must call done when
// the response has arrived.
func (r throttle) wait(ctx context.Context, origin grant.Origin) (done func(), err error) {
	done = func() {}
	if r.most > 0 {
		slots := r.limits.slotsOf(slotKey{origin, r.most})
		select {
		case slots <- struct{}{}:
			done = func() { <-slots }
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if r.requests > 0 {
		if err := r.limits.rateOf(rateKey{origin, r.allowance}).Wait(ctx); err != nil {
			done()
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			return nil, fmt.Errorf("rateLimit: the request would have to wait beyond its deadline: %w", context.DeadlineExceeded)
		}
	}
	return done, nil
}

func (l *limits) slotsOf(key slotKey) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.slots[key] == nil {
		l.slots[key] = make(chan struct{}, min(key.most, 1<<20))
	}
	return l.slots[key]
}

func (l *limits) rateOf(key rateKey) *rate.Limiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.rates[key] == nil {
		every := rate.Limit(float64(key.requests) / key.per.Seconds())
		l.rates[key] = rate.NewLimiter(every, int(min(key.burst, 1<<30)))
	}
	return l.rates[key]
}
