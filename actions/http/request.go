package http

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/spec"
)

const defaultTimeout = 2 * time.Minute

var methodPattern = regexp.MustCompile(`^[A-Z][A-Z-]{0,30}$`)

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
	return slices.ContainsFunc(bodies, func(name string) bool {
		_, given := g.args[name]
		return given || g.written != nil && g.written(name)
	})
}

func (g given) string(name string) string {
	s, _ := g.args[name].(string)
	return s
}

// prepare makes the request of a call, and all that its answers are judged by.
func (f *family) prepare(ctx context.Context, call *actions.Call) (*exchange, error) {
	if call.Env == nil || call.Env.Network == nil {
		return nil, errors.New("there is no network here")
	}
	g := given{args: call.Args, parts: call.Parts, late: call.Late, written: call.Written}
	x := &exchange{family: f, call: call, given: g}
	if err := x.settle(); err != nil {
		return nil, err
	}
	if err := x.settleOwner(); err != nil {
		return nil, err
	}
	var err error
	if x.req, err = x.request(ctx, g); err != nil {
		return nil, err
	}
	if err := x.conditions(g); err != nil {
		return nil, err
	}
	x.owner.anchored(x.req.at, x.base)
	if x.auth, err = x.authentication(call.Args["auth"]); err != nil {
		return nil, fmt.Errorf("auth: %w", err)
	}
	x.pages, err = x.pagination()
	return x, err
}

// settle reads the arguments that are not the request's own: where and how.
func (x *exchange) settle() error {
	g := x.given
	var err error
	if text := g.string("baseURL"); text != "" {
		if x.base, err = baseOf(x.call.Env.Network, text); err != nil {
			return err
		}
	}
	if x.timeout, err = declare.DurationOf("timeout", g.args["timeout"], defaultTimeout); err != nil {
		return err
	}
	if x.maxBytes, err = declare.MaxBytesOf(g.args["maxBytes"]); err != nil {
		return err
	}
	x.values = x.newBudget()
	if x.pool, err = poolOf(x.call.Env.Network, g); err != nil {
		return err
	}
	if x.rate, err = x.family.limits.of(g); err != nil {
		return err
	}
	x.follow = g.string("redirects") == "same-origin"
	x.response, x.typed = g.string("response"), g.args["returns"] != nil
	expected, _ := g.args["expect"].([]any)
	for _, v := range expected {
		status, ok := v.(int64)
		if !ok {
			return fmt.Errorf("expect holds %s, and a status is wanted", actions.KindOf(v))
		}
		x.expect = append(x.expect, int(status))
	}
	return nil
}

// request makes the request that arguments describe, without credentials.
func (x *exchange) request(ctx context.Context, g given) (*request, error) {
	r := &request{method: g.string("method"), headers: http.Header{}}
	var err error
	if r.body, err = g.bodyOf(handed{ctx: ctx, env: x.call.Env, format: g.string("archiveFormat")}); err != nil {
		return nil, err
	}
	if r.method == "" {
		r.method = "GET"
		if g.hasBody() {
			r.method = "POST"
		}
	}
	if !plainMethod(r.method) && (!methodPattern.MatchString(r.method) || r.method == "CONNECT" || r.method == "TRACE") {
		return nil, fmt.Errorf("method %q is none that can be sent; write it in capitals", actions.Clip(r.method, 40))
	}
	r.effect = g.effect(r)
	if r.at, err = x.place(g); err != nil {
		return nil, err
	}
	if query, ok := g.args["query"].(map[string]any); ok {
		if r.pairs, err = parameters("query", query); err != nil {
			return nil, err
		}
	}
	headers, _ := g.args["headers"].(map[string]any)
	return r, x.setHeaders(r, headers)
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
func (x *exchange) place(g given) (address, error) {
	path, url := g.parts[g.prefix+"path"], g.parts[g.prefix+"url"]
	switch {
	case path != nil && url != nil:
		return address{}, errors.New("path and url both say where the request goes; give one of them")
	case url != nil:
		return located(x.base, url)
	case path == nil:
		return address{}, errors.New("neither path nor url says where the request goes; give one of them")
	default:
		u, err := below(x.base, path)
		return address{url: u}, err
	}
}

// ifMatch adds If-Match. A condition that is asked for and cannot be made is an
// error: without it somebody else's change would be overwritten.
func (x *exchange) ifMatch(g given) error {
	etag := ""
	switch v := g.args["ifMatch"].(type) {
	case nil:
		return nil
	case bool:
		if !v {
			return nil
		}
		if etag = x.call.ETag; etag == "" {
			return errors.New("ifMatch: true needs the ETag of the last read, and there is no record of one: " +
				"if the server gives one, refresh; else the spec cannot ask for it")
		}
	case string:
		if etag = v; etag == "" {
			return errors.New("ifMatch is empty text, which no ETag is; give the step an `if` where there may be none")
		}
	}
	return setHeader(x.req.headers, "If-Match", etag)
}

// ifNoneMatch adds If-None-Match: true is `*`, "nothing may be there yet".
func (x *exchange) ifNoneMatch(g given) error {
	switch v := g.args["ifNoneMatch"].(type) {
	case bool:
		if v {
			return setHeader(x.req.headers, "If-None-Match", "*")
		}
	case string:
		if v == "" {
			return errors.New("ifNoneMatch is an empty string; expected an ETag, or true (nothing may be there yet)")
		}
		return setHeader(x.req.headers, "If-None-Match", v)
	}
	return nil
}

// conditions adds If-Match and the idempotency key.
func (x *exchange) conditions(g given) error {
	if err := errors.Join(x.ifMatch(g), x.ifNoneMatch(g)); err != nil {
		return err
	}
	r := x.req
	header, key := "Idempotency-Key", x.call.Key
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
