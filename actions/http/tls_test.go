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

// issued is a certificate with its key, as PEM.
type issued struct {
	cert, key string
	pair      tls.Certificate
	x509      *x509.Certificate
}

// issue makes a certificate; by is nil for a root.
func issue(t *testing.T, name string, by *issued) *issued {
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
	out := &issued{
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
	ca, other := issue(t, "ca", nil), issue(t, "other", nil)
	server, client, stranger := issue(t, "server.test", ca), issue(t, "client", ca), issue(t, "client", other)
	pool := x509.NewCertPool()
	pool.AddCert(ca.x509)
	done := 0
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { done++; w.WriteHeader(204) }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{server.pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
	s.StartTLS()
	defer s.Close()
	l := &lab{TB: t, kind: newKind(time.Now)}
	l.grant(s.URL)
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
		{"a key of another", args{"ca": ca.cert, "cert": client.cert, "key": server.key}, actions.Refused, false, "no pair"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			before := done
			out := l.run("/x", args{"baseURL": s.URL, "tls": tc.tls, "json": args{}})
			if out.Status != tc.want || out.Again != tc.again || out.Err != nil && !strings.Contains(out.Err.Error(), tc.err) {
				t.Errorf("status %d, again %v: %v", out.Status, out.Again, out.Err)
			}
			if (done-before == 1) != (tc.want == actions.Done) {
				t.Errorf("%d requests were done", done-before)
			}
			if out.Err != nil && strings.Contains(out.Err.Error(), "PRIVATE") {
				t.Error("the error shows a key")
			}
		})
	}
}

// TestTLSAbort: a server that ends the handshake, or speaks no TLS.
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
			s := tls.Server(c, &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10, Certificates: []tls.Certificate{issue(t, "x", nil).pair}})
			_ = s.Handshake()
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			address, _ := hostile(t, tc.do)
			address = strings.Replace(address, "http:", "https:", 1)
			l := &lab{TB: t, kind: newKind(time.Now)}
			l.grant(address)
			out := l.run("/x", args{"baseURL": address, "json": args{}})
			if out.Status != actions.Refused || out.Again != tc.again {
				t.Errorf("status %d, again %v, want %v: %v", out.Status, out.Again, tc.again, out.Err)
			}
		})
	}
}

// TestProxy: only the one that is granted, never the environment's.
func TestProxy(t *testing.T) {
	var through []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		through = append(through, r.RequestURI+" "+r.Header.Get("Proxy-Authorization"))
		w.WriteHeader(204)
	}))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	l := newLab(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) })
	l.done(l.run("/x", nil))
	l.grant(l.server.URL, proxy.URL, "http://api.test")
	l.done(l.run("/x", args{"baseURL": "http://api.test", "proxy": strings.Replace(proxy.URL, "://", "://me:hunter2@", 1)}))
	if len(through) != 1 || through[0] != "http://api.test/x Basic bWU6aHVudGVyMg==" {
		t.Errorf("through the proxy went %q", through)
	}
	out := l.run("/x", args{"baseURL": "http://other.test", "proxy": proxy.URL})
	l.expect(out, actions.Refused, "", "permissions.hosts")
}
