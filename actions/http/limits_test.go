package http

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
)

func TestConcurrency(t *testing.T) {
	var now, most atomic.Int64
	ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		now.Add(-1)
		w.WriteHeader(204)
	})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if out := ts.run("/x", args{"concurrency": int64(3)}); out.Status != actions.Done {
				t.Error(out.Err)
			}
		})
	}
	wg.Wait()
	if n := most.Load(); n != 3 {
		t.Errorf("%d at the same time, want 3", n)
	}
}

func TestRateLimit(t *testing.T) {
	ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	a := args{"rateLimit": args{"requests": int64(10), "per": "500ms", "burst": int64(1)}}
	start := time.Now()
	for range 5 {
		ts.done(ts.run("/x", a))
	}
	if took := time.Since(start); took < 190*time.Millisecond {
		t.Errorf("five requests took %s", took)
	}
	hourly := args{"rateLimit": args{"requests": int64(1), "per": "1h"}}
	ts.done(ts.run("/y", hourly))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	out := ts.kind.Run(ctx, ts.call("/y", hourly))
	ts.expect(out, actions.Refused, "timeout", "waiting for the rate or concurrency limit")
}

// TestStopEndsTheWaitForATurn checks that a request that waits for a limit is given up as
// soon as the operation is stopped. It was not sent.
func TestStopEndsTheWaitForATurn(t *testing.T) {
	for name, limit := range map[string]args{
		"a rate":        {"rateLimit": args{"requests": int64(1), "per": "1h"}},
		"a concurrency": {"concurrency": int64(1)},
	} {
		t.Run(name, func(t *testing.T) {
			began, finish := make(chan struct{}), make(chan struct{})
			ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) {
				close(began)
				<-finish
				w.WriteHeader(204)
			})
			var first sync.WaitGroup
			first.Go(func() { ts.run("/x", limit) })
			<-began
			ctx, cancel := context.WithCancel(t.Context()) // with a deadline, it would not wait at all
			defer time.AfterFunc(30*time.Second, cancel).Stop()
			stop, stopNow := context.WithCancelCause(t.Context())
			defer time.AfterFunc(20*time.Millisecond, func() { stopNow(actions.ErrStopped) }).Stop()
			out := ts.kind.Run(actions.WithStop(ctx, stop), ts.call("/x", limit))
			close(finish)
			first.Wait()
			if out.Status != actions.Refused || !errors.Is(out.Err, actions.ErrStopped) {
				t.Errorf("not given up because of the stop: %v, %v", out.Status, out.Err)
			}
		})
	}
}

// TestReuse checks that connections are reused, also with many concurrent requests.
func TestReuse(t *testing.T) {
	var opened atomic.Int64
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(2 * time.Millisecond)
		respondJSON(200, `{"a":1}`)(w, nil)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	ts := &testServer{TB: t, kind: newKind(time.Now), server: s}
	ts.setOrigins(s.URL)
	const at, rounds = 64, 10
	for range rounds {
		var wg sync.WaitGroup
		for range at {
			wg.Go(func() {
				if out := ts.run("/x", nil); out.Status != actions.Done {
					t.Error(out.Err)
				}
			})
		}
		wg.Wait()
	}
	if n := opened.Load(); n > at+8 {
		t.Errorf("%d connections for %d concurrent requests", n, at)
	}
}
