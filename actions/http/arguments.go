package http

import (
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/assets"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
	"github.com/declprov/declprov/spec"
)

// wireArg declares an argument whose members are sent under their wire names.
func wireArg(name string, t *spec.Type, doc string) actions.Arg {
	a := declare.Arg(name, t, doc)
	a.Wire, a.Locates = true, true
	return a
}

// arguments returns the arguments of a single request.
func arguments() []actions.Arg {
	method := declare.Arg("method", declare.Matching(request.MethodPattern),
		"Method of the request. Default: GET, or POST if there is a body.")
	path := declare.Arg("path", declare.Text(), "Path of the URL, relative to `baseURL`. The value of a template is escaped as one segment.")
	path.Mode, path.Exposed = actions.Path, true
	address := declare.Arg("url", declare.Text(), "URL, instead of `path`. It may begin with a template whose value is a URL; a URL without a host is relative to `baseURL`.")
	address.Mode, address.Exposed = actions.Path, true
	ifMatch := declare.Arg("ifMatch", declare.Either(declare.Bool(), declare.Text()), "ETag that the object must have; true means the ETag of the last read. Without an ETag, the request is not sent.")
	ifMatch.NotNull = true
	ifNoneMatch := declare.Arg("ifNoneMatch", declare.Either(declare.Bool(), declare.Text()), "The request only succeeds if the object does not exist (true), or does not have this ETag. Use true for a create by PUT, so that it overwrites nothing; false says that it may.")
	ifNoneMatch.NotNull = true
	idempotencyKey := declare.Arg("idempotencyKey", declare.Either(declare.Bool(), declare.Object(
		declare.Field("header", declare.NonEmpty(), "Header of the key. Default: Idempotency-Key."), declare.Field("value", declare.Any(), "The key. Default: a key that declprov makes."),
	)), "Send a key by which the server recognizes a repeated request.")
	idempotencyKey.NotNull = true
	items := declare.Arg("items", declare.Any(), "Expression for the list in a response or page, from `body`, `status` and `headers`. null means that it is not known whether there are items. If the server leaves out an empty list, write `${body.pets ?? []}`.")
	items.Mode, items.Decides = actions.Late, true
	graphql := wireArg("graphql", declare.Object(
		declare.Member("query", declare.Text(), "The document; templates are not evaluated in it."), declare.Field("variables", declare.Map(declare.Any()), "Its variables."),
		declare.Field("operationName", declare.Text(), "The operation to run, if the document has several."),
	), "GraphQL request as the body. The body of the response is its data; a response with `errors` is an error.")
	graphql.Inner = map[string]actions.Mode{"query": actions.Raw}
	stream := declare.Arg("stream", declare.OneOf("events", "lines"), "Read the response while it arrives: as server-sent events, or as lines of JSON. `refused`, `fail`, `gone`, `progress` and `until` are evaluated for each event; the last event is the result of the step.")
	stream.Mode, stream.Instead = actions.Raw, "Write \"events\" or \"lines\"."
	text := declare.Arg("text", declare.Text(), "Body as text.")
	text.Locates = true
	return []actions.Arg{
		method, path, address,
		wireArg("json", declare.Any(), "Body as JSON. A member whose expression gives null is left out. A `null` that the spec spells out is sent, and so are nulls inside a value such as `${changes}`."),
		wireArg("jsonPatch", declare.Object(
			declare.Field("old", declare.Map(declare.Any()), "The object as it is: `${state}`."), declare.Member("new", declare.Map(declare.Any()), "Its members that change: `${changes}`. Null removes one."),
			declare.Field("at", declare.Text(), "JSON Pointer to the object in the document: `/spec`. Default: the whole document."),
		), "Body as a JSON Patch (RFC 6902), by which the members of `old` become those of `new`: `add` for one that `old` lacks, `remove` for null, otherwise `replace`. Structs and maps are compared member by member, lists are replaced as a whole. Requires the method PATCH."),
		wireArg("jsonUpdate", updateType(), "Body as JSON: an object that was read before, with changes, for a server that removes what is not sent; or, with `send`, what differs from the object that was read. A value of `object` that is not an object is an error, and no request is sent."),
		wireArg("form", declare.Map(declare.Any()), "Body as a form. `lists` says how lists and maps are written, and `nulls` how null is."),
		declare.Arg("nulls", declare.OneOf("omit", request.EmptyNulls), "How `form` writes null, an empty list and an empty map: not at all (`omit`, the default), or as an empty value (`empty`: `a=`), by which APIs such as Stripe's remove a member. Within lists, they are left out."),
		declare.Arg("multipart", declare.List(partType()), "Body of several parts (`multipart/form-data`), such as a form with files."),
		text,
		wireArg("xml", declare.Map(declare.Any()), "Body as XML: an object with one member, the root element."),
		declare.Arg("bytes", declare.Either(declare.Text(), declare.Asset(), declare.Archive()), "Body of bytes: base64, an asset, or an archive, which is packed."),
		declare.Arg("archiveFormat", declare.OneOf(assets.Formats()...), "Format in which an archive in `bytes` is packed. Default: zip."),
		graphql, stream, items, paginateArg(),
		ifMatch, ifNoneMatch, idempotencyKey,
		declare.Arg("idempotent", declare.Bool(), "Whether sending the request twice has the same effect as sending it once. Default: by the method. Set it to true, for example, for a POST that sets a value or a PATCH to fixed values, and to false for a PUT that appends. If true, the request is sent again if its response is lost (but not in an update that changes an input that the id or `find` refers to), and `vet` does not warn that it may run twice (`at-least-once`)."),
		declare.Arg("effect", declare.OneOf("none", "write"), "Whether the request changes anything. Default: by the method. Set it, for example, for a POST that only searches."),
	}
}

