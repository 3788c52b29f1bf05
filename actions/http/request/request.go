// Package request makes requests of arguments: where they go, and what they carry, but for
// credentials.
package request

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

// MethodPattern is what methods look like.
const MethodPattern = `^[A-Z][A-Z-]{0,30}$`

var isMethod = regexp.MustCompile(MethodPattern).MatchString

// Request is one request, ready to be sent any number of times.
type Request struct {
	Method  string
	At      Address
	Pairs   []Pair // the query, beside what is in the address
	Headers http.Header
	Body    *Body
	// Effect is whether it changes anything.
	Effect actions.Effect
}

// Arguments are those that a request is made of: a call's, or those of the login within one.
type Arguments struct {
	Method         string         `arg:"method"`
	Path           []spec.Part    `arg:"path"`
	URL            []spec.Part    `arg:"url"`
	Query          map[string]any `arg:"query"`
	Headers        map[string]any `arg:"headers"`
	Response       string         `arg:"response"`
	Effect         string         `arg:"effect"`
	ArchiveFormat  string         `arg:"archiveFormat"`
	IfMatch        any            `arg:"ifMatch"`
	IfNoneMatch    any            `arg:"ifNoneMatch"`
	IdempotencyKey any            `arg:"idempotencyKey"`

	// bodies has those that make a body, each under its name.
	bodies map[string]any
	// written reports whether the spec gives the argument, even if it is null; nil: what is
	// in bodies is all.
	written func(argument string) bool
}

// ArgumentsOf returns the arguments of a call.
func ArgumentsOf(c *actions.Call) (g Arguments, err error) {
	g = Arguments{bodies: c.Args, written: c.Written}
	return g, c.Decode(&g)
}

// ArgumentsWithin returns those of a request that is an argument of a call: the object at
// a path.
func ArgumentsWithin(c *actions.Call, path string, object map[string]any) (g Arguments, err error) {
	g = Arguments{bodies: object}
	return g, c.DecodeWithin(path, object, &g)
}

// hasBody reports whether the spec gives the request a body, even if its value
// is null: what the request does must not depend on that.
func (g Arguments) hasBody() bool {
	return slices.ContainsFunc(Bodies(), func(name string) bool {
		_, given := g.bodies[name]
		return given || g.written != nil && g.written(name)
	})
}

// Carries reports whether a header goes to an address, by the header's name; an error says
// that it must not.
type Carries func(name string, at Address) (bool, error)

// Request makes the request that arguments describe, without credentials. What it sends of
// the user's files is read in ctx.
func (g Arguments) Request(ctx context.Context, env *actions.Env, base *url.URL, goes Carries) (*Request, error) {
	r := &Request{Method: g.Method, Headers: http.Header{}}
	var err error
	if r.Body, err = g.bodyOf(handed{ctx: ctx, env: env, format: g.ArchiveFormat}); err != nil {
		return nil, err
	}
	if r.Method == "" {
		r.Method = "GET"
		if g.hasBody() {
			r.Method = "POST"
		}
	}
	if !plainMethod(r.Method) && (!isMethod(r.Method) || r.Method == "CONNECT" || r.Method == "TRACE") {
		return nil, fmt.Errorf("method %q is none that can be sent; write it in capitals", actions.Clip(r.Method, 40))
	}
	r.Effect = g.effect(r)
	if r.At, err = g.place(base); err != nil {
		return nil, err
	}
	if r.Pairs, err = Parameters("query", g.Query); err != nil {
		return nil, err
	}
	return r, r.setHeaders(g.Headers, accept(g.Response), goes)
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
func (g Arguments) effect(r *Request) actions.Effect {
	switch g.Effect {
	case "none":
		return actions.None
	case "write":
		return actions.Write
	}
	if m, ok := g.bodies["graphql"].(map[string]any); ok && g.Method == "" {
		return GraphQLEffect(m)
	}
	return EffectOf(r.Method)
}

// place is where the request goes.
func (g Arguments) place(base *url.URL) (Address, error) {
	switch {
	case g.Path != nil && g.URL != nil:
		return Address{}, errors.New("path and url both say where the request goes; give one of them")
	case g.URL != nil:
		return located(base, g.URL)
	case g.Path == nil:
		return Address{}, errors.New("neither path nor url says where the request goes; give one of them")
	default:
		u, err := below(base, g.Path)
		return Address{URL: u}, err
	}
}

// ifMatch adds If-Match. A condition that is asked for and cannot be made is an
// error: without it somebody else's change would be overwritten.
func (r *Request) ifMatch(g Arguments, read string) error {
	etag := ""
	switch v := g.IfMatch.(type) {
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
	return setHeader(r.Headers, "If-Match", etag)
}

// ifNoneMatch adds If-None-Match: true is `*`, "nothing may be there yet".
func (r *Request) ifNoneMatch(g Arguments) error {
	switch v := g.IfNoneMatch.(type) {
	case bool:
		if v {
			return setHeader(r.Headers, "If-None-Match", "*")
		}
	case string:
		if v == "" {
			return errors.New("ifNoneMatch is an empty string; expected an ETag, or true (nothing may be there yet)")
		}
		return setHeader(r.Headers, "If-None-Match", v)
	}
	return nil
}

// Conditions adds If-Match, If-None-Match and the idempotency key: the ETag of the last
// read and the engine's own key are where the arguments give no other.
func (r *Request) Conditions(g Arguments, read, key string) error {
	if err := errors.Join(r.ifMatch(g, read), r.ifNoneMatch(g)); err != nil {
		return err
	}
	header := "Idempotency-Key"
	switch v := g.IdempotencyKey.(type) {
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
				return fmt.Errorf("idempotencyKey.value: %w", err)
			}
		}
	}
	if key == "" {
		return errors.New("idempotencyKey: the key is empty; without one a repeated request could be done twice")
	}
	return setHeader(r.Headers, header, key)
}

// Complete is the URL with the whole query.
func (r *Request) Complete(extra []Pair) *url.URL {
	u := *r.At.URL
	encoded := EncodePairs(append(slices.Clone(r.Pairs), extra...))
	switch {
	case u.RawQuery == "":
		u.RawQuery = encoded
	case encoded != "":
		u.RawQuery += "&" + encoded
	}
	return &u
}

// EffectOf is the effect of a method by its definition (RFC 9110, 9.2.1).
func EffectOf(method string) actions.Effect {
	switch method {
	case "GET", "HEAD", "OPTIONS":
		return actions.None
	default:
		return actions.Write
	}
}
