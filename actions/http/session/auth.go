package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// credential adds credentials of one kind to the messages of a call.
type credential interface {
	// sign returns what to add to a message. The message has what the credentials before
	// this one added.
	sign(ctx context.Context, h hop) (signature, actions.Outcome)
	// renew is called when the server refused the message that was signed last. It reports
	// whether the next signature differs, so that the message may be sent once more.
	renew(h hop, resp *verdict.Response) bool
}

// signature is what a credential adds to a message.
type signature struct {
	headers []request.Pair
	query   []request.Pair
}

// headerSignature returns the signature that is one header.
func headerSignature(name, value string) signature {
	return signature{headers: []request.Pair{{Name: name, Value: value}}}
}

// Kinds returns the kinds of credentials, which are members of the argument `auth`.
func Kinds() []string {
	return []string{"bearer", "basic", "apiKey", "digest", "jwt", "oauth2", "login", "sigv4", "sign"}
}

// credentials are the argument `auth`, or an item of it. Exactly one member is set.
type credentials struct {
	Bearer *string         `arg:"bearer"`
	Basic  *userSettings   `arg:"basic"`
	APIKey *keySettings    `arg:"apiKey"`
	Digest *userSettings   `arg:"digest"`
	JWT    *jwtSettings    `arg:"jwt"`
	OAuth2 *oauth2Settings `arg:"oauth2"`
	Login  *loginSettings  `arg:"login"`
	SigV4  *sigv4Settings  `arg:"sigv4"`
	Sign   *signSettings   `arg:"sign"`
}

// userSettings are a user's name and password.
type userSettings struct {
	Username string `arg:"username"`
	Password string `arg:"password"`
}

// listOf returns the items of an argument that is a list of credentials, or one of them.
func listOf(v any) (items []any, isList bool) {
	if items, isList = v.([]any); isList {
		return items, true
	}
	return []any{v}, false
}

// newCredentials reads the argument `auth`, of the call or of the login at the path. It
// returns nil if there are none.
func (s *Session) newCredentials(path string, v any) ([]credential, error) {
	if v == nil || v == "none" {
		return nil, nil
	}
	items, isList := listOf(v)
	var out []credential
	for i, item := range items {
		m, isMap := item.(map[string]any)
		if !isMap {
			return nil, fmt.Errorf("expected an object, a list of objects or \"none\", got %s", actions.KindOf(item))
		}
		at := path
		if isList {
			at = fmt.Sprintf("%s.%d", path, i)
		}
		c, err := s.newCredential(at, m)
		if err != nil {
			return nil, err
		}
		if c != nil {
			out = append(out, c)
		}
	}
	return out, nil
}

// newCredential reads one item of the argument `auth`. It returns nil if the item only has
// origins.
func (s *Session) newCredential(path string, m map[string]any) (credential, error) {
	var kinds []string
	for _, kind := range Kinds() {
		if m[kind] != nil {
			kinds = append(kinds, kind)
		}
	}
	switch {
	case len(kinds) > 1:
		return nil, fmt.Errorf("%s and %s are both given; remove one of them, or write a list", kinds[0], kinds[1])
	case len(kinds) == 0 && m["origins"] != nil && len(m) == 1:
		return nil, nil // origins without credentials: for secret headers
	case len(kinds) == 0:
		return nil, fmt.Errorf("expected one of %s; use \"none\" to send no credentials", strings.Join(Kinds(), ", "))
	}
	var c credentials
	if err := s.call.DecodeWithin(path, m, &c); err != nil {
		return nil, err
	}
	switch kinds[0] {
	case "bearer":
		return newHeader("Authorization", "Bearer "+*c.Bearer, *c.Bearer)
	case "basic":
		return s.newBasic(c.Basic.Username, c.Basic.Password)
	case "apiKey":
		return c.APIKey.credential()
	case "digest":
		return s.newDigest(c.Digest)
	case "jwt":
		return s.newJWT(c.JWT)
	case "oauth2":
		return s.newOAuth2(c.OAuth2)
	case "login":
		return s.newLogin(path+".login", c.Login)
	case "sigv4":
		return s.newSigV4(c.SigV4)
	default:
		return s.newSign(c.Sign)
	}
}

// sign returns a message with the credentials of the call, if they belong to the address of
// the request.
func (s *Session) sign(ctx context.Context, r *request.Request, h hop) (hop, actions.Outcome) {
	h.headers = h.headers.Clone() // sending adds to them
	done := actions.Outcome{Status: actions.Done}
	if len(s.auth) == 0 {
		return h, done
	}
	sends, err := s.owner.sendsTo(r.Address.URL)
	if err != nil {
		return h, actions.Refuse(fmt.Errorf("%s: %w", s.Judge.Title(r), err))
	}
	if h.credentials = sends; !sends {
		return h, done
	}
	var set []string
	for _, c := range s.auth {
		sign, out := c.sign(ctx, h)
		if out.Status != actions.Done {
			return h, out
		}
		for _, p := range sign.headers {
			if slices.Contains(set, p.Name) {
				return h, actions.Refuse(fmt.Errorf("auth: two of the credentials set the header %s; remove one of them", p.Name))
			}
			set = append(set, p.Name)
			h.headers.Set(p.Name, p.Value)
		}
		h.added = append(slices.Clip(h.added), sign.query...)
	}
	return h, done
}

// renew reports whether a message that the server refused may be sent once more, because
// another signature may be accepted.
func (s *Session) renew(h hop, resp *verdict.Response) bool {
	again := false
	for _, c := range s.auth {
		again = c.renew(h, resp) || again
	}
	return again
}

// errNoCredentials is the error of credentials without a value.
var errNoCredentials = errors.New("the credentials are empty")
