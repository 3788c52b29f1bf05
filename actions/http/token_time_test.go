package http

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
)

// TestTokenAfterAWait checks that a request that waits for its turn longer than a token lasts is
// sent with a token that is still valid.
func TestTokenAfterAWait(t *testing.T) {
	const lasts, requests = 400 * time.Millisecond, 12
	for name, limit := range map[string]args{
		"a rate":        {"rateLimit": args{"requests": int64(10), "per": "1s", "burst": int64(1)}},
		"a concurrency": {"concurrency": int64(1)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var issued, refused atomic.Int64
			var expires sync.Map
			ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/login" {
					token := fmt.Sprint("token-", issued.Add(1))
					expires.Store("Bearer "+token, time.Now().Add(lasts))
					respondJSON(200, fmt.Sprintf(`{"body":{},"token":%q,"expires_in":%g}`, token, lasts.Seconds()))(w, r)
					return
				}
				until, known := expires.Load(r.Header.Get("Authorization"))
				if !known || time.Now().After(until.(time.Time)) {
					refused.Add(1)
					w.WriteHeader(401)
					return
				}
				time.Sleep(100 * time.Millisecond)
				w.WriteHeader(204)
			})
			a := loginArgs()
			for k, v := range limit {
				a[k] = v
			}
			var all sync.WaitGroup
			for range requests {
				all.Go(func() {
					if out := ts.run("/x", a); out.Status != actions.Done {
						t.Error(out.Err)
					}
				})
			}
			all.Wait()
			if n := refused.Load(); n > requests/4 { // on a busy machine, some expire on the way
				t.Errorf("%d requests were refused", n)
			}
			if n := issued.Load(); n < 3 || n > 6 {
				t.Errorf("%d tokens were issued", n)
			}
		})
	}
}

// TestExpiryByTheServersClock checks that a time of expiry is one of the server's clock, however
// far that differs.
func TestExpiryByTheServersClock(t *testing.T) {
	for name, tc := range map[string]struct {
		ahead time.Duration
		date  bool
		lasts time.Duration
		want  int64 // tokens for two requests
	}{
		"the same clock":                 {0, true, time.Minute, 1},
		"ahead":                          {2 * time.Minute, true, time.Minute, 1},
		"behind":                         {-2 * time.Minute, true, time.Minute, 1},
		"ahead, and expired":             {2 * time.Minute, true, 0, 2},
		"behind, and expired":            {-2 * time.Minute, true, -time.Second, 2},
		"behind, by a server without it": {-2 * time.Minute, false, time.Minute, 2},
	} {
		t.Run(name, func(t *testing.T) {
			var issued atomic.Int64
			ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/login" {
					w.WriteHeader(204)
					return
				}
				now := time.Now().Add(tc.ahead).UTC()
				w.Header()["Date"] = nil
				if tc.date {
					w.Header().Set("Date", now.Format(http.TimeFormat))
				}
				respondJSON(200, fmt.Sprintf(`{"token":"t-%d","expires_in":%q}`, issued.Add(1), now.Add(tc.lasts).Format(time.RFC3339)))(w, r)
			})
			for range 2 {
				ts.done(ts.run("/x", loginArgs()))
			}
			if n := issued.Load(); n != tc.want {
				t.Errorf("%d tokens, want %d", n, tc.want)
			}
		})
	}
}

// TestClockOfATokenEndpoint checks that an error of a token endpoint names a difference between the
// clocks that does not explain it.
func TestClockOfATokenEndpoint(t *testing.T) {
	ts := newTestServer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", time.Now().Add(-2*time.Minute).UTC().Format(http.TimeFormat))
		respondJSON(400, `{"error":"invalid_grant"}`)(w, r)
	})
	out := ts.run("/x", args{"auth": args{"oauth2": args{
		"tokenURL": ts.server.URL + "/token", "grant": "jwt-bearer", "assertion": args{"jwt": args{"alg": "HS256", "key": "k"}},
	}}})
	ts.expect(out, actions.Refused, "400", "the server's clock is 2m0s behind that of this machine")
	if n := len(ts.requests()); n != 2 {
		t.Errorf("%d requests, want 2", n)
	}
}
