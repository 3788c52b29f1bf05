package hostile

import (
	"crypto/tls"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// StartTLS is Start with TLS. A handshake fault closes the connection during the handshake.
func StartTLS(t testing.TB) *Server {
	t.Helper()
	s := newServer()
	s.server = httptest.NewUnstartedServer(s)
	s.server.Listener = &abortingListener{s.server.Listener, s}
	s.server.TLS = &tls.Config{NextProtos: []string{"http/1.1"}, ClientAuth: tls.RequestClientCert}
	s.server.StartTLS()
	s.URL = s.server.URL
	s.CA = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.server.Certificate().Raw}))
	t.Cleanup(s.close)
	return s
}

// Abort makes the next handshakes fail.
func (s *Server) Abort(times int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dropped = times
}

// abortingListener is a listener whose connections may be closed during the handshake.
type abortingListener struct {
	net.Listener
	server *Server
}

func (l *abortingListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if !l.server.takeAbort() {
			return &garblingConn{Conn: conn}, nil
		}
		go func() {
			// Read the client hello, and send the beginning of a response.
			_, _ = conn.Read(make([]byte, 1<<14))
			_, _ = conn.Write([]byte{22, 3, 3})
			reset(conn)
		}()
	}
}

func (s *Server) takeAbort() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dropped == 0 {
		return false
	}
	s.dropped--
	return true
}

// garblingConn is the connection below a TLS connection. Once it is garbled, reads return a
// record that cannot be decrypted.
type garblingConn struct {
	net.Conn
	garbled atomic.Bool
}

func (p *garblingConn) Read(b []byte) (int, error) {
	if !p.garbled.Load() {
		return p.Conn.Read(b)
	}
	const size = 32
	record := append([]byte{23, 3, 3, 0, size}, make([]byte, size)...)
	return copy(b, record), nil
}

// alert ends a TLS connection by an encrypted alert, as a broken server does.
func alert(conn net.Conn) {
	secure, ok := conn.(*tls.Conn)
	if !ok {
		return
	}
	raw, ok := secure.NetConn().(*garblingConn)
	if !ok {
		return
	}
	raw.garbled.Store(true)
	// The TLS layer cannot decrypt what it reads, and so sends an alert.
	_, _ = secure.Read(make([]byte, 1))
}
