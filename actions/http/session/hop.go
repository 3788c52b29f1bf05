package session

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// hop is one HTTP message: the request itself, or the request after a redirect.
type hop struct {
	method  string
	url     *url.URL
	headers http.Header
	body    *request.Body
	// added are the query parameters of the credentials.
	added []request.Pair
	// credentials says that the message has the credentials of the call.
	credentials bool
	// first says that no message of the request was sent before.
	first bool
}

// maxRedirects is how many redirects are followed.
const maxRedirects = 10

// sent returns the URL as it is sent, with the parameters that the credentials added.
func (h hop) sent() *url.URL {
	u := *h.url
	if len(h.added) > 0 {
		u.RawQuery = joinQuery(u.RawQuery, request.EncodePairs(h.added))
	}
	return &u
}

// trace reports the message, without the query parameters of the credentials.
func (h hop) trace(ctx context.Context, began time.Time, how string) {
	if actions.TraceOf(ctx) != nil {
		actions.Trace(ctx, began, h.method+" "+h.url.Redacted(), how)
	}
}

// next returns the next hop if the response is a redirect (RFC 9110, 15.4), else the zero
// hop. A redirect to another origin is an error, so that nothing goes where the author did
// not send it. Parameters that auth adds are removed; they are added again on sending.
func (h hop) next(resp *verdict.Response) (hop, error) {
	location := resp.Header.Get("Location")
	if location == "" {
		return hop{}, nil
	}
	next := hop{method: h.method, headers: h.headers, body: h.body}
	switch resp.Status {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		switch {
		case h.method == "GET" || h.method == "HEAD":
		case h.method == "POST" || resp.Status == http.StatusSeeOther:
			next.method, next.body, next.headers = "GET", nil, h.headers.Clone()
			next.headers.Del("Content-Type")
			next.headers.Del(request.KeyHeader)
			next.headers.Del("If-Match")
			next.headers.Del("If-None-Match")
		default:
			return hop{}, fmt.Errorf("it redirects a %s with status %d, which does not define the method of the next request (expected 303, 307 or 308)", h.method, resp.Status)
		}
	default:
		return hop{}, nil
	}
	u, err := h.url.Parse(location)
	if err != nil || u.User != nil {
		return hop{}, errors.New("it redirects to an invalid URL")
	}
	if !request.SameOrigin(u, h.url) {
		return hop{}, fmt.Errorf("it redirects to another origin, %s://%s; %s", u.Scheme, u.Host, verdict.OtherOrigin)
	}
	u.Fragment, u.RawFragment = "", ""
	resp.RemoveAuthQuery(u)
	next.url = u
	return next, nil
}
