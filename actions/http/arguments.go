package http

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/assets"
	"github.com/declprov/declprov/spec"
)

var (
	anything  = &spec.Type{}
	text      = &spec.Type{Kind: spec.String}
	integer   = &spec.Type{Kind: spec.Int}
	truth     = &spec.Type{Kind: spec.Bool}
	mapOfAny  = &spec.Type{Kind: spec.Map, Elem: anything}
	mapOfText = &spec.Type{Kind: spec.Map, Elem: text}
	someText  = &spec.Type{Kind: spec.String, MinLen: 1}
	positive  = &spec.Type{Kind: spec.Int, Min: &spec.Bound{Value: number("1")}}
	size      = &spec.Type{Kind: spec.Union, Variants: []*spec.Type{
		integer, {Kind: spec.String, Patterns: []spec.Pattern{{Regexp: actions.SizePattern}}},
	}}
)

func oneOf(names ...string) *spec.Type {
	t := &spec.Type{Kind: spec.String}
	for _, n := range names {
		t.Enum = append(t.Enum, n)
	}
	return t
}

func either(variants ...*spec.Type) *spec.Type {
	return &spec.Type{Kind: spec.Union, Variants: variants}
}

// sent is an argument that goes out under the names on the wire.
func sent(name string, t *spec.Type, doc string) actions.Arg {
	a := arg(name, t, doc)
	a.Wire = true
	return a
}

// object is an object's type; a name that ends in `!` is required.
func object(fields ...*spec.Property) *spec.Type {
	return &spec.Type{Kind: spec.Object, Fields: fields}
}

func field(name string, t *spec.Type, doc string) *spec.Property {
	return &spec.Property{Name: name, Type: t, Doc: doc}
}

func arg(name string, t *spec.Type, doc string) actions.Arg {
	return actions.Arg{Property: spec.Property{Name: name, Type: t, Doc: doc}}
}

// arguments are those of a single request.
func arguments() []actions.Arg {
	method := arg("method", &spec.Type{Kind: spec.String, Patterns: []spec.Pattern{{Regexp: methodPattern.String()}}},
		"Method of the request. Without it GET, or POST where there is a body.")
	path := arg("path", text, "Where, below `baseURL`; each value is one escaped segment.")
	path.Mode, path.Exposed = actions.Path, true
	address := arg("url", text, "Where, instead of `path`: a value that begins it is a URL, relative to `baseURL` if it has no host.")
	address.Mode, address.Exposed = actions.Path, true
	ifMatch := arg("ifMatch", either(truth, text), "ETag that the object must still have: true is that of the last read. Without one the request is not sent.")
	ifMatch.NotNull = true
	ifNoneMatch := arg("ifNoneMatch", either(truth, text), "Send the request only if nothing is there yet (true), or nothing with that ETag: a create by PUT then overwrites nothing.")
	ifNoneMatch.NotNull = true
	idempotencyKey := arg("idempotencyKey", either(truth, object(
		field("header", someText, "Header that carries it. Default: Idempotency-Key."), field("value", anything, "The key, where the engine's own will not do."),
	)), "Send a key by which the server tells a repeated request.")
	idempotencyKey.NotNull = true
	returns := arg("returns", anything, "Type of the body: a definition of the spec.")
	returns.Mode = actions.Typed
	items := arg("items", anything, "The list in an answer, from `body`, `status` and `headers`: what the pages have in common.")
	items.Mode = actions.Late
	graphql := sent("graphql", object(
		member("query", text, "The document; it takes no templates."), field("variables", mapOfAny, "What it refers to."),
		field("operationName", text, "Which of its operations."),
	), "GraphQL request as the body. An answer with `errors` is an error.")
	graphql.Inner = map[string]actions.Mode{"query": actions.Raw}
	query := sent("query", mapOfAny, "Parameters: a list is repeated, null left out.")
	query.Exposed = true
	query.Instead = "Servers and proxies log whole URLs. Send the secret in a header or the body; where the API takes its key as a parameter only, by `auth: apiKey: {query: \"…\", value: \"…\"}`."
	return []actions.Arg{
		method, path, address,
		query,
		sent("json", anything, "Body, as JSON."),
		sent("form", mapOfAny, "Body, as a form: a list is repeated, null left out."),
		arg("multipart", &spec.Type{Kind: spec.List, Elem: part()}, "Body of several parts, as forms with files have it."),
		arg("text", text, "Body, as text."),
		sent("xml", mapOfAny, "Body, as XML: an object with one member, the root."),
		arg("bytes", either(text, &spec.Type{Kind: spec.Asset}, &spec.Type{Kind: spec.Archive}), "Body: base64, an asset, or an archive, which is packed."),
		arg("archiveFormat", oneOf(assets.Formats()...), "How an archive in `bytes` is packed. Default: zip."),
		graphql, returns, items, paginate(),
		ifMatch, ifNoneMatch, idempotencyKey,
		arg("idempotent", truth, "Whether sending it twice does what sending it once does, where the method does not say so (a POST that sets, a PATCH to given values), or says so wrongly (a PUT that appends). If true, it is sent again when its response is lost, and a create is not *at least once*."),
		arg("effect", oneOf("none", "write"), "Whether the request changes anything: for a POST that only searches, a GET that does not."),
	}
}

