// Package unlucky is a proxy on loopback in front of a real server. It loses or replaces the
// responses to chosen requests, as proxies, load balancers and networks do, and records what
// it did.
package unlucky

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// maxBody is the maximum request body that the proxy forwards.
const maxBody = 16 << 20

// Request is a request to the proxy.
type Request struct {
	Method string
	// URI is the path and query, as sent.
	URI    string
	Header http.Header
	Body   string
}

// String returns the request as one line.
func (r Request) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.URI, r.Body))
}

// Exchange is a request and its outcome.
type Exchange struct {
	Request Request
	// Misfortune is the name of the fault; "" is none.
	Misfortune string
	// Forwarded is how often the request was sent to the server. Status is the status of the
	// server's response, or 0 if there was none.
	Forwarded, Status int
}

// Proxy is a proxy that runs until the test ends. It is safe for concurrent use.
type Proxy struct {
	URL string

	upstream  *url.URL
	transport *http.Transport

	mu        sync.Mutex
	armed     []*Armed
	exchanges []Exchange
}

// Armed is a fault that waits for its requests.
type Armed struct {
	matches    func(Request) bool
	misfortune Misfortune
	left       int
}

// Start starts a proxy in front of the server at the URL.
func Start(t testing.TB, upstream string) *Proxy {
	t.Helper()
	to, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	// Use a connection per request, so that none breaks because the server closed an idle
	// one.
	p := &Proxy{upstream: to, transport: &http.Transport{DisableKeepAlives: true}}
	server := httptest.NewServer(p)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	p.URL = server.URL
	return p
}

// Arm applies a fault to the next requests that match, the given number of times. If several
// match, the first armed one applies.
func (p *Proxy) Arm(m Misfortune, times int, matches func(Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = append(p.armed, &Armed{matches: matches, misfortune: m, left: times})
}

// Disarm removes the faults that have not been applied, and returns their names.
func (p *Proxy) Disarm() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var names []string
	for _, a := range p.armed {
		names = append(names, slices.Repeat([]string{a.misfortune.Name}, a.left)...)
	}
	p.armed = nil
	return names
}

// Exchanges returns the requests since the last call, in the order of their responses.
func (p *Proxy) Exchanges() []Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.exchanges
	p.exchanges = nil
	return out
}

// ServeHTTP forwards a request, or applies a fault.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return // the client is gone, and nothing was forwarded
	}
	request := Request{Method: r.Method, URI: r.RequestURI, Header: r.Header.Clone(), Body: string(body)}
	misfortune := p.takeMisfortune(request)
	e := &encounter{proxy: p, w: w, r: r, exchange: Exchange{Request: request, Misfortune: misfortune.Name}}
	if misfortune.strike == nil {
		misfortune.strike = (*encounter).pass
	}
	misfortune.strike(e)
	p.mu.Lock()
	p.exchanges = append(p.exchanges, e.exchange)
	p.mu.Unlock()
	if e.drop {
		panic(http.ErrAbortHandler) // closes the connection without a response
	}
}

// takeMisfortune returns the fault for a request, and counts it.
func (p *Proxy) takeMisfortune(r Request) Misfortune {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, a := range p.armed {
		if a.left > 0 && a.matches(r) {
			a.left--
			return a.misfortune
		}
	}
	return Misfortune{}
}

// encounter is a request that the proxy is handling.
type encounter struct {
	proxy    *Proxy
	w        http.ResponseWriter
	r        *http.Request
	exchange Exchange
	drop     bool
}

// response is the response of the server.
type response struct {
	status int
	header http.Header
	body   []byte
}

// forward sends the request to the server, with the client's Host, and returns the response,
// or a 502 if there was none.
func (e *encounter) forward() response {
	to := *e.r.URL
	to.Scheme, to.Host = e.proxy.upstream.Scheme, e.proxy.upstream.Host
	// The server must receive the request also if the client disconnects meanwhile.
	out, err := http.NewRequest(e.r.Method, to.String(), strings.NewReader(e.exchange.Request.Body))
	if err != nil {
		return response{status: http.StatusBadGateway, body: []byte(err.Error())}
	}
	out.Header, out.Host = e.r.Header.Clone(), e.r.Host
	out.Header.Del("Connection")
	out.ContentLength = int64(len(e.exchange.Request.Body))
	e.exchange.Forwarded++
	got, err := e.proxy.transport.RoundTrip(out)
	if err != nil {
		return response{status: http.StatusBadGateway, body: []byte(err.Error())}
	}
	defer got.Body.Close()
	body, err := io.ReadAll(got.Body)
	if err != nil {
		return response{status: http.StatusBadGateway, body: []byte(err.Error())}
	}
	e.exchange.Status = got.StatusCode
	return response{status: got.StatusCode, header: got.Header, body: body}
}

// pass forwards the request, and passes on the response.
func (e *encounter) pass() { e.answer(e.forward()) }

// answer sends a response to the client.
func (e *encounter) answer(r response) {
	for name, values := range r.header {
		// The body is complete, so there are no trailers or chunks.
		if !slices.Contains([]string{"Connection", "Trailer", "Transfer-Encoding", "Content-Length"}, name) {
			e.w.Header()[name] = values
		}
	}
	if len(r.body) > 0 && e.r.Method != http.MethodHead {
		e.w.Header().Set("Content-Length", strconv.Itoa(len(r.body)))
	}
	e.w.WriteHeader(r.status)
	// The client may be gone; then nobody receives the error.
	_, _ = io.Copy(e.w, bytes.NewReader(r.body))
}
