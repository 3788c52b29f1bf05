package secrets

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
)

// canaries are secrets, by their place.
type canaries map[string]string

// newCanaries returns secrets that look different in JSON, in URLs and in base64.
func newCanaries() canaries {
	c := canaries{}
	for _, place := range append(settings(), "body", "answer", "issued") {
		c[place] = "Cn4ry/" + place + "+=" + rand.Text()
	}
	for _, place := range keys() {
		c[place] = newKey()
	}
	c["body"] = "Cn4ry \"body\"\t&<é> " + rand.Text()
	return c
}

// keys are the canaries that are private keys.
func keys() []string { return []string{"signingKey", "clientKey"} }

// newKey returns a private key, in PEM.
func newKey() string {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// certificateOf returns a certificate for a private key, both in PEM.
func certificateOf(key string) string {
	block, _ := pem.Decode([]byte(key))
	private, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		panic(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.(ed25519.PrivateKey).Public(), private)
	if err != nil {
		panic(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// forms returns the forms in which a secret can appear.
func forms(secret string) map[string]string {
	if strings.HasPrefix(secret, "-----BEGIN") {
		secret = strings.Split(secret, "\n")[1]
	}
	quoted, err := json.Marshal(secret)
	if err != nil {
		panic(err)
	}
	out := map[string]string{
		"raw": secret, "JSON": strings.Trim(string(quoted), `"`), "query": url.QueryEscape(secret), "path": url.PathEscape(secret),
		"hex": hex.EncodeToString([]byte(secret)), "base64": base64.StdEncoding.EncodeToString([]byte(secret)),
		"base64url": base64.RawURLEncoding.EncodeToString([]byte(secret)),
	}
	// Preceding text shifts the groups of base64. The middle part still reveals the secret.
	for shift := 1; shift < 3; shift++ {
		text := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + secret))
		out[fmt.Sprintf("base64 after %d", shift)] = text[4 : len(text)-4]
	}
	// Half of the random part identifies the secret.
	chance := secret[len(secret)-len(rand.Text()):]
	out["its middle"], out["its end"] = chance[:len(chance)/2], chance[len(chance)/2:]
	return out
}

// shape is one form of one canary.
type shape struct{ place, form, text string }

// shapes returns all forms of all canaries.
func (c canaries) shapes() []shape {
	var out []shape
	for place, secret := range c {
		for form, text := range forms(secret) {
			out = append(out, shape{place, form, text})
		}
	}
	return out
}

// derived matches what is made of a secret and stands for it: a JWT, a signature, the answer to a
// challenge.
var derived = regexp.MustCompile(`eyJhbGciOi[\w-]+\.eyJ[\w-]+\.[\w-]+|Signature=[0-9a-f]{64}|response=\\?"[0-9a-f]{32,}`)

// findShapes returns the canaries in a text, with their form and context.
func findShapes(shapes []shape, text string) []string {
	out := derived.FindAllString(text, -1)
	for _, s := range shapes {
		if i := strings.Index(text, s.text); i >= 0 {
			from, to := max(0, i-80), min(len(text), i+len(s.text)+20)
			out = append(out, fmt.Sprintf("%s (%s): …%s…", s.place, s.form, text[from:to]))
		}
	}
	slices.Sort(out)
	return out
}