func part() *spec.Type {
	return object(
		member("name", text, "Name of the part."), field("value", anything, "Its content, as text."),
		field("asset", either(&spec.Type{Kind: spec.Asset}, &spec.Type{Kind: spec.Archive}), "Its content, as a file; a large one is streamed, an archive is packed."),
		field("archiveFormat", oneOf(assets.Formats()...), "How an archive is packed. Default: zip."),
		field("filename", text, "Name of the file."), field("contentType", text, "Its media type."),
	)
}

func paginate() actions.Arg {
	a := arg("paginate", object(
		field("link", truth, "By the header Link, rel=next."),
		field("page", object(member("param", someText, "Parameter."), field("start", integer, "First page. Default: 1."),
			field("sizeParam", someText, "Parameter of the size."), field("size", positive, "Size of a page.")), "By a number of the page."),
		field("offset", object(member("param", someText, "Parameter."),
			field("limitParam", someText, "Parameter of the limit."), field("limit", positive, "Size of a page.")), "By the number of items before."),
		field("cursor", object(field("param", someText, "Parameter."), field("body", someText, "Member of the JSON body: `page.after`."),
			field("next", anything, "The next cursor, from `body`, `status` and `headers`; null ends.")), "By what an answer says."),
		field("maxPages", positive, "Most pages: what is behind them is left out, and a find or read that has not found what it looks for then fails, and so does a delete. Default: 1000, and more are an error."),
		field("timeout", text, "Longest time for all pages together. Default: 10m. The step's own `timeout` covers all attempts."),
	), "Fetch page after page, until one names no next one. `page` and `offset` end at an empty page, and at a page that repeats the items of the previous one. A link or cursor that comes again is an error. Needs `items`.")
	a.Inner = map[string]actions.Mode{"cursor.next": actions.Late}
	return a
}

