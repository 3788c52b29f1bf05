// Package http is the family of actions on HTTP servers: one request, or the pages of a list,
// to origins that the spec's permissions allow.
//
// Requests use HTTP/1.1, one at a time on a connection. So it is known exactly how much of a
// request was sent before it failed.
package http

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/declare"
	"github.com/declprov/declprov/actions/http/graphql"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/session"
	"github.com/declprov/declprov/actions/http/verdict"
)

// Family returns the declaration of the http action. commands is the family that runs credential
// helpers (`auth: login: exec`), by its one kind.
func Family(commands *actions.Family) *actions.Family {
	open := func() actions.Runner {
		run := commands.Runner()
		return newRunner(time.Now, func(ctx context.Context, call *actions.Call) actions.Outcome {
			return run(ctx, commands.Kind(""), call)
		})
	}
	return &actions.Family{
		Name:    "http",
		Summary: "Requests to HTTP servers, at origins that the permissions grant.",
		Declare: func() ([]actions.Arg, []*actions.Kind) {
			shared := defaults()
			return shared, []*actions.Kind{kind(shared)}
		},
		Open:       open,
		Shorthands: true,
		Grants:     familyGrants,
		Schemes:    []string{"https", "http"},
		Check:      checkDefaults,
	}
}

// denials are the responses to a request with credentials that are wrong, or that lack a right.
var denials = []actions.Denial{
	{Response: map[string]any{"status": int64(http.StatusUnauthorized)}},
	{Response: map[string]any{"status": int64(http.StatusForbidden)}, Rights: true},
}

// runner has what all requests of an engine share.
type runner struct {
	shared *session.Shared
	// now is the clock that measures how long fetching pages takes.
	now func() time.Time
}

// newRunner returns the runner of one engine, with this clock. helper runs the commands that print
// credentials.
func newRunner(now func() time.Time, helper session.Helper) actions.Runner {
	return (&runner{shared: session.NewShared(now, helper), now: now}).run
}

// kind returns the only kind of the family. It has the arguments of the defaults, too.
func kind(shared []actions.Arg) *actions.Kind {
	return &actions.Kind{
		Summary:   "Sends a request, and returns the response.",
		Doc:       doc,
		Args:      append(arguments(), shared...),
		OneOf:     [][]string{{"path", "url"}},
		AtMostOne: [][]string{request.BodyArguments()},
		Analyze:   analyze,
		Ambiguous: ambiguous,
		LateScope: lateScope,
		Examples:  examples(),
	}
}

// analyze returns the facts about a request that are known before it is sent.
func analyze(s actions.Static) actions.Facts {
	at, makes := place(s)
	facts := actions.Facts{
		Result: resultType(s), Yields: "body", Effect: effect(s), Streams: s.Given("stream"),
		Target: actions.Target{Place: at, Makes: makes, Names: s.Literals["method"] == "POST"},
		Loss: actions.Loss{
			Certainty: certainty(s), KeyedBy: keyedBy(s),
			RepeatRemedy: "Send an idempotencyKey if the server supports one, or add `idempotent: true` if repeating the step does no harm.",
		},
		Grants: requestGrants(s), Faults: check(s), Sandbox: helperSandbox(s),
		Trusts: append(declare.Unverified(s), credentialOrigins(s)...),
	}
	if s.Literals["method"] == "PUT" && s.Literals["idempotent"] != true {
		facts.Address = []string{"path", "url", "query"}
	}
	if overwrites(s) {
		facts.OverwriteRemedy = "Add `ifNoneMatch: true` if the server supports it (`false` says that the request may replace an object)"
	}
	if s.Given("graphql") {
		facts.GoneRemedy = "A server of GraphQL says so in the data or in `errors`: add `gone: \"${body.NAME == null}\"`, or `gone: \"${any(errors, .extensions?.code == 'NOT_FOUND')}\"`, as the server does."
	}
	if s.Given("auth") || s.Secret["headers"] || s.Secret["query"] {
		facts.Denials = denials
	}
	literal, known := s.Literals["ifMatch"]
	facts.SendsETag = s.Given("ifMatch") && (!known || literal == true)
	if s.Literals["ifNoneMatch"] == true {
		facts.IfAbsent = "ifNoneMatch"
	}
	return facts
}

// certainty returns the certainty of a request whose response is lost. PUT and DELETE are
// idempotent by definition (RFC 9110, 9.2.2). With a condition they may fail when repeated,
// because the first attempt succeeded (13.1); for If-None-Match that holds even if the spec
// sets `idempotent`. Other idempotent methods (MKCOL, COPY, LINK) return an error when
// repeated.
func certainty(s actions.Static) actions.Certainty {
	idempotent := s.Literals["idempotent"]
	switch {
	case effect(s) != actions.Write:
		return actions.Settled
	case hasKey(s):
		return actions.Keyed
	case s.Nodes["idempotent"] != nil && idempotent != true:
		return actions.Uncertain
	case idempotent == true && hasCondition(s, "ifNoneMatch"):
		return actions.Conditional
	case idempotent == true:
		return actions.Safe
	}
	switch s.Literals["method"] {
	case "PUT", "DELETE":
		if hasCondition(s, "ifMatch") || hasCondition(s, "ifNoneMatch") {
			return actions.Conditional
		}
		return actions.Safe
	default:
		return actions.Uncertain
	}
}

// hasCondition reports whether the request has that condition.
func hasCondition(s actions.Static, argument string) bool {
	return s.Given(argument) && s.Literals[argument] != false
}

// overwrites reports whether the request replaces an existing object, whoever made it, and the
// author does not say by `ifNoneMatch: false` that it may.
func overwrites(s actions.Static) bool {
	return effect(s) == actions.Write && s.Literals["method"] == "PUT" && !hasCondition(s, "ifMatch") && !s.Given("ifNoneMatch")
}

