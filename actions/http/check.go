package http

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/template"
)

// check returns the mistakes in a call that the types of its arguments do not show.
func check(s actions.Static) []actions.Fault {
	var out []actions.Fault
	fail := func(argument, path, summary, remedy string) {
		out = append(out, actions.Fault{Argument: argument, Path: path, Summary: summary, Remedy: remedy})
	}
	if s.Given("path") && !s.Given("baseURL") {
		fail("path", "", "path requires a baseURL", "Add one here or for all requests (`http: baseURL: \"…\"`), or use url instead.")
	}
	checkMethod(s, &out)
	checkPath(s, fail)
	checkPlaceholders(s, &out)
	checkScheme(s, &out)
	checkBearer(s, &out)
	checkHeaders(s, fail)
	checkAuth(s, fail)
	checkOwner(s, fail)
	checkPages(s, fail)
	checkGraphQL(s, fail)
	checkStream(s, fail)
	checkDurations(s, &out)
	checkMembers(s, &out)
	checkParameters(s, fail)
	if v, ok := s.Literals["tls"].(map[string]any); ok && v["insecure"] == true {
		out = append(out, actions.Fault{
			Argument: "tls", Path: "insecure", Summary: "insecure disables the verification of the server", Warning: true,
			Remedy: "Anyone on the network path can read and change everything. Use `ca` to trust a private CA instead.",
		})
	}
	if pages := s.Nodes["paginate"]; pages != nil && s.Given("items") && (pages.Get("page") != nil || pages.Get("offset") != nil) && filterCalls().MatchString(s.Nodes["items"].Text) {
		out = append(out, actions.Fault{
			Argument: "items", Summary: "items filters pages that are requested by number", Warning: true,
			Remedy: "A page without items counts as the last one, so the items on later pages would be lost. Return all items of a page here (`items: \"${body.items}\"`), and filter them in `return`.",
		})
	}
	if method := s.Literals["method"]; s.Given("jsonPatch") && method != "PATCH" && (method != nil || s.Nodes["method"] == nil) {
		fail("jsonPatch", "", "jsonPatch requires the method PATCH", "A JSON Patch changes an object that exists. Write `method: \"PATCH\"`.")
	}
	if method := s.Literals["method"]; s.Given("jsonUpdate") && method == "PATCH" && s.Nodes["jsonUpdate"].Get("send") == nil {
		fail("jsonUpdate", "", "jsonUpdate sends a whole object, which PATCH does not replace", "Write `method: \"PUT\"`. A PATCH has the changes only: `json: \"${changes}\"`.")
	}
	if s.Given("returns") && s.Literals["response"] != nil && s.Literals["response"] != "json" && s.Literals["response"] != "xml" {
		fail("returns", "", fmt.Sprintf("returns requires response \"json\" or \"xml\", got %q", s.Literals["response"]), "Remove `response`, or set it to json or xml.")
	}
	return out
}

