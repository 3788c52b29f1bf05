package session

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
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
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/sys/network"
)

// The bounds of a transport. Idle connections to one host are as many as a host
// of providers asks for at once: Pulumi's parallelism is 16 by default, and
// people raise it.
const (
	MaxIdlePerHost = 256
	maxIdle        = 1024
	idleTimeout    = 90 * time.Second
	tlsTimeout     = 15 * time.Second
	maxHeaderBytes = 256 << 10
)

// poolKey tells pools of connections apart: what may be reached, and how.
type poolKey struct {
	granted  string
	settings [sha256.Size]byte
}

// route are the arguments that say by which way servers are reached.
type route struct {
	TLS   *tlsSettings `arg:"tls"`
	Proxy string       `arg:"proxy"`
}

type tlsSettings struct {
	CA         string `arg:"ca"`
	Cert       string `arg:"cert"`
	Key        string `arg:"key"`
	ServerName string `arg:"serverName"`
	Insecure   bool   `arg:"insecure"`
}

// pool are the connections of one such way, or why there are none.
type pool struct {
	client *resty.Client
	err    error
}

// poolOf is the pool that the arguments ask for, made once per engine.
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

// newPool is a client that sends each request once, and follows, remembers and
// logs nothing.
func newPool(t http.RoundTripper) *resty.Client {
	c := resty.NewWithClient(&http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
	return c.SetLogger(quiet{}).SetDisableWarn(true).SetDoNotParseResponse(true).SetPreRequestHook(attach)
}

// quiet is the log of a client whose errors are told by what it returns.
type quiet struct{}

func (quiet) Errorf(string, ...any) {}
func (quiet) Warnf(string, ...any)  {}
func (quiet) Debugf(string, ...any) {}

type messageKey struct{}

// message is what a request says of itself to the client that sends it.
type message struct {
	// body is nil where there is none.
	body   *request.Body
	effect actions.Effect
}

// attach gives a request its body: as a stream of known size, which resty's own
// way would read into memory.
func attach(_ *resty.Client, r *http.Request) error {
	m, _ := r.Context().Value(messageKey{}).(message)
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

// sendOnce keeps net/http from sending a request twice. On a connection that breaks and
// that has carried others it repeats, unasked and untold, whatever has the method GET,
// HEAD or OPTIONS, and whatever has an idempotency key (http.Request.isReplayable, which
// knows such headers by their canonical names alone). Only the engine knows whether it
// may be repeated, and that the next response says nothing of the first attempt.
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
			r.Body = io.NopCloser(strings.NewReader("")) // which cannot be sent again
		}
	}
}

func newTransport(network *network.Network, by route) (*http.Transport, error) {
	config, err := by.TLS.config()
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
		return nil, errors.New("proxy is no URL; write it like http://proxy.example.com:3128")
	}
	if err := network.CheckProxy(u); err != nil {
		return nil, fmt.Errorf("proxy: %w", err)
	}
	t.Proxy = http.ProxyURL(u)
	return t, nil
}

// config is how TLS is done; nil settings are the default.
func (s *tlsSettings) config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s == nil {
		return config, nil
	}
	config.ServerName, config.InsecureSkipVerify = s.ServerName, s.Insecure
	if s.CA != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(s.CA)) {
			return nil, errors.New("ca holds no certificate in PEM (-----BEGIN CERTIFICATE-----)")
		}
	}
	if (s.Cert == "") != (s.Key == "") {
		return nil, errors.New("cert and key belong together; give both")
	}
	if s.Cert != "" {
		pair, err := tls.X509KeyPair([]byte(s.Cert), []byte(s.Key))
		if err != nil {
			// The library's own words may hold parts of the key.
			return nil, errors.New("cert and key are no pair of PEM blocks that belong together")
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}

// countedConn counts what is sent.
type countedConn struct {
	net.Conn
	sent atomic.Int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.sent.Add(int64(n))
	return n, err
}

// watch tells whether anything of a request was sent: more than was on its
// connection when it got it, which a handshake had sent.
type watch struct {
	mu     sync.Mutex
	conn   *countedConn
	before int64
	sent   bool
}

func (w *watch) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.sent = w.any()
		conn := info.Conn
		if secure, ok := conn.(*tls.Conn); ok {
			conn = secure.NetConn()
		}
		counted, ok := conn.(*countedConn)
		if !ok {
			w.conn, w.sent = nil, true // nobody knows
			return
		}
		w.conn, w.before = counted, counted.sent.Load()
	}}
}

func (w *watch) any() bool { return w.sent || w.conn != nil && w.conn.sent.Load() > w.before }

// anything reports whether anything was sent.
func (w *watch) anything() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.any()
}
