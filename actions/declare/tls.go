package declare

import (
	"crypto/tls"
	"crypto/x509"
	"errors"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// TLSType returns the type of TLS settings, which are read into TLS.
func TLSType() *spec.Type {
	return Object(
		Field("ca", Text(), "CA certificates to trust instead of the system's, as PEM."), Field("cert", Text(), "Client certificate, as PEM."),
		Field("key", Text(), "Key of the client certificate, as PEM."), Field("serverName", NonEmpty(), "Name that the server's certificate must have."),
		Field("insecure", Bool(), "Do not verify the server. Anyone on the network path can read and change everything."),
	)
}

// Unverified says, for Facts.Trusts, that a call with an argument `tls` of TLSType does not verify the
// server, or that a value decides whether it does.
func Unverified(s actions.Static) []string {
	given := s.Nodes["tls"]
	if given == nil {
		return nil
	}
	if given.Kind != spec.MapNode {
		return []string{"servers that are not verified, if tls: " + given.Text + " says so"}
	}
	switch n := given.Get("insecure"); {
	case n == nil || n.Text == "false":
		return nil
	case n.Text == "true":
		return []string{"servers that are not verified (tls: insecure)"}
	default:
		return []string{"servers that are not verified (tls: insecure), if " + n.Text}
	}
}

// TLS is the value of an argument of type TLSType.
type TLS struct {
	CA         string `arg:"ca"`
	Cert       string `arg:"cert"`
	Key        string `arg:"key"`
	ServerName string `arg:"serverName"`
	Insecure   bool   `arg:"insecure"`
}

// Config returns the TLS configuration. Nil settings are the default.
func (s *TLS) Config() (*tls.Config, error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if s == nil {
		return config, nil
	}
	config.ServerName, config.InsecureSkipVerify = s.ServerName, s.Insecure
	if s.CA != "" {
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM([]byte(s.CA)) {
			return nil, errors.New("ca contains no PEM certificate (-----BEGIN CERTIFICATE-----)")
		}
	}
	if (s.Cert == "") != (s.Key == "") {
		return nil, errors.New("cert and key require each other; give both")
	}
	if s.Cert != "" {
		pair, err := tls.X509KeyPair([]byte(s.Cert), []byte(s.Key))
		if err != nil {
			// The library's error may contain parts of the key.
			return nil, errors.New("cert and key are not a matching pair of PEM blocks")
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return config, nil
}
