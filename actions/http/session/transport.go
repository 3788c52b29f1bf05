package session

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/sys/network"
)

// Limits of a transport. MaxIdlePerHost exceeds the number of requests that Pulumi runs in
// parallel (16 by default, and often raised), so that connections are reused.
const (
	MaxIdlePerHost = 256
	maxIdle        = 1024
	idleTimeout    = 90 * time.Second
	tlsTimeout     = 15 * time.Second
	maxHeaderBytes = 256 << 10
)

// poolKey identifies a connection pool by the grants and settings of its connections.
type poolKey struct {
	granted  string
	settings [sha256.Size]byte
}

// route are the arguments that decide how to reach a server.
type route struct {
	TLS   *declare.TLS `arg:"tls"`
	Proxy string       `arg:"proxy"`
}

// pool is a client with its connections, or the error that prevents one.
type pool struct {
	client *resty.Client
	err    error
}

// poolOf returns the client for the arguments, which is created once per engine.
func (s *Shared) poolOf(network *network.Network, by route) (*resty.Client, error) {
	key := poolKey{granted: network.Fingerprint()}
	if by != (route{}) {
		settings, err := json.Marshal(by)
		if err != nil {
			return nil, errors.New("tls and proxy cannot be read")
		}
		key.settings = sha256.Sum256(settings)
	}
	kept := s.pools.Get(key, func() pool {
		t, err := newTransport(network, by)
		if err != nil {
			return pool{err: err}
		}
		return pool{client: newPool(t)}
	})
	return kept.client, kept.err
}

// newPool returns a client that sends each request once. It does not follow redirects, keep
// cookies or log.
func newPool(t http.RoundTripper) *resty.Client {
	c := resty.NewWithClient(&http.Client{
		Transport:     unfollowed{t},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
	return c.SetLogger(silentLogger{}).SetDisableWarn(true).SetDoNotParseResponse(true).SetPreRequestHook(attach)
}

// unfollowed hides the Location of a redirect from http.Client, which fails if it is malformed, although
// the response has arrived, and it does not follow it anyway.
type unfollowed struct{ http.RoundTripper }

func (t unfollowed) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := t.RoundTripper.RoundTrip(r)
	if err == nil && resp.StatusCode/100 == 3 {
		moveHeader(resp.Header, "Location", hiddenLocation)
	}
	return resp, err
}

// hiddenLocation is the name of a hidden Location. No response has it, because it is not canonical.
const hiddenLocation = "location"

// moveHeader gives a header another name.
func moveHeader(h http.Header, from, to string) {
	if values, ok := h[from]; ok {
		delete(h, from)
		h[to] = values
	}
}

// silentLogger drops log messages, since the client also returns its errors.
type silentLogger struct{}

func (silentLogger) Errorf(string, ...any) {}
func (silentLogger) Warnf(string, ...any)  {}
func (silentLogger) Debugf(string, ...any) {}

type attachmentKey struct{}

// attachment is passed to attach in the context of a request.
type attachment struct {
	// body is nil if there is none.
	body   *request.Body
	effect actions.Effect
}

// attach sets the body of a request as a stream of known size. resty would read it into
// memory.
func attach(_ *resty.Client, r *http.Request) error {
	m, _ := r.Context().Value(attachmentKey{}).(attachment)
	if m.body == nil || m.body.Size == 0 {
		r.Body, r.ContentLength = http.NoBody, 0
		r.GetBody = func() (io.ReadCloser, error) { return http.NoBody, nil }
	} else {
		body, err := m.body.Open()
		if err != nil {
			return &request.BodyError{Err: err}
		}
		r.Body, r.ContentLength, r.GetBody = body, m.body.Size, m.body.Open
	}
	if m.effect == actions.Write {
		sendOnce(r)
	}
	return nil
}

// sendOnce prevents net/http from sending a request twice. If a reused connection breaks,
// net/http silently repeats requests with the method GET, HEAD or OPTIONS, and requests with
// an idempotency key (http.Request.isReplayable, which only knows the canonical names of the
// headers). Only the engine knows whether a repetition is safe, and that the next response
// says nothing about the first attempt.
func sendOnce(r *http.Request) {
	for _, name := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		if key, given := r.Header[name]; given {
			r.Header = r.Header.Clone()
			delete(r.Header, name)
			r.Header[strings.ToLower(name)] = key // the same name (RFC 9110, 5.1)
		}
	}
	switch r.Method {
	case "GET", "HEAD", "OPTIONS":
		if r.GetBody = nil; r.Body == http.NoBody {
			r.Body = io.NopCloser(strings.NewReader("")) // a body that net/http cannot repeat
		}
	}
}

func newTransport(network *network.Network, by route) (*http.Transport, error) {
	config, err := by.TLS.Config()
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	t := &http.Transport{
		DialContext: func(ctx context.Context, kind, address string) (net.Conn, error) {
			conn, err := network.Dial(ctx, kind, address)
			if err != nil {
				return nil, err
			}
			return &countedConn{Conn: conn}, nil
		},
		TLSClientConfig: config, TLSHandshakeTimeout: tlsTimeout, Protocols: &protocols,
		MaxIdleConns: maxIdle, MaxIdleConnsPerHost: MaxIdlePerHost, IdleConnTimeout: idleTimeout,
		MaxResponseHeaderBytes: maxHeaderBytes,
	}
	if by.Proxy == "" {
		return t, nil
	}
	u, err := url.Parse(by.Proxy)
	if err != nil || u.Host == "" {
		return nil, errors.New("proxy: invalid URL (use one like http://proxy.example.com:3128)")
	}
	if err := network.CheckProxy(u); err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	t.Proxy = http.ProxyURL(u)
	return t, nil
}

// countedConn counts the bytes that are written.
type countedConn struct {
	net.Conn
	sent atomic.Int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.sent.Add(int64(n))
	return n, err
}

// sendWatch detects whether any byte of a request was sent. It compares with the count when
// the request got the connection, since a handshake sends bytes too.
type sendWatch struct {
	mu     sync.Mutex
	conn   *countedConn
	before int64
	sent   bool
}

func (w *sendWatch) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.sent = w.sentLocked()
		conn := info.Conn
		if secure, ok := conn.(*tls.Conn); ok {
			conn = secure.NetConn()
		}
		counted, ok := conn.(*countedConn)
		if !ok {
			w.conn, w.sent = nil, true // cannot be known
			return
		}
		w.conn, w.before = counted, counted.sent.Load()
	}}
}

func (w *sendWatch) sentLocked() bool {
	return w.sent || w.conn != nil && w.conn.sent.Load() > w.before
}

// anySent reports whether any byte of the request was sent.
func (w *sendWatch) anySent() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sentLocked()
}
