package http

import (
	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/assets"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/spec"
)

// sent is an argument that goes out under the names on the wire.
func sent(name string, t *spec.Type, doc string) actions.Arg {
	a := declare.Arg(name, t, doc)
	a.Wire = true
	return a
}

// arguments are those of a single request.
func arguments() []actions.Arg {
	method := declare.Arg("method", declare.Matching(request.MethodPattern),
		"Method of the request. Without it GET, or POST where there is a body.")
	path := declare.Arg("path", declare.Text(), "Where, below `baseURL`; each value is one escaped segment.")
	path.Mode, path.Exposed = actions.Path, true
	address := declare.Arg("url", declare.Text(), "Where, instead of `path`: a value that begins it is a URL, relative to `baseURL` if it has no host.")
	address.Mode, address.Exposed = actions.Path, true
	ifMatch := declare.Arg("ifMatch", declare.Either(declare.Bool(), declare.Text()), "ETag that the object must still have: true is that of the last read. Without one the request is not sent.")
	ifMatch.NotNull = true
	ifNoneMatch := declare.Arg("ifNoneMatch", declare.Either(declare.Bool(), declare.Text()), "Send the request only if nothing is there yet (true), or nothing with that ETag: a create by PUT then overwrites nothing.")
	ifNoneMatch.NotNull = true
	idempotencyKey := declare.Arg("idempotencyKey", declare.Either(declare.Bool(), declare.Object(
		declare.Field("header", declare.NonEmpty(), "Header that carries it. Default: Idempotency-Key."), declare.Field("value", declare.Any(), "The key, where the engine's own will not do."),
	)), "Send a key by which the server tells a repeated request.")
	idempotencyKey.NotNull = true
	returns := declare.Arg("returns", declare.Any(), "Type of the body: a definition of the spec.")
	returns.Mode = actions.Typed
	items := declare.Arg("items", declare.Any(), "The list in an answer, from `body`, `status` and `headers`: what the pages have in common.")
	items.Mode = actions.Late
	graphql := sent("graphql", declare.Object(
		declare.Member("query", declare.Text(), "The document; it takes no templates."), declare.Field("variables", declare.Map(declare.Any()), "What it refers to."),
		declare.Field("operationName", declare.Text(), "Which of its operations."),
	), "GraphQL request as the body. An answer with `errors` is an error.")
	graphql.Inner = map[string]actions.Mode{"query": actions.Raw}
	query := sent("query", declare.Map(declare.Any()), "Parameters: a list is repeated, null left out.")
	query.Exposed = true
	query.Instead = "Servers and proxies log whole URLs. Send the secret in a header or the body; where the API takes its key as a parameter only, by `auth: apiKey: {query: \"…\", value: \"…\"}`."
	return []actions.Arg{
		method, path, address,
		query,
		sent("json", declare.Any(), "Body, as JSON."),
		sent("form", declare.Map(declare.Any()), "Body, as a form: a list is repeated, null left out."),
		declare.Arg("multipart", declare.List(part()), "Body of several parts, as forms with files have it."),
		declare.Arg("text", declare.Text(), "Body, as text."),
		sent("xml", declare.Map(declare.Any()), "Body, as XML: an object with one member, the root."),
		declare.Arg("bytes", declare.Either(declare.Text(), declare.Asset(), declare.Archive()), "Body: base64, an asset, or an archive, which is packed."),
		declare.Arg("archiveFormat", declare.OneOf(assets.Formats()...), "How an archive in `bytes` is packed. Default: zip."),
		graphql, returns, items, paginate(),
		ifMatch, ifNoneMatch, idempotencyKey,
		declare.Arg("idempotent", declare.Bool(), "Whether sending it twice does what sending it once does, where the method does not say so (a POST that sets, a PATCH to given values), or says so wrongly (a PUT that appends). If true, it is sent again when its response is lost, and a create is not *at least once*."),
		declare.Arg("effect", declare.OneOf("none", "write"), "Whether the request changes anything: for a POST that only searches, a GET that does not."),
	}
}

func part() *spec.Type {
	return declare.Object(
		declare.Member("name", declare.Text(), "Name of the part."), declare.Field("value", declare.Any(), "Its content, as text."),
		declare.Field("asset", declare.Either(declare.Asset(), declare.Archive()), "Its content, as a file; a large one is streamed, an archive is packed."),
		declare.Field("archiveFormat", declare.OneOf(assets.Formats()...), "How an archive is packed. Default: zip."),
		declare.Field("filename", declare.Text(), "Name of the file."), declare.Field("contentType", declare.Text(), "Its media type."),
	)
}

func paginate() actions.Arg {
	a := declare.Arg("paginate", declare.Object(
		declare.Field("link", declare.Bool(), "By the header Link, rel=next."),
		declare.Field("page", declare.Object(declare.Member("param", declare.NonEmpty(), "Parameter."), declare.Field("start", declare.Int(), "First page. Default: 1."),
			declare.Field("sizeParam", declare.NonEmpty(), "Parameter of the size."), declare.Field("size", declare.Positive(), "Size of a page.")), "By a number of the page."),
		declare.Field("offset", declare.Object(declare.Member("param", declare.NonEmpty(), "Parameter."),
			declare.Field("limitParam", declare.NonEmpty(), "Parameter of the limit."), declare.Field("limit", declare.Positive(), "Size of a page.")), "By the number of items before."),
		declare.Field("cursor", declare.Object(declare.Field("param", declare.NonEmpty(), "Parameter."), declare.Field("body", declare.NonEmpty(), "Member of the JSON body: `page.after`."),
			declare.Field("next", declare.Any(), "The next cursor, from `body`, `status` and `headers`; null ends.")), "By what an answer says."),
		declare.Field("maxPages", declare.Positive(), "Most pages: what is behind them is left out, and a find or read that has not found what it looks for then fails, and so does a delete. Default: 1000, and more are an error."),
		declare.Field("timeout", declare.Text(), "Longest time for all pages together. Default: 10m. The step's own `timeout` covers all attempts."),
	), "Fetch page after page, until one names no next one. `page` and `offset` end at an empty page, and at a page that repeats the items of the previous one. A link or cursor that comes again is an error. Needs `items`.")
	a.Inner = map[string]actions.Mode{"cursor.next": actions.Late}
	return a
}

