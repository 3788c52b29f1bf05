// Package request makes requests from arguments: their URL, headers and body, without
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
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/graphql"
	"github.com/declprov/declprov/spec"
)

// MethodPattern is the pattern of valid methods.
const MethodPattern = `^[A-Z][A-Z-]{0,30}$`

var isMethod = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(MethodPattern) })

// Request is one request. It can be sent any number of times.
type Request struct {
	Method  string
	Address Address
	Query   []Pair // the query, in addition to that of the address
	Headers http.Header
	Body    *Body
	// Effect says whether the request changes anything.
	Effect actions.Effect
	// Stream is the format of the events in the response; "" if the response is not a stream.
	Stream string
}

// Arguments are the arguments that define a request, of a call or of the login within one.
type Arguments struct {
	Method         string         `arg:"method"`
	Path           []spec.Part    `arg:"path"`
	URL            []spec.Part    `arg:"url"`
	Query          map[string]any `arg:"query"`
	Headers        map[string]any `arg:"headers"`
	Response       string         `arg:"response"`
	Stream         string         `arg:"stream"`
	Effect         string         `arg:"effect"`
	ArchiveFormat  string         `arg:"archiveFormat"`
	Lists          ListRule       `arg:"lists"`
	Nulls          string         `arg:"nulls"`
	IfMatch        any            `arg:"ifMatch"`
	IfNoneMatch    any            `arg:"ifNoneMatch"`
	IdempotencyKey any            `arg:"idempotencyKey"`

	// bodies has the arguments that define a body, by name.
	bodies map[string]any
	// written reports whether the spec gives the argument, even if it is null. If it is nil,
	// bodies has all given arguments.
	written func(argument string) bool
}

// ArgumentsOf returns the arguments of a call.
func ArgumentsOf(c *actions.Call) (g Arguments, err error) {
	g = Arguments{bodies: c.Args, written: c.Written}
	return g, c.Decode(&g)
}

// ArgumentsWithin returns the arguments of a request that is itself an argument: the object
// at the path.
func ArgumentsWithin(c *actions.Call, path string, object map[string]any) (g Arguments, err error) {
	g = Arguments{bodies: object}
	return g, c.DecodeWithin(path, object, &g)
}

// hasBody reports whether the spec gives the request a body, even if its value is null. The
// default method must not depend on the value.
func (g Arguments) hasBody() bool {
	return slices.ContainsFunc(BodyArguments(), func(name string) bool {
		_, given := g.bodies[name]
		return given || g.written != nil && g.written(name)
	})
}

// HeaderFilter reports whether a header may be sent to an address. It returns an error if the
// request must not be sent with that header.
type HeaderFilter func(name string, at Address) (bool, error)

// NewRequest returns the request that the arguments define. It reads assets in ctx.
func (g Arguments) NewRequest(ctx context.Context, env *actions.Env, base *url.URL, filter HeaderFilter) (*Request, error) {
	r := &Request{Method: g.Method, Headers: http.Header{}}
	var err error
	if r.Body, err = g.bodyOf(assetEncoder{ctx: ctx, env: env, format: g.ArchiveFormat, lists: g.Lists, nulls: g.Nulls}); err != nil {
		return nil, err
	}
	if r.Method == "" {
		r.Method = "GET"
		if g.hasBody() {
			r.Method = "POST"
		}
	}
	if !isCommonMethod(r.Method) && (!isMethod().MatchString(r.Method) || r.Method == "CONNECT" || r.Method == "TRACE") {
		return nil, fmt.Errorf("invalid method %q; use a method in capitals", actions.Clip(r.Method, 40))
	}
	r.Effect = g.effect(r)
	if r.Address, err = g.address(base); err != nil {
		return nil, err
	}
	if r.Query, err = Parameters("query", g.Query, g.Lists); err != nil {
		return nil, err
	}
	accept := acceptHeader(g.Response)
	if r.Stream = g.Stream; r.Stream != "" {
		accept = streamTypes[r.Stream]
		r.Headers.Set("Accept-Encoding", "identity") // compression would hold events back
	}
	return r, r.setHeaders(g.Headers, accept, filter)
}

