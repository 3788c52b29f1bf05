package sql

import (
	"encoding/pem"
	"net"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/tests/internal/certificate"
	"github.com/declprov/declprov/tests/internal/daemon"
	"github.com/declprov/declprov/tests/internal/encodings"
)

// TestSecretsOfConnections checks that no error of a connection contains the password or the key of
// the client's certificate, before anything is masked: whatever the server responds, or if the
// arguments are unsuitable.
func TestSecretsOfConnections(t *testing.T) {
	t.Parallel()
	const password = "Cn4ry/p@ss:w%rd=&'\\"
	own := certificate.Issue(t, "ada", nil)
	key, _ := pem.Decode([]byte(own.Key))
	canary := strings.Split(own.Key, "\n")[2]
	garbled := string(pem.EncodeToMemory(&pem.Block{Type: key.Type, Bytes: append([]byte{1}, key.Bytes...)}))
	respond := func(response string) int64 {
		return int64(serve(t, func(conn net.Conn) {
			_, _ = conn.Write([]byte(response))
			_, _ = conn.Read(make([]byte, 1<<10))
			_, _ = conn.Write([]byte(response))
			conn.Close()
		}))
	}
	tls := func(cert, key string) map[string]any { return map[string]any{"cert": cert, "key": key} }
	for name, args := range map[string]map[string]any{
		"no server":                     {"port": int64(daemon.FreePort(t))},
		"no response":                   {"port": respond("")},
		"another protocol":              {"port": respond("HTTP/1.1 400 Bad Request\r\n\r\n")},
		"an error of PostgreSQL":        {"port": respond("E\x00\x00\x00\x1eSFATAL\x00C28P01\x00Mno: \x00\x00\x00")},
		"an error of MySQL":             {"port": respond("\x09\x00\x00\x00\xff\x15\x04#28000no")},
		"a password in clear":           {"port": respond("R\x00\x00\x00\x08\x00\x00\x00\x03")},
		"no TLS":                        {"port": respond("N"), "tls": tls(own.Cert, own.Key)},
		"an unsuitable key":             {"tls": tls(own.Cert, certificate.Issue(t, "eve", nil).Key)},
		"a garbled key":                 {"tls": tls(own.Cert, garbled)},
		"key and certificate exchanged": {"tls": tls(own.Key, own.Cert)},
		"a password in the URL":         {"host": nil, "url": "DRIVER://ada:" + password + "@127.0.0.1/d"},
		"a URL that is none":            {"host": nil, "url": "DRIVER://ada:" + password + "@127.0.0.1:x y/d"},
		"an ungranted host":             {"host": "127.0.0.2"},
	} {
		for _, driver := range []string{"postgres", "mysql"} {
			all := map[string]any{"driver": driver, "user": "ada", "password": password, "database": "d", "statement": "select 1", "timeout": "500ms"}
			for name, v := range args {
				if text, ok := v.(string); ok {
					v = strings.ReplaceAll(text, "DRIVER", driver)
				}
				all[name] = v
			}
			out := run(t, all)
			if out.Status != actions.Refused {
				t.Errorf("%s, %s: %v, %v", name, driver, out.Status, out.Err)
			}
			for _, e := range encodings.All() {
				for _, secret := range []string{password, canary} {
					if out.Err != nil && strings.Contains(out.Err.Error(), e.Of(secret)) {
						t.Errorf("%s, %s: the error shows a secret: %v", name, driver, out.Err)
					}
				}
			}
		}
	}
}
