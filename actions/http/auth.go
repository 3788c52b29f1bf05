package http

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/declprov/declprov/actions"
)

// authenticator is how requests to the origin of baseURL are signed: with what
// is known, or with a token that is fetched.
type authenticator struct {
	fixed signature
	// source keeps the token that fetch gets; nil where there is none.
	source *source
	fetch  func(ctx context.Context) (token, actions.Outcome)
	header string
	prefix string
}

// signature is what credentials add to a request.
type signature struct {
	header pair
	query  []pair
	// token is the one in it, cached that it was not fetched just now.
	token  string
	cached bool
}

// authentication reads the argument; nil is none.
func (x *exchange) authentication(v any) (*authenticator, error) {
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
		return x.fixed("Authorization", "Bearer "+value, value)
	case "basic":
		return x.basic(inner)
	case "apiKey":
		return x.apiKey(inner)
	case "oauth2":
		return x.oauth2(inner)
	case "login":
		return x.login(inner)
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
func (x *exchange) fixed(header, value, secret string) (*authenticator, error) {
	if secret == "" {
		return nil, errors.New("it is empty")
	}
	if !isToken(header) {
		return nil, fmt.Errorf("%q is no name of a header", actions.Clip(header, 80))
	}
	if err := carried(value); err != nil {
		return nil, err
	}
	return &authenticator{fixed: signature{header: pair{header, value}}}, nil
}

func (x *exchange) basic(m map[string]any) (*authenticator, error) {
	user, _ := m["username"].(string)
	password, _ := m["password"].(string)
	if strings.Contains(user, ":") {
		return nil, errors.New("basic: the username holds a colon, which would end it")
	}
	encoded := base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
	x.secret(encoded)
	return x.fixed("Authorization", "Basic "+encoded, encoded)
}

func (x *exchange) apiKey(m map[string]any) (*authenticator, error) {
	value, _ := m["value"].(string)
	header, _ := m["header"].(string)
	query, _ := m["query"].(string)
	cookie, _ := m["cookie"].(string)
	switch {
	case header != "" && query == "" && cookie == "":
		return x.fixed(header, value, value)
	case query != "" && header == "" && cookie == "":
		return &authenticator{fixed: signature{query: []pair{{query, value}}}}, nil
	case cookie != "" && header == "" && query == "":
		if !isToken(cookie) || strings.ContainsAny(value, "; ,\"\\") {
			return nil, errors.New("apiKey: the name or value of the cookie holds what no cookie can")
		}
		return x.fixed("Cookie", cookie+"="+value, value)
	default:
		return nil, errors.New("apiKey: give one of header, query and cookie")
	}
}

// sign makes the credentials of a request. Refused is a token that no longer
// serves, or "".
func (x *exchange) sign(ctx context.Context, r *request, refused string) (signature, actions.Outcome) {
	done := actions.Outcome{Status: actions.Done}
	if x.auth == nil {
		return signature{}, done
	}
	goes, err := x.owner.sends(r.at.url)
	if err != nil {
		return signature{}, actions.Refuse(fmt.Errorf("%s: %w", x.title(r), err))
	}
	if !goes {
		return signature{}, done
	}
	if x.auth.source == nil {
		return x.auth.fixed, done
	}
	t, cached, out := x.auth.source.token(ctx, refused, x.auth.fetch)
	if out.Status != actions.Done {
		return signature{}, out
	}
	x.secret(t)
	value := x.auth.prefix + t
	if err := carried(value); err != nil {
		return signature{}, actions.Refuse(fmt.Errorf("auth: the token cannot be sent: %w", err))
	}
	return signature{header: pair{x.auth.header, value}, token: t, cached: cached}, done
}

// secret tells the engine what must not show.
func (x *exchange) secret(text string) {
	if x.call.Secret != nil && text != "" {
		x.call.Secret(text)
	}
}

// sourceKey tells tokens apart by all that they are got with.
type sourceKey [sha256.Size]byte

// sourceOf is the keeper of the token that these settings get, shared by all
// calls of the engine.
func (x *exchange) sourceOf(settings any) (*source, error) {
	data, err := json.Marshal([]any{settings, x.given.args["tls"], x.given.args["proxy"]})
	if err != nil {
		return nil, errors.New("it cannot be read")
	}
	key := sourceKey(sha256.Sum256(data))
	return x.call.Env.Network.Keep(key, func() any { return newSource() }).(*source), nil
}

// whole is all of a request: where it goes, what it carries, and its credentials.
func (x *exchange) whole(r *request) ([]any, error) {
	body := sha256.New()
	if r.body != nil {
		from, err := r.body.open()
		if err != nil {
			return nil, err
		}
		_, err = io.Copy(body, from)
		if err = errors.Join(err, from.Close()); err != nil {
			return nil, err
		}
	}
	all := []any{r.method, r.complete(nil).String(), r.headers, body.Sum(nil)}
	if x.auth != nil {
		sign := x.auth.fixed
		all = append(all, sign.header.name, sign.header.value, encodePairs(sign.query))
	}
	return all, nil
}

// lateKey tells apart what late expressions find in a response.
func (x *exchange) lateKey(path string) string {
	if x.call.LateKey == nil {
		return fmt.Sprintf("%p", x.call)
	}
	return x.call.LateKey(path)
}

// tokenAddress is a URL of the settings.
func tokenAddress(text string) (address, error) {
	u, err := absolute(text)
	if err != nil {
		return address{}, err
	}
	return address{url: u}, nil
}

// post is a request for a token: a form, sent without further credentials.
func (x *exchange) post(at address, form url.Values, basic string) *request {
	r := &request{method: "POST", at: at, headers: map[string][]string{
		"Accept": {"application/json"}, "User-Agent": {"declprov"}, "Content-Type": {"application/x-www-form-urlencoded"},
	}, effect: actions.None}
	r.body = content("application/x-www-form-urlencoded", []byte(form.Encode()))
	if basic != "" {
		r.headers.Set("Authorization", "Basic "+basic)
	}
	return r
}
