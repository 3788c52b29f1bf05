// Package http is the family of actions on HTTP servers: one request, or the
// pages of one, to origins that a spec is permitted to reach.
//
// Requests are HTTP/1.1, one at a time on a connection, so that what of a
// request was sent before it failed is known exactly.
package http

import (
	"strconv"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/session"
	"github.com/declprov/declprov/actions/http/verdict"
)

// Family is the declaration of the http action.
func Family() *actions.Family {
	return &actions.Family{
		Name:       "http",
		Summary:    "Requests to HTTP servers, within the origins that the permissions grant.",
		Defaults:   defaults(),
		Kinds:      []*actions.Kind{kind()},
		Open:       func() actions.Runner { return open(time.Now) },
		Shorthands: true,
		Grants:     familyGrants,
		Check:      checkDefaults,
	}
}

// runner is what all requests of an engine share.
type runner struct {
	shared *session.Shared
	// now tells how long a listing takes.
	now func() time.Time
}

// open returns what runs requests for one engine, by that clock.
func open(now func() time.Time) actions.Runner {
	return (&runner{shared: session.Share(), now: now}).run
}

func kind() *actions.Kind {
	return &actions.Kind{
		Summary:   "Sends a request, and yields the answer.",
		Doc:       doc,
		Args:      append(arguments(), defaults()...),
		OneOf:     [][]string{{"path", "url"}},
		AtMostOne: [][]string{request.Bodies()},
		Analyze:   analyze,
		Ambiguous: ambiguous,
		LateScope: sees,
		Examples:  examples(),
	}
}

// analyze returns what is known of a request before it is sent.
func analyze(s actions.Static) actions.Facts {
	at, makes := place(s)
	return actions.Facts{
		Result: resultType(s), Yields: "body", Effect: effect(s), Certainty: certainty(s), Overwrites: overwrites(s),
		Place: at, Makes: makes, Grants: needs(s), Faults: check(s),
	}
}

// certainty is what is known of a request whose response does not come. PUT and
// DELETE may be repeated by their definition (RFC 9110, 9.2.2), unless a
// condition makes the second one fail because the first worked (13.1). If-None-Match
// does so whatever else is said of the request. Other idempotent methods (MKCOL, COPY,
// LINK) answer the second time with an error.
func certainty(s actions.Static) actions.Certainty {
	idempotent := s.Literals["idempotent"]
	switch {
	case effect(s) != actions.Write:
		return actions.Settled
	case keyed(s):
		return actions.Keyed
	case s.Nodes["idempotent"] != nil && idempotent != true:
		return actions.Uncertain
	case idempotent == true && conditional(s, "ifNoneMatch"):
		return actions.Conditional
	case idempotent == true:
		return actions.Safe
	}
	switch s.Literals["method"] {
	case "PUT", "DELETE":
		if conditional(s, "ifMatch") || conditional(s, "ifNoneMatch") {
			return actions.Conditional
		}
		return actions.Safe
	default:
		return actions.Uncertain
	}
}

// conditional reports whether the request carries that condition.
func conditional(s actions.Static, argument string) bool {
	return s.Given(argument) && s.Literals[argument] != false
}

// overwrites reports whether the request replaces what is there, whoever made it.
func overwrites(s actions.Static) bool {
	return effect(s) == actions.Write && s.Literals["method"] == "PUT" && !conditional(s, "ifMatch") && !conditional(s, "ifNoneMatch")
}

// place is the URL of a request, as written. PATCH changes what is there (RFC 5789), and
// DELETE removes it.
func place(s actions.Static) (text string, makes bool) {
	switch {
	case s.Given("url"):
		text = s.Nodes["url"].Text
	case s.Given("path"):
		if base := s.Nodes["baseURL"]; base != nil {
			text = strings.TrimSuffix(base.Text, "/")
		}
		text += "/" + strings.TrimPrefix(s.Nodes["path"].Text, "/")
	}
	text, _, _ = strings.Cut(text, "?")
	method := s.Literals["method"]
	return text, method != "PATCH" && method != "DELETE"
}

