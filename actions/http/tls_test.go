package http

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/declprov/declprov/actions"
)

// certificate is a certificate with its key, as PEM.
type certificate struct {
	cert, key string
	pair      tls.Certificate
	x509      *x509.Certificate
}

// newCertificate returns a certificate signed by the issuer, or self-signed if by is nil.
func newCertificate(t *testing.T, name string, by *certificate) *certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true, IsCA: by == nil,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	parent, signer := template, any(key)
	if by != nil {
		parent, signer = by.x509, by.pair.PrivateKey
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	keyDER, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	out := &certificate{
		cert: string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		key:  string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: keyDER})),
	}
	if out.pair, err = tls.X509KeyPair([]byte(out.cert), []byte(out.key)); err != nil {
		t.Fatal(err)
	}
	out.x509, err = x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestTLS(t *testing.T) {
	ca, other := newCertificate(t, "ca", nil), newCertificate(t, "other", nil)
	server, client, stranger := newCertificate(t, "server.test", ca), newCertificate(t, "client", ca), newCertificate(t, "client", other)
	pool := x509.NewCertPool()
	pool.AddCert(ca.x509)
	done := 0
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { done++; w.WriteHeader(204) }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{server.pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
	s.StartTLS()
	defer s.Close()
	ts := &testServer{TB: t, kind: newKind(time.Now)}
	ts.setOrigins(s.URL)
	for _, tc := range []struct {
		name  string
		tls   args
		want  actions.Status
		again bool
		err   string
	}{
		{"both sides", args{"ca": ca.cert, "cert": client.cert, "key": client.key, "serverName": "server.test"}, actions.Done, false, ""},
		{"the system's", args{"cert": client.cert, "key": client.key}, actions.Refused, false, "certificate"},
		{"another authority", args{"ca": other.cert, "cert": client.cert, "key": client.key, "serverName": "server.test"}, actions.Refused, false, "unknown authority"},
		{"another name", args{"ca": ca.cert, "cert": client.cert, "key": client.key}, actions.Refused, false, "certificate"},
		{"insecure", args{"insecure": true, "cert": client.cert, "key": client.key}, actions.Done, false, ""},
		{"no certificate", args{"ca": ca.cert, "serverName": "server.test"}, actions.Refused, false, "certificate required"},
		{"a stranger", args{"ca": ca.cert, "cert": stranger.cert, "key": stranger.key, "serverName": "server.test"}, actions.Refused, false, "tls"},
		{"another key", args{"ca": ca.cert, "cert": client.cert, "key": server.key}, actions.Refused, false, "not a matching pair"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := done
			out := ts.run("/x", args{"baseURL": s.URL, "tls": tc.tls, "json": args{}})
			if out.Status != tc.want || out.Again != tc.again || out.Err != nil && !strings.Contains(out.Err.Error(), tc.err) {
				t.Errorf("status %d, again %v: %v", out.Status, out.Again, out.Err)
			}
			if (done-before == 1) != (tc.want == actions.Done) {
				t.Errorf("%d requests were processed", done-before)
			}
			if out.Err != nil && strings.Contains(out.Err.Error(), "PRIVATE") {
				t.Error("the error shows a key")
			}
		})
	}
}

// TestTLSAbort checks a server that aborts the handshake or does not speak TLS.
func TestTLSAbort(t *testing.T) {
	for name, tc := range map[string]struct {
		do    func(net.Conn, func() *http.Request)
		again bool
	}{
		"reset":  {func(c net.Conn, _ func() *http.Request) { _, _ = c.Read(make([]byte, 100)); reset(c) }, true},
		"closed": {func(c net.Conn, _ func() *http.Request) { _, _ = c.Read(make([]byte, 100)) }, true},
		"alert": {func(c net.Conn, _ func() *http.Request) {
			_, _ = c.Read(make([]byte, 1000))
			_, _ = c.Write([]byte{21, 3, 3, 0, 2, 2, 40})
			time.Sleep(20 * time.Millisecond)
		}, false},
		"plain": {func(c net.Conn, _ func() *http.Request) {
			_, _ = c.Read(make([]byte, 1000))
			_, _ = io.WriteString(c, "HTTP/1.0 400 Bad Request\r\n\r\nspeak HTTP")
			time.Sleep(20 * time.Millisecond)
		}, false},
		"old": {func(c net.Conn, _ func() *http.Request) {
			s := tls.Server(c, &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10, Certificates: []tls.Certificate{newCertificate(t, "x", nil).pair}})
			_ = s.Handshake()
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			address, _ := serveFault(t, tc.do)
			address = strings.Replace(address, "http:", "https:", 1)
			ts := &testServer{TB: t, kind: newKind(time.Now)}
			ts.setOrigins(address)
			out := ts.run("/x", args{"baseURL": address, "json": args{}})
			if out.Status != actions.Refused || out.Again != tc.again {
				t.Errorf("status %d, again %v, want %v: %v", out.Status, out.Again, tc.again, out.Err)
			}
		})
	}
}

// TestProxy checks that only a granted proxy is used, never that of the environment.
func TestProxy(t *testing.T) {
	var through []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		through = append(through, r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		w.WriteHeader(204)
	}))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	ts := newTestServer(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	ts.done(ts.run("/x", nil))
	ts.setOrigins(ts.server.URL, proxy.URL, "http://api.test")
	ts.done(ts.run("/x", args{"baseURL": "http://api.test", "proxy": strings.Replace(proxy.URL, "://", "://me:hunter2@", 1)}))
	if len(through) != 1 || through[0] != "http://api.test/x Basic bWU6aHVudGVyMg==" {
		t.Errorf("the proxy received %q", through)
	}
	out := ts.run("/x", args{"baseURL": "http://other.test", "proxy": proxy.URL})
	ts.expect(out, actions.Refused, "", "permissions.hosts")
}