// place returns the URL of a request, as written. makes is false for PATCH, which changes an
// existing object (RFC 5789), and for DELETE.
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

// ambiguous reports whether a failure of the class may leave the effect of a request unknown.
func ambiguous(class string) bool {
	status, err := strconv.Atoi(class)
	return err != nil || verdict.StatusOf(status) == actions.Unknown
}

const doc = `The request is sent to ` + "`url`" + `, or to ` + "`path`" + `, which is relative to ` + "`baseURL`" + `. In both, the value of a template is escaped: it is one segment of the path
or, after a literal ` + "`?`" + `, a part of the query; ` + "`segments(x)`" + ` keeps slashes. A segment that is empty, ` + "`.`" + ` or ` + "`..`" + ` is an error. If a ` + "`url`" + ` begins with a
template, the value is a URL, absolute or relative to ` + "`baseURL`" + `; a segment ` + "`.`" + ` or ` + "`..`" + ` in it is an error, too. In a result, the header ` + "`location`" + ` is absolute.

Credentials (` + "`auth`" + `) and secret headers belong to the block that declares them. Those of the block of defaults are sent to the origin of its ` + "`baseURL`" + `,
or, without one, to its ` + "`auth: origins`" + `. A step whose ` + "`baseURL`" + ` or ` + "`url`" + ` has another origin sends none of them, unless it has ` + "`auth: \"default\"`" + `, and ` + "`origins`" + `
lists that origin. Those of a step are sent to its ` + "`baseURL`" + `, to the host that its ` + "`url`" + ` spells out, or to its ` + "`origins`" + `. Redirects and links to another
origin are not followed.

By default any 2xx response is a success. If ` + "`expect`" + ` contains a 2xx or 3xx status, it replaces that default; if it contains only 4xx or 5xx statuses, they are accepted in addition to 2xx.
Otherwise 404 and 410 are *not found*, and any other status is an error, with the message that ` + "`error`" + ` extracts, or else the beginning of the body.

- A 404 or 410 whose body is an HTML page is an error, even if ` + "`expect`" + ` contains it, because a proxy may have sent the page. If the API itself sends
  such pages, add ` + "`gone: \"${status == 404}\"`" + `, or ` + "`response: \"text\"`" + ` if it sends nothing else.
- After a 207 (a status for each part), the effect of a change is unknown, unless ` + "`expect`" + ` contains 207; then judge the parts by ` + "`fail`" + ` or ` + "`refused`" + `.

Unless the step says otherwise, a request is retried if nothing of it was sent, or if the response is 429. After 408, 499, most 5xx
or a broken connection, it is unknown whether the request was processed. Of these, it is retried after 408, 502, 504, 503 with Retry-After and
a broken connection, if that is safe:

- GET, HEAD, OPTIONS, and requests with ` + "`effect: \"none\"`" + `;
- PUT and DELETE without ` + "`ifMatch`" + ` or ` + "`ifNoneMatch`" + `;
- requests with ` + "`idempotent: true`" + ` without ` + "`ifNoneMatch`" + `, or with an ` + "`idempotencyKey`" + `.

` + "`idempotent: false`" + ` says that it is not safe, for any method.

` + "`refused`" + ` and ` + "`fail`" + ` of a step may also be set in the block of defaults: ` + "`http: refused: \"${body.error}\"`" + ` is for APIs that report errors with status 200.

XML corresponds to objects as follows: ` + "`{pet: {\"@id\": 7, name: \"Rex\", tag: [\"a\", \"b\"]}}`" + ` is
` + "`<pet id=\"7\"><name>Rex</name><tag>a</tag><tag>b</tag></pet>`" + `. ` + "`\"#text\"`" + ` is the text of an element that also has attributes. ` + "`\"#children\"`" + ` is a list of
objects with one member each, for elements whose order matters. Null is omitted, and ` + "`\"\"`" + ` writes an empty element.

XML does not distinguish a value from a list of one, or a string from a number; the type in ` + "`returns`" + ` decides. Two elements with the same
local name in different namespaces are distinct: ` + "`{DAV:}href`" + ` is ` + "`href`" + ` in the namespace ` + "`DAV:`" + `, whatever prefix the server uses. In a
response, the local name is enough if only one element has it. In a request, an element without a namespace is in that of
its parent. A prefix (` + "`D:href`" + `) must be declared by ` + "`@xmlns:D`" + ` at the element or around it.`

// effect returns None if the request changes nothing, by its method or body, unless the
// argument `effect` says otherwise.
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
	if m, ok := s.Literals["graphql"].(map[string]any); ok {
		return graphql.EffectOf(m)
	}
	if node := s.Nodes["graphql"]; node != nil {
		name, _ := literalText(node.Get("operationName"))
		return graphql.EffectOf(map[string]any{"query": node.Get("query").Plain(), "operationName": name})
	}
	for _, name := range request.BodyArguments() {
		if s.Given(name) {
			return actions.Write
		}
	}
	return actions.None
}

// hasKey reports whether the request has an idempotency key.
func hasKey(s actions.Static) bool {
	return s.Given("idempotencyKey") && s.Literals["idempotencyKey"] != false
}

// keyedBy returns the header of the idempotency key, and its value as the spec has it, "" if that is made by
// declprov.
func keyedBy(s actions.Static) string {
	if !hasKey(s) {
		return ""
	}
	header, value := request.KeyHeader, ""
	if own := s.Nodes["idempotencyKey"].Get("header"); own != nil {
		header = own.Text
	}
	if own := s.Nodes["idempotencyKey"].Get("value"); own != nil {
		value = " " + own.Text
	}
	return strings.ToLower(header) + value
}
