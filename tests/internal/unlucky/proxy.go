// Package unlucky is a proxy on loopback in front of a real server. It loses or
// replaces the responses to chosen requests, as proxies, load balancers and
// networks do, and keeps a record of what it did.
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

// maxBody is the largest request body that the proxy passes on.
const maxBody = 16 << 20

// Request is one that reached the proxy.
type Request struct {
	Method string
	// URI is the path and the query, as they were sent.
	URI    string
	Header http.Header
	Body   string
}

// String returns the request as one line.
func (r Request) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.URI, r.Body))
}

// Exchange is a request, and what became of it.
type Exchange struct {
	Request Request
	// Misfortune is the name of the one that struck; "" is none.
	Misfortune string
	// Forwarded is the number of times that the server was sent the request, and
	// Status its status; 0 is of one that it never saw or did not answer.
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

// Armed is a misfortune that waits for its requests.
type Armed struct {
	matches    func(Request) bool
	misfortune Misfortune
	left       int
}

// Start starts a proxy in front of the server at that URL.
func Start(t testing.TB, upstream string) *Proxy {
	t.Helper()
	to, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	// A connection for each request: none breaks because the server closed it.
	p := &Proxy{upstream: to, transport: &http.Transport{DisableKeepAlives: true}}
	server := httptest.NewServer(p)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	p.URL = server.URL
	return p
}

// Arm makes a misfortune strike the next requests that match, as many as times
// says. Where several match, the one that was armed first strikes.
func (p *Proxy) Arm(m Misfortune, times int, matches func(Request) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.armed = append(p.armed, &Armed{matches: matches, misfortune: m, left: times})
}

// Disarm takes back the misfortunes that have not struck, and returns their
// names.
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

// Exchanges returns the requests since the last call, in the order in which they
// were answered.
func (p *Proxy) Exchanges() []Exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := p.exchanges
	p.exchanges = nil
	return out
}

// ServeHTTP forwards a request, or lets a misfortune have it.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return // the client has gone, and nothing was forwarded
	}
	request := Request{Method: r.Method, URI: r.RequestURI, Header: r.Header.Clone(), Body: string(body)}
	misfortune := p.strike(request)
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

// strike returns the misfortune of a request, and counts it.
func (p *Proxy) strike(r Request) Misfortune {
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

// encounter is a request that the proxy has in hand.
type encounter struct {
	proxy    *Proxy
	w        http.ResponseWriter
	r        *http.Request
	exchange Exchange
	drop     bool
}

// response is what the server said.
type response struct {
	status int
	header http.Header
	body   []byte
}

// forward sends the request to the server, with the client's Host, and returns
// what it said: a 502 if it said nothing.
func (e *encounter) forward() response {
	to := *e.r.URL
	to.Scheme, to.Host = e.proxy.upstream.Scheme, e.proxy.upstream.Host
	// The server is to see the request also when the client goes meanwhile.
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

// pass forwards the request, and passes the response on.
func (e *encounter) pass() { e.answer(e.forward()) }

// answer sends a response to the client.
func (e *encounter) answer(r response) {
	for name, values := range r.header {
		// The body is whole by now: no trailers, no chunks.
		if !slices.Contains([]string{"Connection", "Trailer", "Transfer-Encoding", "Content-Length"}, name) {
			e.w.Header()[name] = values
		}
	}
	if len(r.body) > 0 && e.r.Method != http.MethodHead {
		e.w.Header().Set("Content-Length", strconv.Itoa(len(r.body)))
	}
	e.w.WriteHeader(r.status)
	// The client may have gone; there is nobody to tell.
	_, _ = io.Copy(e.w, bytes.NewReader(r.body))
}
