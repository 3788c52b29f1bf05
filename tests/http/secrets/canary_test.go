package secrets

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// canaries are secrets, by their place.
type canaries map[string]string

// newCanaries returns secrets that look different in JSON, in URLs and in base64.
func newCanaries() canaries {
	c := canaries{}
	for _, place := range []string{
		"token", "password", "apiKey", "cookie", "parameter", "header", "clientSecret", "loginSecret", "body", "answer", "issued",
	} {
		c[place] = "Cn4ry/" + place + "+=" + rand.Text()
	}
	c["body"] = "Cn4ry \"body\"\t&<é> " + rand.Text()
	return c
}

// forms returns the forms in which a secret can appear.
func forms(secret string) map[string]string {
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

// findShapes returns the canaries in a text, with their form and context.
func findShapes(shapes []shape, text string) []string {
	var out []string
	for _, s := range shapes {
		if i := strings.Index(text, s.text); i >= 0 {
			from, to := max(0, i-80), min(len(text), i+len(s.text)+20)
			out = append(out, fmt.Sprintf("%s (%s): …%s…", s.place, s.form, text[from:to]))
		}
	}
	slices.Sort(out)
	return out
}
