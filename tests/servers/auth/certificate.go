package auth

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/declprov/declprov/tests/internal/certificate"
)

// behindTLS serves what asks each client for a certificate of an authority, and
// gives its URL.
func behindTLS(t *testing.T, ca *certificate.Issued, handler http.Handler) string {
	t.Helper()
	pool := x509.NewCertPool()
	pool.AddCert(ca.Pair.Leaf)
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{certificate.Issue(t, "house", ca).Pair}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL
}