// updateType returns the type of an object with changes.
func updateType() *spec.Type {
	return declare.Object(
		declare.Member("object", declare.Any(), "The object as it was read: `${steps.now.body}`. A step that reads it must not have `returns`, which leaves out other members."),
		declare.Member("changes", declare.Map(declare.Any()), "Its members that change: `${deepChanges(state, changes)}`. Null removes one, also within structs and maps; other values within them are left. Lists are replaced as a whole."),
		declare.Field("add", declare.Map(declare.Any()), "Further members, which replace those of the object. Null is sent."),
		declare.Field("omit", declare.List(declare.Text()), "JSON Pointers to members of the object that are not sent, because the server refuses them: `[\"/updated\"]`."),
		declare.Field("complete", declare.List(declare.Text()), "JSON Pointers to members of structs and maps, with `*` for any member, which are removed if `changes` has the struct or map without the member, and `old` does not have it: `[\"/labels/*\"]`."),
		declare.Field("old", declare.Map(declare.Any()), "The object as it was recorded: `${state}`. Default: nothing was."),
		declare.Field("send", declare.OneOf("object", "merge", "patch"), "What is sent: the whole object (the default); the JSON merge patch (RFC 7396) that makes it of the object that was read, for which the request needs the header that the API requires; or the JSON Patch (RFC 6902) that does."),
		declare.Field("unseen", declare.List(declare.Text()), "With `send`, JSON Pointers to members that the server never shows, such as passwords. If the changes remove one that `old` has, that is sent, too."),
		declare.Field("at", declare.Text(), "JSON Pointer to the place of the object in the body: `/data`. Default: the whole body."),
	)
}

func partType() *spec.Type {
	return declare.Object(
		declare.Member("name", declare.Text(), "Name of the part."), declare.Field("value", declare.Any(), "Content of the part, as text."),
		declare.Field("asset", declare.Either(declare.Asset(), declare.Archive()), "Content of the part, as a file. Files are streamed; archives are packed."),
		declare.Field("archiveFormat", declare.OneOf(assets.Formats()...), "Format in which an archive is packed. Default: zip."),
		declare.Field("filename", declare.Text(), "File name."), declare.Field("contentType", declare.Text(), "Media type."),
	)
}

// numbersIn is where the parameters of a page are.
func numbersIn() *spec.Property {
	return declare.Field("in", declare.OneOf("query", inBody), "`query` (the default), or `body`: the parameters are members of the body (`json` or `form`), and their names may be paths, such as `page.number`.")
}

func paginateArg() actions.Arg {
	a := declare.Arg("paginate", declare.Object(
		declare.Field("link", declare.Bool(), "Follow the header Link with rel=next."),
		declare.Field("next", declare.Any(), "Expression for the URL of the next page, from `body`, `status` and `headers`; null means that there are no more pages. It may be relative, and must have the origin of the first page."),
		declare.Field("page", declare.Object(declare.Member("param", declare.NonEmpty(), "Parameter of the page number."), declare.Field("start", declare.Int(), "Number of the first page. Default: 1."),
			declare.Field("sizeParam", declare.NonEmpty(), "Parameter of the page size."), declare.Field("size", declare.Positive(), "Page size."), numbersIn()), "Request pages by number."),
		declare.Field("offset", declare.Object(declare.Member("param", declare.NonEmpty(), "Parameter of the offset."),
			declare.Field("limitParam", declare.NonEmpty(), "Parameter of the page size."), declare.Field("limit", declare.Positive(), "Page size."), numbersIn()), "Request pages by the number of items before them."),
		declare.Field("cursor", declare.Object(declare.Field("param", declare.NonEmpty(), "Query parameter of the cursor."), declare.Field("body", declare.NonEmpty(), "Member of the body of the request (`json`, `form` or `graphql`) that sends the cursor, like `page.after`."),
			declare.Field("next", declare.Any(), "Expression for the next cursor, from `body`, `status` and `headers`; null means that there are no more pages.")), "Request pages by a cursor in the response."),
		declare.Field("maxPages", declare.Positive(), "Maximum number of pages. Further pages are ignored, but a find, read or delete that has not found the object by then fails. Default: more than 1000 pages are an error."),
		declare.Field("timeout", declare.Text(), "Maximum time for all pages together. Default: 10m. The step's own `timeout` covers all attempts."),
	), "Fetch page after page, until there is no next one. `page` and `offset` stop at an empty page, and at a page with the same items as the previous one. A link or cursor that repeats is an error. Requires `items`.")
	a.Inner = map[string]actions.Mode{"next": actions.Late, "cursor.next": actions.Late}
	return a
}

