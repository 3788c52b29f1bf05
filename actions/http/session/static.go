package session

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// static credentials are the same for every message.
type static struct{ signature }

func (c static) sign(context.Context, hop) (signature, actions.Outcome) {
	return c.signature, actions.Outcome{Status: actions.Done}
}

func (static) renew(hop, *verdict.Response) bool { return false }

// newHeader returns credentials in a header, whose value contains the secret.
func newHeader(header, value, secret string) (credential, error) {
	if secret == "" {
		return nil, errNoCredentials
	}
	if !request.IsToken(header) {
		return nil, fmt.Errorf("%q is not a valid header name", actions.Clip(header, 80))
	}
	if err := request.CheckHeaderValue(value); err != nil {
		return nil, err
	}
	return static{headerSignature(header, value)}, nil
}

func (s *Session) newBasic(user, password string) (credential, error) {
	if strings.Contains(user, ":") {
		return nil, errors.New("basic: the username must not contain a colon")
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	s.Judge.AddSecret(encoded)
	return newHeader("Authorization", "Basic "+encoded, encoded)
}

// keySettings says where the request carries an API key.
type keySettings struct {
	Header string `arg:"header"`
	Query  string `arg:"query"`
	Cookie string `arg:"cookie"`
	Value  string `arg:"value"`
}

func (k *keySettings) credential() (credential, error) {
	switch {
	case k.Header != "" && k.Query == "" && k.Cookie == "":
		return newHeader(k.Header, k.Value, k.Value)
	case k.Query != "" && k.Header == "" && k.Cookie == "":
		return static{signature{query: []request.Pair{{Name: k.Query, Value: k.Value}}}}, nil
	case k.Cookie != "" && k.Header == "" && k.Query == "":
		if !request.IsToken(k.Cookie) || strings.ContainsAny(k.Value, "; ,\"\\") {
			return nil, errors.New("apiKey: the name or value of the cookie contains a character that is not valid in a cookie")
		}
		return newHeader("Cookie", k.Cookie+"="+k.Value, k.Value)
	default:
		return nil, errors.New("apiKey: expected exactly one of header, query and cookie")
	}
}
