package session

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// hop is one message of a request and where it goes: the request itself, then
// what redirects make of it.
type hop struct {
	method  string
	url     *url.URL
	headers http.Header
	body    *request.Body
	// first says that nothing of the request was sent before.
	first bool
}

// mostHops is how many redirects are followed.
const mostHops = 10

// with is the hop with the credentials that go into a header. Its headers are its own:
// what sends it adds to them.
func (h hop) with(sign signature) hop {
	h.headers = h.headers.Clone()
	if sign.header.Name != "" {
		h.headers.Set(sign.header.Name, sign.header.Value)
	}
	return h
}

// redirected is the next hop, if the answer is a redirect (RFC 9110, 15.4):
// within the origin only, so that nothing goes where the author did not send it.
// Parameters that auth adds are added again, and not taken over.
func (h hop) redirected(a *verdict.Answer) (hop, error) {
	location := a.Header.Get("Location")
	if location == "" {
		return hop{}, nil
	}
	next := hop{method: h.method, headers: h.headers, body: h.body}
	switch a.Status {
	case http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther:
		switch {
		case h.method == "GET" || h.method == "HEAD":
		case h.method == "POST" || a.Status == http.StatusSeeOther:
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
		return hop{}, errors.New("it redirects to what is not a URL")
	}
	if !request.SameOrigin(u, h.url) {
		return hop{}, fmt.Errorf("it redirects to %s://%s, another origin, which is not followed", u.Scheme, u.Host)
	}
	u.Fragment, u.RawFragment = "", ""
	a.Unsign(u)
	next.url = u
	return next, nil
}
