package auth

import (
	"crypto/sha256"
	"net/http"
	"net/url"

	"github.com/golang-jwt/jwt/v5"
)

// knows authenticates the client of a token request, only in the way that the house requires.
func (h *house) knows(r *http.Request) bool {
	user, pass, basic := r.BasicAuth()
	if h.requires == "" {
		return user == "ada" && pass == url.QueryEscape(password) // as RFC 6749, 2.3.1 has it
	}
	if basic || r.PostFormValue("client_secret") != "" || r.PostFormValue("client_id") != "ada" {
		return false
	}
	if h.requires == "certificate" { // RFC 8705, 2.1
		return r.TLS.PeerCertificates[0].Subject.CommonName == "ada"
	}
	return r.PostFormValue("client_assertion_type") == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" && h.asserts(r.PostFormValue("client_assertion"))
}

// asserts reports whether the client signed an assertion for this house, and only used it here
// (RFC 7523, 3).
func (h *house) asserts(assertion string) bool {
	claims := &jwt.RegisteredClaims{}
	_, err := jwt.ParseWithClaims(assertion, claims, func(*jwt.Token) (any, error) { return h.key, nil }, jwt.WithValidMethods([]string{"ES256"}),
		jwt.WithTimeFunc(h.clock), jwt.WithIssuedAt(), jwt.WithExpirationRequired(), jwt.WithIssuer("ada"), jwt.WithSubject("ada"), jwt.WithAudience(h.URL+"/token"))
	if err != nil || claims.ID == "" || h.used[claims.ID] {
		return false
	}
	h.used[claims.ID] = true
	return true
}

// fingerprint is that of the certificate that the client shows, if any.
func fingerprint(r *http.Request) (sum [32]byte) {
	if r.TLS != nil {
		sum = sha256.Sum256(r.TLS.PeerCertificates[0].Raw)
	}
	return sum
}
