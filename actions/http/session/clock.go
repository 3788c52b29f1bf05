package session

import (
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// minSkew is the least difference between two clocks that is corrected. The header Date has
// whole seconds, and servers accept differences of some minutes.
const minSkew = time.Minute

// clocks are the clocks of servers, as far as they are known to differ from that of this
// machine.
type clocks struct {
	// now is the clock of this machine.
	now func() time.Time

	mu   sync.Mutex
	skew map[grant.Origin]time.Duration
}

// at returns the time at the origin of a URL.
func (c *clocks) at(u *url.URL) time.Time { return c.now().Add(c.skewOf(u)).UTC() }

func (c *clocks) skewOf(u *url.URL) time.Duration {
	origin, err := request.OriginOf(u)
	if err != nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.skew[origin]
}

// dateOf returns the time at the server when it made the response, in whole seconds. It is
// unknown in a response without Date, and in one from a cache, whose Date has passed.
func dateOf(resp *verdict.Response) (date time.Time, known bool) {
	if resp == nil {
		return time.Time{}, false
	}
	date, err := http.ParseTime(resp.Header.Get("Date"))
	return date, err == nil && resp.Header.Get("Age") == ""
}

// correct compares the clock of this machine with the Date of a response that refused a
// signature. It reports whether the time at that origin changed by minSkew or more.
func (c *clocks) correct(u *url.URL, resp *verdict.Response) bool {
	switch resp.Status {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden:
	default:
		return false
	}
	date, known := dateOf(resp)
	origin, err := request.OriginOf(u)
	if !known || err != nil {
		return false
	}
	skew := date.Sub(c.now())
	if skew.Abs() < minSkew {
		skew = 0
	}
	resp.ClockSkew = skew
	c.mu.Lock()
	defer c.mu.Unlock()
	if (skew - c.skew[origin]).Abs() < minSkew {
		return false
	}
	if c.skew == nil {
		c.skew = map[grant.Origin]time.Duration{}
	}
	c.skew[origin] = skew
	return true
}
