// Package archives serves packaged providers to the Pulumi CLI, as the web server of a team does.
package archives

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
)

// Serve serves the files of a folder by HTTPS until the server is closed, and returns the
// certificate of its authority as PEM. It speaks HTTP/2, because Pulumi 3.259 refuses every
// checksum over HTTP/1.1.
func Serve(dir string) (server *httptest.Server, authority []byte) {
	server = httptest.NewUnstartedServer(http.FileServer(http.Dir(dir)))
	server.EnableHTTP2 = true
	server.StartTLS()
	return server, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
}
