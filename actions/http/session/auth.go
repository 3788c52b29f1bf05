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

// authenticator is how requests to the origin of baseURL are signed: with what
// is known, or with a token that is fetched.
type authenticator struct {
	fixed signature
	// source keeps the token that fetch gets; nil where there is none.
	source *source
	fetch  fetcher
	header string
	prefix string
}

// signature is what credentials add to a request.
type signature struct {
	header request.Pair
	query  []request.Pair
	// token is the one in it, cached that it was not fetched just now.
	token  string
	cached bool
}

// credentials is what an argument says of them: one of its members.
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

// authentication reads the argument `auth`, or that of a login, which is at a path; nil is
// none.
func (s *Session) authentication(path string, v any) (*authenticator, error) {
	m, isMap := v.(map[string]any)
	switch {
	case v == nil || v == "none":
		return nil, nil
	case !isMap:
		return nil, fmt.Errorf("is %s, and an object or \"none\" is wanted", actions.KindOf(v))
	}
	var kind string
	for _, name := range []string{"bearer", "basic", "apiKey", "oauth2", "login"} {
		if m[name] == nil {
			continue
		}
		if kind != "" {
			return nil, fmt.Errorf("%s and %s are both given; give one", kind, name)
		}
		kind = name
	}
	var c credentials
	if err := s.call.DecodeWithin(path, m, &c); err != nil {
		return nil, err
	}
	switch kind {
	case "bearer":
		return fixed("Authorization", "Bearer "+*c.Bearer, *c.Bearer)
	case "basic":
		return s.basic(c.Basic.Username, c.Basic.Password)
	case "apiKey":
		return c.APIKey.authenticator()
	case "oauth2":
		return s.oauth2(c.OAuth2)
	case "login":
		return s.login(c.Login)
	case "":
		if m["origins"] != nil && len(m) == 1 {
			return nil, nil // it is for headers
		}
		fallthrough
	default:
		return nil, errors.New("it names none of bearer, basic, apiKey, oauth2 and login; write \"none\" for none")
	}
}

// fixed is a header that holds the secret.
func fixed(header, value, secret string) (*authenticator, error) {
	if secret == "" {
		return nil, errors.New("it is empty")
	}
	if !request.IsToken(header) {
		return nil, fmt.Errorf("%q is not a valid name of a header", actions.Clip(header, 80))
	}
	if err := request.CheckHeader(value); err != nil {
		return nil, err
	}
	return &authenticator{fixed: signature{header: request.Pair{Name: header, Value: value}}}, nil
}

func (s *Session) basic(user, password string) (*authenticator, error) {
	if strings.Contains(user, ":") {
		return nil, errors.New("basic: the username holds a colon, which would end it")
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	s.Judge.Secret(encoded)
	return fixed("Authorization", "Basic "+encoded, encoded)
}

// keySettings says where a key stands in a request.
type keySettings struct {
	Header string `arg:"header"`
	Query  string `arg:"query"`
	Cookie string `arg:"cookie"`
	Value  string `arg:"value"`
}

func (k *keySettings) authenticator() (*authenticator, error) {
	switch {
	case k.Header != "" && k.Query == "" && k.Cookie == "":
		return fixed(k.Header, k.Value, k.Value)
	case k.Query != "" && k.Header == "" && k.Cookie == "":
		return &authenticator{fixed: signature{query: []request.Pair{{Name: k.Query, Value: k.Value}}}}, nil
	case k.Cookie != "" && k.Header == "" && k.Query == "":
		if !request.IsToken(k.Cookie) || strings.ContainsAny(k.Value, "; ,\"\\") {
			return nil, errors.New("apiKey: the name or value of the cookie holds what no cookie can")
		}
		return fixed("Cookie", k.Cookie+"="+k.Value, k.Value)
	default:
		return nil, errors.New("apiKey: give one of header, query and cookie")
	}
}

// sign makes the credentials of a request. Refused is a token that no longer
// serves, or "".
func (s *Session) sign(ctx context.Context, r *request.Request, refused string) (signature, actions.Outcome) {
	done := actions.Outcome{Status: actions.Done}
	if s.auth == nil {
		return signature{}, done
	}
	goes, err := s.owner.sends(r.At.URL)
	if err != nil {
		return signature{}, actions.Refuse(fmt.Errorf("%s: %w", s.Judge.Title(r), err))
	}
	if !goes {
		return signature{}, done
	}
	if s.auth.source == nil {
		return s.auth.fixed, done
	}
	t, cached, out := s.auth.source.token(ctx, refused, s.auth.fetch)
	if out.Status != actions.Done {
		return signature{}, out
	}
	s.Judge.Secret(t)
	value := s.auth.prefix + t
	if err := request.CheckHeader(value); err != nil {
		return signature{}, actions.Refuse(fmt.Errorf("auth: the token cannot be sent: %w", err))
	}
	return signature{header: request.Pair{Name: s.auth.header, Value: value}, token: t, cached: cached}, done
}
