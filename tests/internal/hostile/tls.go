package hostile

import (
	"crypto/tls"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// StartTLS is Start with TLS. What strikes a handshake closes the connection in
// the middle of it.
func StartTLS(t testing.TB) *Server {
	t.Helper()
	s := newServer()
	s.server = httptest.NewUnstartedServer(s)
	s.server.Listener = &aborting{s.server.Listener, s}
	s.server.TLS = &tls.Config{NextProtos: []string{"http/1.1"}}
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

// aborting is a listener whose connections may end in the handshake.
type aborting struct {
	net.Listener
	server *Server
}

func (l *aborting) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if !l.server.aborts() {
			return &passing{Conn: conn}, nil
		}
		go func() {
			// It reads the client's hello, and begins an answer.
			_, _ = conn.Read(make([]byte, 1<<14))
			_, _ = conn.Write([]byte{22, 3, 3})
			reset(conn)
		}()
	}
}

func (s *Server) aborts() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dropped == 0 {
		return false
	}
	s.dropped--
	return true
}

// passing is the connection below one of TLS. Once it is garbled, what is read
// from it is a record that no key opens.
type passing struct {
	net.Conn
	garbled atomic.Bool
}

func (p *passing) Read(b []byte) (int, error) {
	if !p.garbled.Load() {
		return p.Conn.Read(b)
	}
	const size = 32
	record := append([]byte{23, 3, 3, 0, size}, make([]byte, size)...)
	return copy(b, record), nil
}

// alert ends a TLS connection as a server does whose insides are broken: by an
// alert under the keys of the connection.
func alert(conn net.Conn) {
	secure, ok := conn.(*tls.Conn)
	if !ok {
		return
	}
	raw, ok := secure.NetConn().(*passing)
	if !ok {
		return
	}
	raw.garbled.Store(true)
	// It cannot read what it thinks it got, and says so to the other side.
	_, _ = secure.Read(make([]byte, 1))
}