// defaults returns the arguments that a spec may set for all its requests.
func defaults() []actions.Arg {
	base := declare.Arg("baseURL", declare.NonEmpty(), "Base URL of the API, which paths are relative to. The `auth` and secret headers next to it are only sent to its origin.")
	base.Exposed, base.Recalled = true, true
	message := declare.Arg("error", declare.Any(), "Expression for the server's message in an error response, from `body`, `status` and `headers`.")
	message.Mode = actions.Late
	headers := declare.Arg("headers", declare.Map(declare.Any()), "Headers. Names must not contain templates. A header of a step replaces the one of that name in the defaults; null removes it.")
	headers.Merged, headers.Locates, headers.ExposedNames = true, true, []string{""}
	query := wireArg("query", declare.Map(declare.Any()), "Query parameters. `lists` says how lists and maps are written; null is omitted. A parameter of a step replaces the one of that name in the defaults.")
	query.Merged, query.Exposed = true, true
	query.Instead = "Servers and proxies log whole URLs. Send the secret in a header or the body; if the API only accepts its key as a parameter, use `auth: apiKey: {query: \"…\", value: \"…\"}`."
	returns := declare.Arg("returns", declare.Any(), "Type of the body of the response: a definition in the spec. null in a step removes that of the defaults.")
	returns.Mode = actions.Typed
	return []actions.Arg{
		base,
		query,
		headers,
		returns,
		authArg(),
		declare.Arg("lists", declare.OneOf(request.ListRules()...), "How `query` and `form` write lists and maps: `repeat` (`a=1&a=2`; a map is an error), `brackets` (`a[]=1`, `a[0][b]=2`, `a[b]=3`), `indices` (`a[0]=1`, else like `brackets`), `member.N` (`a.member.1=1`, `a.b=3`) or `N` (`a.1=1`, `a.b=3`). Default: repeat."),
		declare.Arg("tls", declare.TLSType(), "TLS settings. The minimum version is 1.2."),
		declare.Arg("proxy", declare.NonEmpty(), "URL of an http or https proxy, which `permissions: hosts` must list. The proxy of the environment is never used."),
		declare.Option("redirects", declare.OneOf("none", "same-origin"), "none", "Which redirects are followed: none, or those within the origin."),
		declare.Arg("expect", declare.List(declare.Either(declare.Between("100", "599"), declare.OneOf(verdict.Partial))), "Statuses that are not errors. For GraphQL, \"partial\" accepts data next to errors."),
		declare.Arg("response", declare.OneOf("json", "xml", "text", "bytes", "none"),
			"Format of the body of the response; `bytes` returns base64. Default: by the Content-Type; with `returns`, JSON unless the Content-Type is XML. Without `response`, an HTML page with a status of success is an error, because proxies and login portals send such pages."),
		message,
		declare.Arg("rateLimit", declare.Object(declare.Member("requests", declare.Positive(), "Number of requests."), declare.Member("per", declare.Text(), "Period, like 1s."),
			declare.Field("burst", declare.Positive(), "Maximum number of requests at once. Default: `requests`.")), "Rate limit for requests to an origin, for the whole process."),
		declare.Arg("concurrency", declare.Positive(), "Maximum number of concurrent requests to an origin, for the whole process."),
		declare.MaxBytes("Maximum size of a response after decompression, for all pages together."),
		declare.MaxValues("Maximum number of values in a response, at any depth, for all pages together: items, members, elements, attributes."),
		declare.Option("timeout", declare.Text(), "2m", "Maximum time for one attempt, from sending to the end of the response; with `stream`, until the next bytes arrive. The step's own `timeout` covers all attempts."),
	}
}

// lateScope returns the names that a late expression may refer to.
func lateScope(s actions.Static, argument string) []*spec.Property {
	if path := actions.PartPath(argument); strings.HasPrefix(argument, "auth.") {
		switch {
		case strings.HasPrefix(path, "sign."):
			return signScope()
		case strings.HasPrefix(path, "login.") && helperOf(s, argument) != nil:
			return helperScope(helperOf(s, argument))
		}
	}
	body := declare.Any()
	if argument == "items" || argument == "paginate.next" || argument == "paginate.cursor.next" {
		body = bodyType(s)
	}
	members := responseMembers(body)
	if s.Given("graphql") {
		members = append(members, errorsMember())
	}
	return append(members, declare.Member("result", declare.Object(members...), "The response."))
}