// ambiguous reports whether a failure of that class may leave it unknown what a
// request did.
func ambiguous(class string) bool {
	status, err := strconv.Atoi(class)
	return err != nil || verdict.StatusOf(status) == actions.Unknown
}

const doc = `The request goes to ` + "`path`" + ` below ` + "`baseURL`" + `, or to ` + "`url`" + `. In both, each value is escaped as one segment of the path
(or, after a literal ` + "`?`" + `, of the query); ` + "`segments(x)`" + ` keeps slashes. A segment that is empty, ` + "`.` or `..`" + ` is refused. A value that
begins a ` + "`url`" + ` is a URL by itself; a relative one starts at ` + "`baseURL`" + `. The header ` + "`location`" + ` in a result is absolute.

` + "`auth`" + ` and secret headers belong to the block that declares them. Those of the defaults go to the origin of the defaults' ` + "`baseURL`" + `, or without one to
` + "`auth: origins`" + `, wherever a step's own ` + "`baseURL`, `url`" + `, a redirect or a link leads. ` + "`auth: \"default\"`" + ` in a step sends them to one of ` + "`auth: origins`" + `. A step's own go to
its ` + "`baseURL`" + `, or to the host that its ` + "`url`" + ` spells out.

An answer is expected to be 2xx. ` + "`expect`" + ` names others: with a 2xx or 3xx among them these are all, else they are ordinary beside 2xx.
404 and 410 are *not found*; any other is an error, with the server's own message by ` + "`error`" + `, or else the beginning of what it said.

Unless the step says otherwise, a request is repeated if nothing of it was sent and if the response is 429. On 408, 502, 504, 503 with
Retry-After, and a connection that breaks, nobody knows whether the request was processed, so it is repeated only if that is safe: GET, HEAD,
OPTIONS, PUT and DELETE without ` + "`ifMatch` or `ifNoneMatch`" + `, what says ` + "`effect: \"none\"`, or `idempotent: true` without `ifNoneMatch`" + `, and what has an ` + "`idempotencyKey`" + `.
` + "`idempotent: false`" + ` says that it is not safe, whatever the method.

` + "`refused` and `fail`" + ` of a step may also stand in the block of defaults: ` + "`http: refused: \"${body.error}\"`" + ` is for APIs that report errors under status 200.

XML and objects correspond so: ` + "`{pet: {\"@id\": 7, name: \"Rex\", tag: [\"a\", \"b\"]}}`" + ` is
` + "`<pet id=\"7\"><name>Rex</name><tag>a</tag><tag>b</tag></pet>`" + `. ` + "`\"#text\"`" + ` is the text of an element that has attributes too, ` + "`\"#children\"`" + ` a list of
objects with one member each, where the order matters.

XML alone cannot say whether one element is a value or a list of one, or whether a text is a number: ` + "`returns`" + ` says it. Two elements of one
local name and of two namespaces stay two: ` + "`{DAV:}href`" + ` is ` + "`href`" + ` of the namespace ` + "`DAV:`" + `, whatever prefix the server has for it. In what is
received such a name is needed only where the local name alone would mean both; in what is sent, an element without one is in the namespace of
the element around it.`

// effect is none for what only looks, unless the argument says otherwise.
func effect(s actions.Static) actions.Effect {
	switch s.Literals["effect"] {
	case "none":
		return actions.None
	case "write":
		return actions.Write
	}
	if s.Nodes["effect"] != nil {
		return actions.Write
	}
	if s.Nodes["method"] != nil {
		method, _ := s.Literals["method"].(string)
		return request.EffectOf(method)
	}
	if g, ok := s.Literals["graphql"].(map[string]any); ok {
		return request.GraphQLEffect(g)
	}
	if node := s.Nodes["graphql"]; node != nil {
		return request.GraphQLEffect(map[string]any{"query": node.Get("query").Plain()})
	}
	for _, name := range request.Bodies() {
		if s.Given(name) {
			return actions.Write
		}
	}
	return actions.None
}

// keyed reports whether the request is sent under a key.
func keyed(s actions.Static) bool {
	return s.Given("idempotencyKey") && s.Literals["idempotencyKey"] != false
}
