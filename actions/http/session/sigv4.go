package session

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// sigv4Settings are the arguments of AWS Signature Version 4.
type sigv4Settings struct {
	Service         string `arg:"service"`
	Region          string `arg:"region"`
	AccessKey       string `arg:"accessKey"`
	SecretKey       string `arg:"secretKey"`
	SessionToken    string `arg:"sessionToken"`
	UnsignedPayload bool   `arg:"unsignedPayload"`
}

// sigv4 signs messages by AWS Signature Version 4. AWS's own package for Go would add more to
// the size of a provider than this file is worth; AWS's test suite checks both.
type sigv4 struct {
	sigv4Settings
	clocks  *clocks
	session *Session
}

func (s *Session) newSigV4(m *sigv4Settings) (credential, error) {
	if m.AccessKey == "" || m.SecretKey == "" {
		return nil, fmt.Errorf("sigv4: %w; accessKey and secretKey are required", errNoCredentials)
	}
	s.Judge.AddSecret(m.SecretKey)
	s.Judge.AddSecret(m.SessionToken)
	return &sigv4{*m, &s.shared.clocks, s}, nil
}

func (c *sigv4) sign(_ context.Context, h hop) (signature, actions.Outcome) {
	headers, err := c.headers(h, c.clocks.at(h.url))
	if err != nil {
		return signature{}, actions.Refuse(fmt.Errorf("auth: sigv4: %w", err))
	}
	for _, p := range headers {
		_, made, _ := strings.Cut(p.Value, "Signature=")
		c.session.Judge.AddSecret(made) // whoever reads it could repeat the request
	}
	return signature{headers: headers}, actions.Outcome{Status: actions.Done}
}

func (c *sigv4) renew(h hop, resp *verdict.Response) bool { return c.clocks.correct(h.url, resp) }

// contentHash is the header with the SHA-256 of the body. S3 requires it.
const contentHash = "X-Amz-Content-Sha256"

// headers returns the headers that sign a message at this time.
func (c *sigv4) headers(h hop, now time.Time) ([]request.Pair, error) {
	hash := "UNSIGNED-PAYLOAD"
	if !c.UnsignedPayload {
		sum := sha256.New()
		if err := h.body.CopyTo(sum); err != nil {
			return nil, err
		}
		hash = hex.EncodeToString(sum.Sum(nil))
	}
	added := []request.Pair{{Name: "X-Amz-Date", Value: now.Format(sigv4Time)}}
	if c.UnsignedPayload || c.isS3() {
		added = append(added, request.Pair{Name: contentHash, Value: hash})
	}
	if c.SessionToken != "" {
		added = append(added, request.Pair{Name: "X-Amz-Security-Token", Value: c.SessionToken})
	}
	signed := h.headers.Clone()
	if signed == nil {
		signed = http.Header{}
	}
	signed.Set("Host", h.url.Host)
	for _, p := range added {
		signed.Set(p.Name, p.Value)
	}
	added = append(added, request.Pair{Name: "Authorization", Value: c.authorization(h.method, h.sent(), signed, hash, now)})
	for _, p := range added {
		if request.CheckHeaderValue(p.Value) != nil {
			return nil, errors.New("the keys contain a character that is not valid in a header")
		}
	}
	return added, nil
}

// sigv4Time is the layout of times.
const sigv4Time = "20060102T150405Z"

// authorization returns the header Authorization. It follows AWS's reference "Create a signed
// AWS API request", whose terms are the names here.
func (c *sigv4) authorization(method string, u *url.URL, headers http.Header, bodyHash string, now time.Time) string {
	canonicalHeaders, signedHeaders := canonicalHeaders(headers)
	canonicalRequest := strings.Join([]string{method, c.canonicalPath(u), canonicalQuery(u), canonicalHeaders, signedHeaders, bodyHash}, "\n")
	digest := sha256.Sum256([]byte(canonicalRequest))

	date := now.Format("20060102")
	scope := strings.Join([]string{date, c.Region, c.Service, "aws4_request"}, "/")
	stringToSign := strings.Join([]string{"AWS4-HMAC-SHA256", now.Format(sigv4Time), scope, hex.EncodeToString(digest[:])}, "\n")
	key := []byte("AWS4" + c.SecretKey)
	for _, part := range []string{date, c.Region, c.Service, "aws4_request", stringToSign} {
		m := hmac.New(sha256.New, key)
		m.Write([]byte(part)) // never fails
		key = m.Sum(nil)
	}
	return fmt.Sprintf("AWS4-HMAC-SHA256 Credential=%s/%s, SignedHeaders=%s, Signature=%x", c.AccessKey, scope, signedHeaders, key)
}

// canonicalPath returns the path that is signed. Services other than S3 normalize the path as it
// was sent, and escape it once more.
func (c *sigv4) canonicalPath(u *url.URL) string {
	sent := cmp.Or(u.Opaque, u.EscapedPath(), "/")
	if c.isS3() {
		return sent
	}
	clean := path.Clean("/" + sent)
	if strings.HasSuffix(sent, "/") && clean != "/" {
		clean += "/"
	}
	return strings.ReplaceAll(request.Escape(clean), "%2F", "/")
}

// canonicalQuery returns the query, sorted after it is escaped.
func canonicalQuery(u *url.URL) string {
	var pairs []string
	for name, values := range u.Query() {
		for _, v := range values {
			pairs = append(pairs, request.Escape(name)+"="+request.Escape(v))
		}
	}
	slices.SortFunc(pairs, func(a, b string) int {
		nameA, valueA, _ := strings.Cut(a, "=")
		nameB, valueB, _ := strings.Cut(b, "=")
		return cmp.Or(cmp.Compare(nameA, nameB), cmp.Compare(valueA, valueB))
	})
	return strings.Join(pairs, "&")
}

// canonicalHeaders returns the headers and their names. User-Agent is not signed, because
// proxies may change it.
func canonicalHeaders(headers http.Header) (canonical, names string) {
	byName := map[string]string{}
	for name, values := range headers {
		if name == "User-Agent" {
			continue
		}
		trimmed := make([]string, len(values))
		for i, v := range values {
			trimmed[i] = strings.Join(strings.FieldsFunc(v, func(r rune) bool { return r == ' ' }), " ")
		}
		byName[strings.ToLower(name)] = strings.Join(trimmed, ",")
	}
	sorted := slices.Sorted(maps.Keys(byName))
	var b strings.Builder
	for _, name := range sorted {
		b.WriteString(name + ":" + byName[name] + "\n")
	}
	return b.String(), strings.Join(sorted, ";")
}

// isS3 reports whether the service is a form of S3, which signs paths as they are sent.
func (c *sigv4) isS3() bool {
	return c.Service == "s3" || c.Service == "s3express" || strings.HasPrefix(c.Service, "s3-")
}
