package session

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/icholy/digest"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/verdict"
)

// digestCredential answers the challenges of Digest authentication (RFC 7616).
type digestCredential struct {
	userSettings
	session *Session
	// answered is the nonce that the last signature used, "" if there was no challenge yet.
	answered string
}

// challenge is the last challenge of a server to a user.
type challenge struct {
	mu   sync.Mutex
	last *digest.Challenge
	// count is how often its nonce was used.
	count int
}

func (s *Session) newDigest(m *userSettings) (credential, error) {
	if m.Username == "" {
		return nil, fmt.Errorf("digest: %w; username is required", errNoCredentials)
	}
	s.Judge.AddSecret(m.Password)
	return &digestCredential{userSettings: *m, session: s}, nil
}

// sign answers the last challenge of the server. Without one, the message goes out without
// credentials, and the server responds with a challenge.
func (c *digestCredential) sign(_ context.Context, h hop) (signature, actions.Outcome) {
	done := actions.Outcome{Status: actions.Done}
	k := c.challengeOf(h)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last == nil {
		c.answered = ""
		return signature{}, done
	}
	k.count++
	options := digest.Options{Method: h.method, URI: h.sent().RequestURI(), Username: c.Username, Password: c.Password, Count: k.count}
	if h.body != nil {
		options.GetBody = h.body.Open
	}
	answer, err := digest.Digest(k.last, options)
	if err != nil {
		return signature{}, actions.Refuse(fmt.Errorf("auth: %w", err))
	}
	c.answered = k.last.Nonce
	c.session.Judge.AddSecret(answer.Response) // whoever reads it could guess the password
	return headerSignature("Authorization", answer.String()), done
}

// renew keeps the challenge of a response. Another answer may be accepted if it is the first,
// or if the nonce was too old; otherwise the password is wrong.
func (c *digestCredential) renew(h hop, resp *verdict.Response) bool {
	if resp.Status != http.StatusUnauthorized {
		return false
	}
	next, err := digest.FindChallenge(resp.Header)
	if err != nil {
		return false
	}
	k := c.challengeOf(h)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.last == nil || k.last.Nonce != next.Nonce {
		k.count = 0
	}
	k.last = next
	return c.answered == "" || next.Stale || next.Nonce != c.answered
}

// challengeOf returns the challenge of the server to the user, shared by all calls.
func (c *digestCredential) challengeOf(h hop) *challenge {
	key := sha256.Sum256([]byte(strings.Join([]string{h.url.Scheme, h.url.Host, c.Username, c.Password}, "\x00")))
	return c.session.shared.digests.Get(key, func() *challenge { return &challenge{} })
}