// memberName matches the name of a member of a response, or a path of names.
var memberName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)*$`) })

// checkMembers reports names of members of a response where an expression gives the value. In rest, items
// is a name.
func checkMembers(s actions.Static, out *[]actions.Fault) {
	pages, login := s.Nodes["paginate"], s.Nodes["auth"].Get("login")
	for _, m := range []struct {
		node        *spec.Node
		blame, part string
	}{
		{s.Nodes["items"], "items", ""},
		{pages.Get("next"), "paginate", "next"},
		{pages.Get("cursor").Get("next"), "paginate", "cursor.next"},
		{login.Get("token"), "auth", "login.token"},
		{login.Get("expires"), "auth", "login.expires"},
		{s.Nodes["error"], "error", ""},
	} {
		name, literal := literalText(m.node)
		if !literal || !memberName().MatchString(name) {
			continue
		}
		meant := "${body." + strings.TrimPrefix(name, "body.") + "}"
		*out = append(*out, actions.Fault{
			Argument: m.blame, Path: m.part, Summary: fmt.Sprintf("%q is a text, not a member of the response", name),
			Remedy: fmt.Sprintf("Write %q.", meant), Old: name, New: meant,
			Warning: m.blame == "error", // which may be a text, although it says less than the response
		})
	}
}

// checkDurations checks the literal durations.
func checkDurations(s actions.Static, out *[]actions.Fault) {
	for _, d := range []struct {
		node        *spec.Node
		name        string
		blame, part string
	}{
		{s.Nodes["timeout"], "timeout", "timeout", ""},
		{s.Nodes["rateLimit"].Get("per"), "rateLimit.per", "rateLimit", ""},
		{s.Nodes["paginate"].Get("timeout"), "paginate.timeout", "paginate", "timeout"},
	} {
		text, literal := literalText(d.node)
		if !literal {
			continue
		}
		if _, err := actions.ParseDuration(text); err != nil {
			fault := actions.Fault{Argument: d.blame, Path: d.part, Summary: d.name + ": " + err.Error(), Remedy: "Write a duration like 10s or 1m30s."}
			if own, ok := foreign.Duration(text); ok {
				fault.Old, fault.New = text, own
			}
			*out = append(*out, fault)
		}
	}
}

// methods are the methods registered with IANA that APIs use, and QUERY, which is a draft of
// the IETF's HTTP working group.
var methods = []string{
	"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "REPORT", "SEARCH",
	"COPY", "MOVE", "LINK", "UNLINK", "LOCK", "UNLOCK", "PROPFIND", "PROPPATCH", "BIND", "UNBIND", "REBIND",
	"MKCOL", "MKCALENDAR", "MKACTIVITY", "MKREDIRECTREF", "MKWORKSPACE", "ACL", "PURGE", "BAN",
	"BASELINE-CONTROL", "CHECKIN", "CHECKOUT", "LABEL", "MERGE", "ORDERPATCH", "UNCHECKOUT", "UPDATE",
	"UPDATEREDIRECTREF", "VERSION-CONTROL",
}

// checkMethod warns about an unknown method.
func checkMethod(s actions.Static, out *[]actions.Fault) {
	method, literal := s.Literals["method"].(string)
	if !literal || slices.Contains(methods, method) {
		return
	}
	fault := actions.Fault{
		Argument: "method", Summary: fmt.Sprintf("unknown HTTP method %q", method), Warning: true,
		Remedy: strings.TrimSpace("It is sent unchanged. " + diag.Remedy(method, methods[:6])),
	}
	if meant := diag.DidYouMean(method, methods[:6]); meant != "" {
		fault.Old, fault.New = method, meant
	}
	*out = append(*out, fault)
}

type reporter func(argument, path, summary, remedy string)

func literalText(n *spec.Node) (string, bool) {
	if n == nil || n.Kind != spec.StringNode || template.IsTemplate(n.Text) {
		return "", false
	}
	return n.Text, true
}

// fillTemplate replaces each value in a template by a harmless text.
func fillTemplate(text string) string {
	var b strings.Builder
	for _, part := range templateParts(&spec.Node{Kind: spec.StringNode, Text: text}) {
		b.WriteString(part.Text)
	}
	return b.String()
}

// checkPath checks the path with a harmless text for each value.
func checkPath(s actions.Static, fail reporter) {
	for _, name := range []string{"path", "url"} {
		n := s.Nodes[name]
		if n == nil || n.Kind != spec.StringNode || strings.HasPrefix(n.Text, "${") {
			continue
		}
		text := fillTemplate(marked().ReplaceAllString(n.Text, "x")) // which checkPlaceholders reports
		if name == "url" {
			if i := strings.Index(text, "://"); i >= 0 {
				text = strings.TrimLeft(text[i+3:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]")
			}
		}
		if err := request.CheckPath(text); err != nil {
			fail(name, "", err.Error(), "Each value is escaped as one segment. Use `segments(x)` to keep slashes.")
		}
	}
}

// checkHeaders checks that header names are literal and valid.
func checkHeaders(s actions.Static, fail reporter) {
	n := s.Nodes["headers"]
	if n == nil {
		return
	}
	if n.Kind != spec.MapNode && n.Kind != spec.StringNode {
		return // which was reported
	}
	if n.Kind != spec.MapNode {
		fail("headers", "", "header names must be literal", "Write the names out: `headers: {\"X-Name\": \"${…}\"}`. Only values may be templates.")
		return
	}
	for _, f := range n.Fields {
		switch {
		case !request.IsToken(f.Name):
			fail("headers", f.Name, fmt.Sprintf("%q is not a valid header name", f.Name), "Use letters, digits and hyphens.")
		case request.IsReserved(f.Name):
			fail("headers", f.Name, fmt.Sprintf("header %q is set automatically and cannot be overridden", f.Name), "Remove it.")
		}
	}
}

// checkStream checks that a stream has none of the arguments about whole bodies.
func checkStream(s actions.Static, fail reporter) {
	if !s.Given("stream") {
		return
	}
	for _, other := range []string{"paginate", "items", "graphql"} {
		if s.Given(other) {
			fail("stream", "", "stream and "+other+" cannot be combined", "Remove one of them.")
		}
	}
	if form := s.Literals["response"]; form != nil && form != "json" && form != "text" {
		fail("response", "", fmt.Sprintf("stream requires response \"json\" or \"text\", got %q", form), "Remove `response`: an event is JSON if it can be decoded, else text.")
	}
}

// filterCalls matches calls of functions that drop items of a page.
var filterCalls = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(filter|take)\s*\(`) })

// checkPages checks that paginate has exactly one kind of pagination, and that it is
// complete.
func checkPages(s actions.Static, fail reporter) {
	n := s.Nodes["paginate"]
	if n == nil || n.Kind != spec.MapNode {
		return
	}
	var found []string
	for _, kind := range []string{"link", "next", "page", "offset", "cursor"} {
		if n.Get(kind) != nil {
			found = append(found, kind)
		}
	}
	cursor := n.Get("cursor")
	switch {
	case len(found) != 1:
		fail("paginate", "", fmt.Sprintf("expected exactly one of link, next, page, offset, cursor, got %d", len(found)), "Set exactly one.")
	case !s.Given("items"):
		fail("paginate", "", "paginate requires items", "Set it to an expression that finds the list in a response: `items: \"${body.items}\"`.")
	case cursor != nil && cursor.Get("next") == nil:
		fail("paginate", "cursor", "cursor requires next", "Set it to an expression that finds the next cursor in a response: `next: \"${body.next}\"`.")
	case cursor != nil && (cursor.Get("param") == nil) == (cursor.Get("body") == nil):
		fail("paginate", "cursor", "expected exactly one of param and body", "Set one of them to the parameter or body member that sends the cursor.")
	}
}
