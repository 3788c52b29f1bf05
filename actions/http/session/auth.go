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

// authentication reads the argument `auth`; nil is none.
func (s *Session) authentication(v any) (*authenticator, error) {
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
	inner, _ := m[kind].(map[string]any)
	switch kind {
	case "bearer":
		value, _ := m["bearer"].(string)
		return fixed("Authorization", "Bearer "+value, value)
	case "basic":
		return s.basic(inner)
	case "apiKey":
		return apiKey(inner)
	case "oauth2":
		return s.oauth2(inner)
	case "login":
		return s.login(inner)
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

func (s *Session) basic(m map[string]any) (*authenticator, error) {
	user, _ := m["username"].(string)
	password, _ := m["password"].(string)
	if strings.Contains(user, ":") {
		return nil, errors.New("basic: the username holds a colon, which would end it")
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	s.Judge.Secret(encoded)
	return fixed("Authorization", "Basic "+encoded, encoded)
}

func apiKey(m map[string]any) (*authenticator, error) {
	value, _ := m["value"].(string)
	header, _ := m["header"].(string)
	query, _ := m["query"].(string)
	cookie, _ := m["cookie"].(string)
	switch {
	case header != "" && query == "" && cookie == "":
		return fixed(header, value, value)
	case query != "" && header == "" && cookie == "":
		return &authenticator{fixed: signature{query: []request.Pair{{Name: query, Value: value}}}}, nil
	case cookie != "" && header == "" && query == "":
		if !request.IsToken(cookie) || strings.ContainsAny(value, "; ,\"\\") {
			return nil, errors.New("apiKey: the name or value of the cookie holds what no cookie can")
		}
		return fixed("Cookie", cookie+"="+value, value)
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
