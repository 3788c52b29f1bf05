package session

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/verdict"
)

// defaultLifetime is how long a JWT is valid by default.
const defaultLifetime = 5 * time.Minute

// jwtSettings are the arguments of a JSON Web Token that is signed here (RFC 7519). Libraries for
// JWTs mostly verify them; signing takes a few lines of the standard library for each algorithm.
type jwtSettings struct {
	Alg      string         `arg:"alg"`
	Key      string         `arg:"key"`
	KeyID    string         `arg:"kid"`
	Claims   map[string]any `arg:"claims"`
	Lifetime time.Duration  `arg:"lifetime"`
}

// tokenSigner signs JWTs with one key.
type tokenSigner struct {
	jwtSettings
	sign func(text []byte) ([]byte, error)
}

// newTokenSigner reads the key. path is that of the settings.
func (s *Session) newTokenSigner(path string, m *jwtSettings) (*tokenSigner, error) {
	s.Judge.AddSecret(m.Key)
	sign, err := newSignature(m.Alg, m.Key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	t := &tokenSigner{jwtSettings: *m, sign: sign}
	if t.Lifetime == 0 {
		t.Lifetime = defaultLifetime
	}
	return t, nil
}

// token returns a JWT with the claims of the settings, and those of absent that the settings lack.
// It was issued a while ago, because servers refuse a JWT from their future, and smaller
// differences between the clocks are not corrected.
func (t *tokenSigner) token(now time.Time, absent map[string]any) (string, error) {
	issued := now.Add(-min(minSkew, t.Lifetime/2))
	claims := map[string]any{"iat": issued.Unix(), "exp": issued.Add(t.Lifetime).Unix()}
	maps.Copy(claims, absent)
	maps.Copy(claims, t.Claims)
	header := map[string]any{"typ": "JWT", "alg": t.Alg}
	if t.KeyID != "" {
		header["kid"] = t.KeyID
	}
	var text string
	for _, part := range []any{header, claims} {
		data, err := json.Marshal(part)
		if err != nil {
			return "", errors.New("jwt: the claims cannot be encoded as JSON")
		}
		text += base64.RawURLEncoding.EncodeToString(data) + "."
	}
	text = text[:len(text)-1]
	signature, err := t.sign([]byte(text))
	if err != nil {
		return "", fmt.Errorf("jwt: the key cannot sign: %w", err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), nil
}

// newSignature returns a function that signs by an algorithm of RFC 7518 or RFC 8037. Errors never
// contain parts of the key.
func newSignature(alg, key string) (func(text []byte) ([]byte, error), error) {
	if alg == "HS256" {
		if key == "" {
			return nil, errors.New("key is empty")
		}
		return func(text []byte) ([]byte, error) {
			m := hmac.New(sha256.New, []byte(key))
			m.Write(text) // never fails
			return m.Sum(nil), nil
		}, nil
	}
	private, err := parsePrivateKey(key)
	if err != nil {
		return nil, err
	}
	switch k := private.(type) {
	case *rsa.PrivateKey:
		if alg == "RS256" {
			return func(text []byte) ([]byte, error) {
				digest := sha256.Sum256(text)
				return rsa.SignPKCS1v15(rand.Reader, k, crypto.SHA256, digest[:])
			}, nil
		}
	case *ecdsa.PrivateKey:
		if alg == "ES256" && k.Curve == elliptic.P256() {
			return func(text []byte) ([]byte, error) {
				digest := sha256.Sum256(text)
				r, s, err := ecdsa.Sign(rand.Reader, k, digest[:])
				if err != nil {
					return nil, err
				}
				out := make([]byte, 64) // two numbers of 32 bytes (RFC 7518, 3.4)
				r.FillBytes(out[:32])
				s.FillBytes(out[32:])
				return out, nil
			}, nil
		}
	case ed25519.PrivateKey:
		if alg == "EdDSA" {
			return func(text []byte) ([]byte, error) { return ed25519.Sign(k, text), nil }, nil
		}
	}
	return nil, fmt.Errorf("the key does not fit alg %q; RS256 requires an RSA key, ES256 a key on the curve P-256, EdDSA an Ed25519 key", actions.Clip(alg, 20))
}

// parsePrivateKey parses a key in PEM: PKCS #8, PKCS #1 or SEC 1.
func parsePrivateKey(text string) (any, error) {
	block, _ := pem.Decode([]byte(text))
	if block == nil {
		return nil, errors.New("key is not in PEM (-----BEGIN PRIVATE KEY-----)")
	}
	if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if key, err := x509.ParsePKCS1PrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
		return key, nil
	}
	return nil, errors.New("key is not a private key in PKCS #8, PKCS #1 or SEC 1; an encrypted key must be decrypted first")
}

// jwtCredential sends a JWT that is signed for each message.
type jwtCredential struct {
	signer  *tokenSigner
	session *Session
}

func (s *Session) newJWT(m *jwtSettings) (credential, error) {
	signer, err := s.newTokenSigner("jwt", m)
	if err != nil {
		return nil, err
	}
	return &jwtCredential{signer, s}, nil
}

func (c *jwtCredential) sign(_ context.Context, h hop) (signature, actions.Outcome) {
	text, err := c.signer.token(c.session.shared.clocks.at(h.url), nil)
	if err != nil {
		return signature{}, actions.Refuse(fmt.Errorf("auth: %w", err))
	}
	c.session.Judge.AddSecret(text)
	return headerSignature("Authorization", "Bearer "+text), actions.Outcome{Status: actions.Done}
}

func (c *jwtCredential) renew(h hop, resp *verdict.Response) bool {
	return c.session.shared.clocks.correct(h.url, resp)
}