// defaults are the arguments that a spec may give for all its requests.
func defaults() []actions.Arg {
	base := declare.Arg("baseURL", declare.NonEmpty(), "Where the API lives; paths start here, and the `auth` and secret headers beside it go nowhere else.")
	base.Exposed, base.Recalled = true, true
	message := declare.Arg("error", declare.Any(), "The server's message in an answer that is not expected, from `body`, `status` and `headers`.")
	message.Mode = actions.Late
	headers := declare.Arg("headers", declare.Map(declare.Any()), "Headers. Their names are written out; those of a request come over those for all, null leaves one out.")
	headers.Merged, headers.ExposedNames = true, []string{""}
	return []actions.Arg{
		base,
		headers,
		auth(),
		declare.Arg("tls", declare.Object(
			declare.Field("ca", declare.Text(), "Certificates to trust instead of the system's, as PEM."), declare.Field("cert", declare.Text(), "Certificate to show, as PEM."),
			declare.Field("key", declare.Text(), "Its key, as PEM."), declare.Field("serverName", declare.NonEmpty(), "Name that the server's certificate must have."),
			declare.Field("insecure", declare.Bool(), "Trust any server. Whoever is on the way can read and change everything."),
		), "How TLS is done; always 1.2 or later."),
		declare.Arg("proxy", declare.NonEmpty(), "Proxy to go through (http or https), which needs a grant of its own. The environment's is never used."),
		declare.Option("redirects", declare.OneOf("none", "same-origin"), "none", "Whether redirects are followed."),
		declare.Arg("expect", declare.List(declare.Between("100", "599")), "Statuses that are no error."),
		declare.Arg("response", declare.OneOf("json", "xml", "text", "bytes", "none"),
			"What the body is; `bytes` gives base64. Without it JSON where `returns` is given, else what the Content-Type says."),
		message,
		declare.Arg("rateLimit", declare.Object(declare.Member("requests", declare.Positive(), "How many."), declare.Member("per", declare.Text(), "In which time: 1s."),
			declare.Field("burst", declare.Positive(), "How many at once. Default: as many as `requests`.")), "Most requests to an origin, over the process."),
		declare.Arg("concurrency", declare.Positive(), "Most requests to an origin at the same time, over the process."),
		declare.MaxBytes("Most bytes of an answer once it is decompressed, of all pages together."),
		declare.MaxValues("Most values of an answer, at any depth, of all pages together: items, members, elements, attributes."),
		declare.Option("timeout", declare.Text(), "2m", "Longest time for one attempt, from sending to the end of the answer. The step's own `timeout` covers all."),
	}
}

func auth() actions.Arg {
	named := func(what string) *spec.Property { return declare.Field(what, declare.NonEmpty(), "Name of it.") }
	a := declare.Arg("auth", declare.Either(declare.OneOf("none", "default"), declare.Object(
		declare.Field("origins", declare.List(declare.NonEmpty()),
			"Origins (`https://api.example.com`) that the credentials may be sent to beside that of `baseURL`; in the block of defaults, secret headers too."),

		declare.Field("bearer", declare.Text(), "A token."),
		declare.Field("basic", declare.Object(declare.Member("username", declare.Text(), "User."), declare.Member("password", declare.Text(), "Password.")), "User and password."),
		declare.Field("apiKey", declare.Object(named("header"), named("query"), named("cookie"), declare.Member("value", declare.Text(), "The key.")), "A key, in a header, parameter or cookie."),
		declare.Field("oauth2", declare.Object(
			declare.Member("tokenURL", declare.NonEmpty(), "Where tokens are given."), declare.Member("clientID", declare.Text(), "Client."), declare.Member("clientSecret", declare.Text(), "Its secret."),
			declare.Field("scopes", declare.List(declare.Text()), "Scopes."), declare.Field("audience", declare.Text(), "Audience."), declare.Field("params", declare.Map(declare.Any()), "Further parameters."),
		), "Client credentials of OAuth 2; the token is renewed in time."),
		declare.Field("login", declare.Object(
			declare.Field("http", declare.Map(declare.Any()), "The request that logs in."),
			declare.Field("token", declare.Any(), "The token, from `body`, `status` and `headers`."),
			declare.Field("expires", declare.Any(), "When it ends: seconds from now, or a time."),
			declare.Field("as", declare.Object(declare.Field("header", declare.NonEmpty(), "Default: Authorization."), declare.Field("prefix", declare.Text(), "Default: `Bearer `.")), "How it is sent."),
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
	body := declare.Any()
	if argument == "items" || argument == "paginate.cursor.next" {
		body = bodyType(s)
	}
	answer := answerMembers(body)
	return append(answer, declare.Member("result", declare.Object(answer...), "The answer."))
}
