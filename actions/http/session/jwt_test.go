package session

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// testKeys has a private key of each kind.
type testKeys struct {
	rsa     *rsa.PrivateKey
	ec      *ecdsa.PrivateKey
	ed25519 ed25519.PrivateKey
}

func newTestKeys(t *testing.T) testKeys {
	t.Helper()
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	e, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, d, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return testKeys{r, e, d}
}

func pkcs8(t *testing.T, key any) string {
	t.Helper()
	data, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return encodePEM("PRIVATE KEY", data)
}

func encodePEM(kind string, data []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
}

// TestJWT signs by each algorithm, with each form of a key, and verifies the signature.
func TestJWT(t *testing.T) {
	keys := newTestKeys(t)
	sec1, err := x509.MarshalECPrivateKey(keys.ec)
	if err != nil {
		t.Fatal(err)
	}
	verifyRSA := func(text string, signature []byte) bool {
		digest := sha256.Sum256([]byte(text))
		return rsa.VerifyPKCS1v15(&keys.rsa.PublicKey, crypto.SHA256, digest[:], signature) == nil
	}
	verifyEC := func(text string, signature []byte) bool {
		digest := sha256.Sum256([]byte(text))
		return len(signature) == 64 && ecdsa.Verify(&keys.ec.PublicKey, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:]))
	}
	now := time.Unix(1767225600, 0)
	for name, tc := range map[string]struct {
		alg, key string
		verify   func(text string, signature []byte) bool
	}{
		"RSA in PKCS #8": {"RS256", pkcs8(t, keys.rsa), verifyRSA},
		"RSA in PKCS #1": {"RS256", encodePEM("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(keys.rsa)), verifyRSA},
		"EC in PKCS #8":  {"ES256", pkcs8(t, keys.ec), verifyEC},
		"EC in SEC 1":    {"ES256", encodePEM("EC PRIVATE KEY", sec1), verifyEC},
		"Ed25519": {"EdDSA", pkcs8(t, keys.ed25519), func(text string, signature []byte) bool {
			return ed25519.Verify(keys.ed25519.Public().(ed25519.PublicKey), []byte(text), signature)
		}},
		"HMAC": {"HS256", "secret", func(text string, signature []byte) bool {
			sign, err := newSignature("HS256", "secret")
			if err != nil {
				return false
			}
			want, err := sign([]byte(text))
			return err == nil && string(want) == string(signature)
		}},
	} {
		sign, err := newSignature(tc.alg, tc.key)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		signer := tokenSigner{jwtSettings{Alg: tc.alg, KeyID: "k1", Lifetime: time.Minute, Claims: map[string]any{"iss": "7"}}, sign}
		text, err := signer.token(now, map[string]any{"iss": "absent", "aud": "a"})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		parts := strings.Split(text, ".")
		var header, claims map[string]any
		for i, into := range []*map[string]any{&header, &claims} {
			data, err := base64.RawURLEncoding.DecodeString(parts[i])
			if err != nil || json.Unmarshal(data, into) != nil {
				t.Fatalf("%s: %s", name, parts[i])
			}
		}
		if diff := cmp.Diff(map[string]any{"alg": tc.alg, "kid": "k1", "typ": "JWT"}, header); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(map[string]any{"iss": "7", "iat": 1767225570., "exp": 1767225630., "aud": "a"}, claims); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		signature, err := base64.RawURLEncoding.DecodeString(parts[2])
		if err != nil || !tc.verify(parts[0]+"."+parts[1], signature) {
			t.Errorf("%s: the signature is invalid", name)
		}
	}
}

// TestJWTOfRFC7515 signs the example of RFC 7515, A.1.
func TestJWTOfRFC7515(t *testing.T) {
	key, err := base64.RawURLEncoding.DecodeString("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")
	if err != nil {
		t.Fatal(err)
	}
	sign, err := newSignature("HS256", string(key))
	if err != nil {
		t.Fatal(err)
	}
	got, err := sign([]byte("eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"))
	if err != nil || base64.RawURLEncoding.EncodeToString(got) != "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk" {
		t.Errorf("%x, %v", got, err)
	}
}

// TestKeys checks that an unsuitable key is refused, and never shown.
func TestKeys(t *testing.T) {
	keys := newTestKeys(t)
	p384, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ alg, key, says string }{
		{"RS256", pkcs8(t, keys.ec), "does not fit"},
		{"ES256", pkcs8(t, keys.rsa), "does not fit"},
		{"EdDSA", pkcs8(t, keys.rsa), "does not fit"},
		{"ES256", pkcs8(t, p384), "does not fit"},
		{"none", pkcs8(t, keys.rsa), "does not fit"},
		{"RS256", "hunter2", "not in PEM"},
		{"RS256", encodePEM("PRIVATE KEY", []byte("hunter2")), "not a private key"},
		{"RS256", encodePEM("CERTIFICATE", []byte("hunter2")), "not a private key"},
		{"HS256", "", "empty"},
	} {
		_, err := newSignature(tc.alg, tc.key)
		if err == nil || !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want an error with %q", tc.alg, err, tc.says)
		}
	}
}