// isCommonMethod reports whether the method is one of the most frequent ones, which need no
// further check.
func isCommonMethod(method string) bool {
	switch method {
	case "GET", "POST", "PUT", "PATCH", "DELETE":
		return true
	default:
		return false
	}
}

// effect returns the effect of the request, like the function effect of the http family does
// before it runs.
func (g Arguments) effect(r *Request) actions.Effect {
	switch g.Effect {
	case "none":
		return actions.None
	case "write":
		return actions.Write
	}
	if m, ok := g.bodies["graphql"].(map[string]any); ok && g.Method == "" {
		return graphql.EffectOf(m)
	}
	return EffectOf(r.Method)
}

// address returns the address of the request.
func (g Arguments) address(base *url.URL) (Address, error) {
	switch {
	case g.Path != nil && g.URL != nil:
		return Address{}, errors.New("path and url are both given; remove one of them")
	case g.URL != nil:
		return resolveURL(base, g.URL)
	case g.Path == nil:
		return Address{}, errors.New("neither path nor url is given; add one of them")
	default:
		u, err := resolvePath(base, g.Path)
		return Address{URL: u}, err
	}
}

// setIfMatch sets If-Match; known are the ETags of the last reads. If it cannot be set, that is
// an error: a request without it could overwrite another user's change.
func (r *Request) setIfMatch(g Arguments, known actions.ETags) error {
	etag := ""
	switch v := g.IfMatch.(type) {
	case nil:
		return nil
	case bool:
		if !v {
			return nil
		}
		if etag = known.For(r.ETagOf()); etag == "" {
			return errors.New("ifMatch: true requires the ETag of the last read, but none is recorded: " +
				"run `pulumi refresh` if the server returns ETags, else remove ifMatch")
		}
	case string:
		if etag = v; etag == "" {
			return errors.New("ifMatch is empty; expected an ETag (add an `if` to the step if there may be none)")
		}
	}
	return setHeader(r.Headers, "If-Match", etag)
}

// setIfNoneMatch sets If-None-Match. `true` means `*`: the object must not exist yet.
func (r *Request) setIfNoneMatch(g Arguments) error {
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

// KeyHeader is the header of an idempotency key, unless the arguments give another.
const KeyHeader = "Idempotency-Key"

// ETagOf returns the address of what the request is about, for ETags.
func (r *Request) ETagOf() string { return actions.AddressOf(r.Address.URL) }

// SetConditions sets If-Match, If-None-Match and the idempotency key. known are the ETags of the
// last reads, and key is the engine's key; both are used unless the arguments give others.
func (r *Request) SetConditions(g Arguments, known actions.ETags, key string) error {
	if err := errors.Join(r.setIfMatch(g, known), r.setIfNoneMatch(g)); err != nil {
		return err
	}
	header := KeyHeader
	switch v := g.IdempotencyKey.(type) {
	case nil:
		return nil // not given: see Arg.NotNull
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
		return errors.New("idempotencyKey: the key is empty; without a key, a repeated request could take effect twice")
	}
	return setHeader(r.Headers, header, key)
}

// FullURL returns the URL with the whole query.
func (r *Request) FullURL() *url.URL {
	u := *r.Address.URL
	encoded := EncodePairs(r.Query)
	switch {
	case u.RawQuery == "":
		u.RawQuery = encoded
	case encoded != "":
		u.RawQuery += "&" + encoded
	}
	return &u
}

// EffectOf returns the effect of a method by its definition (RFC 9110, 9.2.1).
func EffectOf(method string) actions.Effect {
	switch method {
	case "GET", "HEAD", "OPTIONS":
		return actions.None
	default:
		return actions.Write
	}
}
