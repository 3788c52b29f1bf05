package http

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// methodPattern is what methods look like.
const methodPattern = `^[A-Z][A-Z-]{0,30}$`

var isMethod = regexp.MustCompile(methodPattern).MatchString

// request is one request, ready to be sent any number of times.
type request struct {
	method  string
	at      address
	pairs   []pair // the query, beside what is in the address
	headers http.Header
	body    *payload
	// effect is whether it changes anything.
	effect actions.Effect
}

// given is what the arguments of a request are: those of a call, or of the login
// within one, whose parts are found under a prefix.
type given struct {
	args   map[string]any
	parts  map[string][]spec.Part
	late   map[string]actions.LateExpr
	prefix string
	// written reports whether the spec gives the argument, even if it is null.
	written func(argument string) bool
}

// hasBody reports whether the spec gives the request a body, even if its value
// is null: what the request does must not depend on that.
func (g given) hasBody() bool {
	return slices.ContainsFunc(bodies(), func(name string) bool {
		_, given := g.args[name]
		return given || g.written != nil && g.written(name)
	})
}

func (g given) string(name string) string {
	s, _ := g.args[name].(string)
	return s
}

// carries reports whether a header goes to an address, by the header's name; an error says
// that it must not.
type carries func(name string, at address) (bool, error)

// request makes the request that arguments describe, without credentials. What it sends of
// the user's files is read in ctx.
func (g given) request(ctx context.Context, env *actions.Env, base *url.URL, goes carries) (*request, error) {
	r := &request{method: g.string("method"), headers: http.Header{}}
	var err error
	if r.body, err = g.bodyOf(handed{ctx: ctx, env: env, format: g.string("archiveFormat")}); err != nil {
		return nil, err
	}
	if r.method == "" {
		r.method = "GET"
		if g.hasBody() {
			r.method = "POST"
		}
	}
	if !plainMethod(r.method) && (!isMethod(r.method) || r.method == "CONNECT" || r.method == "TRACE") {
		return nil, fmt.Errorf("method %q is none that can be sent; write it in capitals", actions.Clip(r.method, 40))
	}
	r.effect = g.effect(r)
	if r.at, err = g.place(base); err != nil {
		return nil, err
	}
	if query, ok := g.args["query"].(map[string]any); ok {
		if r.pairs, err = parameters("query", query); err != nil {
			return nil, err
		}
	}
	headers, _ := g.args["headers"].(map[string]any)
	return r, r.setHeaders(headers, accept(g.string("response")), goes)
}

// plainMethod reports whether it is one of the methods that nearly all requests
// have.
func plainMethod(method string) bool {
	switch method {
	case "GET", "POST", "PUT", "PATCH", "DELETE":
		return true
	default:
		return false
	}
}

// effect is what the request changes, as effect says for a Static.
func (g given) effect(r *request) actions.Effect {
	switch g.string("effect") {
	case "none":
		return actions.None
	case "write":
		return actions.Write
	}
	if m, ok := g.args["graphql"].(map[string]any); ok && g.args["method"] == nil {
		return graphqlEffect(m)
	}
	return effectOf(r.method)
}

// place is where the request goes.
func (g given) place(base *url.URL) (address, error) {
	path, url := g.parts[g.prefix+"path"], g.parts[g.prefix+"url"]
	switch {
	case path != nil && url != nil:
		return address{}, errors.New("path and url both say where the request goes; give one of them")
	case url != nil:
		return located(base, url)
	case path == nil:
		return address{}, errors.New("neither path nor url says where the request goes; give one of them")
	default:
		u, err := below(base, path)
		return address{url: u}, err
	}
}

// ifMatch adds If-Match. A condition that is asked for and cannot be made is an
// error: without it somebody else's change would be overwritten.
func (r *request) ifMatch(g given, read string) error {
	etag := ""
	switch v := g.args["ifMatch"].(type) {
	case nil:
		return nil
	case bool:
		if !v {
			return nil
		}
		if etag = read; etag == "" {
			return errors.New("ifMatch: true needs the ETag of the last read, and there is no record of one: " +
				"if the server gives one, refresh; else the spec cannot ask for it")
		}
	case string:
		if etag = v; etag == "" {
			return errors.New("ifMatch is empty text, which no ETag is; give the step an `if` where there may be none")
		}
	}
	return setHeader(r.headers, "If-Match", etag)
}

// ifNoneMatch adds If-None-Match: true is `*`, "nothing may be there yet".
func (r *request) ifNoneMatch(g given) error {
	switch v := g.args["ifNoneMatch"].(type) {
	case bool:
		if v {
			return setHeader(r.headers, "If-None-Match", "*")
		}
	case string:
		if v == "" {
			return errors.New("ifNoneMatch is an empty string; expected an ETag, or true (nothing may be there yet)")
		}
		return setHeader(r.headers, "If-None-Match", v)
	}
	return nil
}

// conditions adds If-Match, If-None-Match and the idempotency key: the ETag of the last
// read and the engine's own key are where the arguments give no other.
func (r *request) conditions(g given, read, key string) error {
	if err := errors.Join(r.ifMatch(g, read), r.ifNoneMatch(g)); err != nil {
		return err
	}
	header := "Idempotency-Key"
	switch v := g.args["idempotencyKey"].(type) {
	case nil:
		return nil // not written: see Arg.NotNull
	case bool:
		if !v {
			return nil
		}
	case map[string]any:
		if name, ok := v["header"].(string); ok {
			header = name
		}
		if own, given := v["value"]; given && own != nil {
			var err error
			if key, err = actions.TextOf(own); err != nil {
				return fmt.Errorf("idempotencyKey: value %w", err)
			}
		}
	}
	if key == "" {
		return errors.New("idempotencyKey: the key is empty; without one a repeated request could be done twice")
	}
	return setHeader(r.headers, header, key)
}

// complete is the URL with the whole query.
func (r *request) complete(extra []pair) *url.URL {
	u := *r.at.url
	encoded := encodePairs(append(slices.Clone(r.pairs), extra...))
	switch {
	case u.RawQuery == "":
		u.RawQuery = encoded
	case encoded != "":
		u.RawQuery += "&" + encoded
	}
	return &u
}

// effectOf is the effect of a method by its definition (RFC 9110, 9.2.1).
func effectOf(method string) actions.Effect {
	switch method {
	case "GET", "HEAD", "OPTIONS":
		return actions.None
	default:
		return actions.Write
	}
}