// defaults are the arguments that a spec may give for all its requests.
func defaults() []actions.Arg {
	base := arg("baseURL", someText, "Where the API lives; paths start here, and the `auth` and secret headers beside it go nowhere else.")
	base.Exposed, base.Recalled = true, true
	message := arg("error", anything, "The server's message in an answer that is not expected, from `body`, `status` and `headers`.")
	message.Mode = actions.Late
	redirects := arg("redirects", oneOf("none", "same-origin"), "Whether redirects are followed.")
	redirects.Default = "none"
	headers := arg("headers", mapOfAny, "Headers. Their names are written out; those of a request come over those for all, null leaves one out.")
	headers.Merged, headers.ExposedNames = true, []string{""}
	maxBytes := arg("maxBytes", size, "Most bytes of an answer once it is decompressed, of all pages together.")
	maxBytes.Default = "16MiB"
	timeout := arg("timeout", text, "Longest time for one attempt, from sending to the end of the answer. The step's own `timeout` covers all.")
	timeout.Default = "2m"
	return []actions.Arg{
		base,
		headers,
		auth(),
		arg("tls", object(
			field("ca", text, "Certificates to trust instead of the system's, as PEM."), field("cert", text, "Certificate to show, as PEM."),
			field("key", text, "Its key, as PEM."), field("serverName", someText, "Name that the server's certificate must have."),
			field("insecure", truth, "Trust any server. Whoever is on the way can read and change everything."),
		), "How TLS is done; always 1.2 or later."),
		arg("proxy", someText, "Proxy to go through (http or https), which needs a grant of its own. The environment's is never used."),
		redirects,
		arg("expect", &spec.Type{Kind: spec.List, Elem: &spec.Type{
			Kind: spec.Int, Min: &spec.Bound{Value: number("100")}, Max: &spec.Bound{Value: number("599")},
		}}, "Statuses that are no error."),
		arg("response", oneOf("json", "xml", "text", "bytes", "none"),
			"What the body is; `bytes` gives base64. Without it JSON where `returns` is given, else what the Content-Type says."),
		message,
		arg("rateLimit", object(member("requests", positive, "How many."), member("per", text, "In which time: 1s."),
			field("burst", positive, "How many at once. Default: as many as `requests`.")), "Most requests to an origin, over the process."),
		arg("concurrency", positive, "Most requests to an origin at the same time, over the process."),
		maxBytes,
		actions.MaxValues("Most values of an answer, at any depth, of all pages together: items, members, elements, attributes."),
		timeout,
	}
}

func auth() actions.Arg {
	named := func(what string) *spec.Property { return field(what, someText, "Name of it.") }
	a := arg("auth", either(oneOf("none", "default"), object(
		field("origins", &spec.Type{Kind: spec.List, Elem: someText},
			"Origins (`https://api.example.com`) that the credentials may be sent to beside that of `baseURL`; in the block of defaults, secret headers too."),

		field("bearer", text, "A token."),
		field("basic", object(member("username", text, "User."), member("password", text, "Password.")), "User and password."),
		field("apiKey", object(named("header"), named("query"), named("cookie"), member("value", text, "The key.")), "A key, in a header, parameter or cookie."),
		field("oauth2", object(
			member("tokenURL", someText, "Where tokens are given."), member("clientID", text, "Client."), member("clientSecret", text, "Its secret."),
			field("scopes", &spec.Type{Kind: spec.List, Elem: text}, "Scopes."), field("audience", text, "Audience."), field("params", mapOfAny, "Further parameters."),
		), "Client credentials of OAuth 2; the token is renewed in time."),
		field("login", object(
			field("http", &spec.Type{Kind: spec.Map, Elem: anything}, "The request that logs in."),
			field("token", anything, "The token, from `body`, `status` and `headers`."),
			field("expires", anything, "When it ends: seconds from now, or a time."),
			field("as", object(field("header", someText, "Default: Authorization."), field("prefix", text, "Default: `Bearer `.")), "How it is sent."),
		), "A token that a request gives, shared, and renewed once when it is refused."),
	)), "Credentials; \"none\"; or in a step \"default\", to send those of the defaults to an origin that their `origins` list.")
	a.Recalled, a.Requestable = true, true
	a.Inner = map[string]actions.Mode{
		"login.token": actions.Late, "login.expires": actions.Late, "login.http.error": actions.Late,
		"login.http.path": actions.Path, "login.http.url": actions.Path,
	}
	a.ExposedWithin = []string{
		"login.http.path", "login.http.url", "login.http.baseURL", "login.http.query", "login.as.header",
		"oauth2.tokenURL", "apiKey.header", "apiKey.query", "apiKey.cookie",
	}
	a.ExposedNames = []string{"login.http.headers"}
	a.Instead = "Servers and proxies log whole URLs. Send the secret in a header or the body of the request that logs in."
	return a
}

// sees are what a late expression knows of the answer.
func sees(s actions.Static, argument string) []*spec.Property {
	body := anything
	if argument == "items" || argument == "paginate.cursor.next" {
		body = bodyType(s)
	}
	answer := answerMembers(body)
	return append(answer, member("result", object(answer...), "The answer."))
}
