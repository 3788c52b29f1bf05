// Package archives serves packaged providers to the Pulumi CLI, as the web server of a team does.
package archives

import (
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"

	"golang.org/x/net/http2"
)

// Serve serves the files of a folder by HTTPS until the server is closed, and returns the
// certificate of its authority as PEM. It speaks HTTP/2, because Pulumi 3.259 refuses every
// checksum over HTTP/1.1.
func Serve(dir string) (server *httptest.Server, authority []byte, err error) {
	server = httptest.NewUnstartedServer(http.FileServer(http.Dir(dir)))
	//lint:ignore SA1019 net/http has no HTTP/2 if it is built with the tags of a release.
	if err := http2.ConfigureServer(server.Config, nil); err != nil {
		return nil, nil, fmt.Errorf("HTTP/2: %w", err)
	}
	server.TLS = server.Config.TLSConfig
	server.StartTLS()
	return server, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), nil
}
