package auth

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// clock is the house's.
func (h *house) clock() time.Time { return time.Now().Add(h.ahead).UTC() }

// signed reports whether a request has the signature of the door "signed", not older than a
// minute: an HMAC over the method, the path, the query and the digest of the body, by a key
// that is an HMAC over the date.
func (h *house) signed(r *http.Request) bool {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	date := r.Header.Get("X-Date")
	at, err := time.Parse("20060102T150405Z", date)
	if err != nil || h.clock().Sub(at).Abs() > time.Minute || r.URL.Query().Get("user") != "ada" {
		return false
	}
	digest := sha256.Sum256(body)
	text := strings.Join([]string{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, hex.EncodeToString(digest[:])}, "\n")
	want := sum(sum([]byte(password), date), text)
	return r.Header.Get("X-Signature") == base64.StdEncoding.EncodeToString(want)
}

func sum(key []byte, text string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(text))
	return m.Sum(nil)
}

// challenge asks for an answer of the Digest scheme (RFC 7616). Its nonces serve three times.
func (h *house) challenge(w http.ResponseWriter) {
	nonce := fmt.Sprintf("nonce-%d", len(h.nonces))
	h.nonces[nonce] = 0
	w.Header().Add("WWW-Authenticate", `Basic realm="house"`)
	w.Header().Add("WWW-Authenticate", fmt.Sprintf(`Digest realm="house", nonce=%q, algorithm=SHA-256, qop="auth", opaque="o"`, nonce))
}

// answers reports whether a request answers a challenge.
func (h *house) answers(r *http.Request) bool {
	text, isDigest := strings.CutPrefix(r.Header.Get("Authorization"), "Digest ")
	given := map[string]string{}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		given[name] = strings.Trim(value, `"`)
	}
	used, known := h.nonces[given["nonce"]]
	if !isDigest || !known || used == 3 || given["nc"] != fmt.Sprintf("%08x", used+1) || given["uri"] != r.RequestURI {
		return false
	}
	hash := func(parts ...string) string {
		digest := sha256.Sum256([]byte(strings.Join(parts, ":")))
		return hex.EncodeToString(digest[:])
	}
	want := hash(hash("ada", "house", password), given["nonce"], given["nc"], given["cnonce"], "auth", hash(r.Method, given["uri"]))
	if given["response"] != want {
		return false
	}
	h.nonces[given["nonce"]]++
	return true
}
