package session

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
)

// authenticator adds credentials to the requests to their origin: a static signature, or a
// token that it fetches.
type authenticator struct {
	static signature
	// source keeps the token that fetch gets; nil if the signature is static.
	source *tokenSource
	fetch  tokenFetcher
	header string
	prefix string
}

// signature is what an authenticator adds to a request.
type signature struct {
	header request.Pair
	query  []request.Pair
	// token is the fetched token in it. cached says that the token was not fetched for this
	// request.
	token  string
	cached bool
}

// credentials are the argument `auth`. Exactly one member is set.
type credentials struct {
	Bearer *string `arg:"bearer"`
	Basic  *struct {
		Username string `arg:"username"`
		Password string `arg:"password"`
	} `arg:"basic"`
	APIKey *keySettings    `arg:"apiKey"`
	OAuth2 *oauth2Settings `arg:"oauth2"`
	Login  *loginSettings  `arg:"login"`
}

// newAuthenticator reads the argument `auth`, of the call or of the login at the path. It
// returns nil if there is none.
func (s *Session) newAuthenticator(path string, v any) (*authenticator, error) {
	m, isMap := v.(map[string]any)
	switch {
	case v == nil || v == "none":
		return nil, nil
	case !isMap:
		return nil, fmt.Errorf("expected an object or \"none\", got %s", actions.KindOf(v))
	}
	var kind string
	for _, name := range []string{"bearer", "basic", "apiKey", "oauth2", "login"} {
		if m[name] == nil {
			continue
		}
		if kind != "" {
			return nil, fmt.Errorf("%s and %s are both given; remove one of them", kind, name)
		}
		kind = name
	}
	var c credentials
	if err := s.call.DecodeWithin(path, m, &c); err != nil {
		return nil, err
	}
	switch kind {
	case "bearer":
		return headerAuth("Authorization", "Bearer "+*c.Bearer, *c.Bearer)
	case "basic":
		return s.basicAuth(c.Basic.Username, c.Basic.Password)
	case "apiKey":
		return c.APIKey.authenticator()
	case "oauth2":
		return s.oauth2Auth(c.OAuth2)
	case "login":
		return s.loginAuth(c.Login)
	case "":
		if m["origins"] != nil && len(m) == 1 {
			return nil, nil // origins without credentials: for secret headers
		}
		fallthrough
	default:
		return nil, errors.New("expected one of bearer, basic, apiKey, oauth2 and login; use \"none\" to send no credentials")
	}
}

// headerAuth returns an authenticator that sets a header, whose value contains the secret.
func headerAuth(header, value, secret string) (*authenticator, error) {
	if secret == "" {
		return nil, errors.New("the credentials are empty")
	}
	if !request.IsToken(header) {
		return nil, fmt.Errorf("%q is not a valid header name", actions.Clip(header, 80))
	}
	if err := request.CheckHeaderValue(value); err != nil {
		return nil, err
	}
	return &authenticator{static: signature{header: request.Pair{Name: header, Value: value}}}, nil
}

func (s *Session) basicAuth(user, password string) (*authenticator, error) {
	if strings.Contains(user, ":") {
		return nil, errors.New("basic: the username must not contain a colon")
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	s.Judge.AddSecret(encoded)
	return headerAuth("Authorization", "Basic "+encoded, encoded)
}

// keySettings says where the request carries an API key.
type keySettings struct {
	Header string `arg:"header"`
	Query  string `arg:"query"`
	Cookie string `arg:"cookie"`
	Value  string `arg:"value"`
}

func (k *keySettings) authenticator() (*authenticator, error) {
	switch {
	case k.Header != "" && k.Query == "" && k.Cookie == "":
		return headerAuth(k.Header, k.Value, k.Value)
	case k.Query != "" && k.Header == "" && k.Cookie == "":
		return &authenticator{static: signature{query: []request.Pair{{Name: k.Query, Value: k.Value}}}}, nil
	case k.Cookie != "" && k.Header == "" && k.Query == "":
		if !request.IsToken(k.Cookie) || strings.ContainsAny(k.Value, "; ,\"\\") {
			return nil, errors.New("apiKey: the name or value of the cookie contains a character that is not valid in a cookie")
		}
		return headerAuth("Cookie", k.Cookie+"="+k.Value, k.Value)
	default:
		return nil, errors.New("apiKey: expected exactly one of header, query and cookie")
	}
}

// sign returns the signature of a request. refused is a token that the server rejected, or
// "".
func (s *Session) sign(ctx context.Context, r *request.Request, refused string) (signature, actions.Outcome) {
	done := actions.Outcome{Status: actions.Done}
	if s.auth == nil {
		return signature{}, done
	}
	sends, err := s.owner.sendsTo(r.Address.URL)
	if err != nil {
		return signature{}, actions.Refuse(fmt.Errorf("%s: %w", s.Judge.Title(r), err))
	}
	if !sends {
		return signature{}, done
	}
	if s.auth.source == nil {
		return s.auth.static, done
	}
	t, cached, out := s.auth.source.token(ctx, refused, s.auth.fetch)
	if out.Status != actions.Done {
		return signature{}, out
	}
	s.Judge.AddSecret(t)
	value := s.auth.prefix + t
	if err := request.CheckHeaderValue(value); err != nil {
		return signature{}, actions.Refuse(fmt.Errorf("auth: the token is not valid in a header: %w", err))
	}
	return signature{header: request.Pair{Name: s.auth.header, Value: value}, token: t, cached: cached}, done
}
