package http

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// check finds what is wrong with a call beyond the types of its arguments.
func check(s actions.Static) []actions.Fault {
	var out []actions.Fault
	fail := func(argument, path, summary, remedy string) {
		out = append(out, actions.Fault{Argument: argument, Path: path, Summary: summary, Remedy: remedy})
	}
	if s.Given("path") && !s.Given("baseURL") {
		fail("path", "", "a path without a baseURL to start at", "Give one for all requests: `http: baseURL: \"…\"`, or here; or give url instead.")
	}
	checkMethod(s, &out)
	checkPath(s, fail)
	checkHeaders(s, fail)
	checkAuth(s.Nodes["auth"], fail)
	checkOwner(s, fail)
	checkPages(s, fail)
	checkDurations(s, fail)
	if v, ok := s.Literals["tls"].(map[string]any); ok && v["insecure"] == true {
		out = append(out, actions.Fault{
			Argument: "tls", Path: "insecure", Summary: "TLS without a look at who answers", Warning: true,
			Remedy: "Whoever is on the way can read and change everything. Give `ca` instead.",
		})
	}
	if pages := s.Nodes["paginate"]; pages != nil && s.Given("items") && (pages.Get("page") != nil || pages.Get("offset") != nil) && leavesOut.MatchString(s.Nodes["items"].Text) {
		out = append(out, actions.Fault{
			Argument: "items", Summary: "items leaves out some of a page whose next is asked for by number", Warning: true,
			Remedy: "A page without items is taken for the last, so what stands behind it would be lost. Give all of a page here (`items: \"${body.items}\"`), and filter them in `return`.",
		})
	}
	if s.Given("returns") && s.Literals["response"] != nil && s.Literals["response"] != "json" && s.Literals["response"] != "xml" {
		fail("returns", "", fmt.Sprintf("returns beside response: %q", s.Literals["response"]), "Only JSON and XML have the shape of a type.")
	}
	return out
}

// checkDurations reads the durations that are written out.
func checkDurations(s actions.Static, fail failer) {
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
			fail(d.blame, d.part, d.name+": "+err.Error(), "Write a duration like 10s or 1m30s.")
		}
	}
}

// methods are those that IANA registers, as far as APIs use them; QUERY is a
// draft of the IETF's HTTP working group.
var methods = []string{
	"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY", "REPORT", "SEARCH",
	"COPY", "MOVE", "LINK", "UNLINK", "LOCK", "UNLOCK", "PROPFIND", "PROPPATCH", "BIND", "UNBIND", "REBIND",
	"MKCOL", "MKCALENDAR", "MKACTIVITY", "MKREDIRECTREF", "MKWORKSPACE", "ACL", "PURGE", "BAN",
	"BASELINE-CONTROL", "CHECKIN", "CHECKOUT", "LABEL", "MERGE", "ORDERPATCH", "UNCHECKOUT", "UPDATE",
	"UPDATEREDIRECTREF", "VERSION-CONTROL",
}

// checkMethod warns of a method that nobody knows, and of bodies whose presence
// would decide about it.
func checkMethod(s actions.Static, out *[]actions.Fault) {
	method, literal := s.Literals["method"].(string)
	if !literal || slices.Contains(methods, method) {
		return
	}
	*out = append(*out, actions.Fault{
		Argument: "method", Summary: fmt.Sprintf("%q is not a method of HTTP's", method), Warning: true,
		Remedy: strings.TrimSpace("It is sent as it stands. " + diag.Remedy(method, methods[:6])),
	})
}

type failer func(argument, path, summary, remedy string)

func literalText(n *spec.Node) (string, bool) {
	if n == nil || n.Kind != spec.StringNode || strings.Contains(n.Text, "${") {
		return "", false
	}
	return n.Text, true
}

// settled is a template with a harmless text for each of its values. It only
// has to find where they end; what is wrong in them the compiler says.
func settled(template string) string {
	var b strings.Builder
	for i := 0; i < len(template); i++ {
		rest := template[i:]
		switch {
		case strings.HasPrefix(rest, "$${"):
			b.WriteString("${")
			i += 2
		case strings.HasPrefix(rest, "${"):
			b.WriteByte('x')
			i += expressionEnd(rest)
		default:
			b.WriteByte(template[i])
		}
	}
	return b.String()
}

// expressionEnd is the index of the brace that ends the expression at the
// beginning of a text: not one in quotes, nor one of an inner pair.
func expressionEnd(s string) int {
	depth, quote := 0, byte(0)
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s) - 1
}

// checkPath builds the path with a harmless text for each value.
func checkPath(s actions.Static, fail failer) {
	for _, name := range []string{"path", "url"} {
		n := s.Nodes[name]
		if n == nil || n.Kind != spec.StringNode || strings.HasPrefix(n.Text, "${") {
			continue
		}
		text := settled(n.Text)
		if name == "url" {
			if i := strings.Index(text, "://"); i >= 0 {
				text = strings.TrimLeft(text[i+3:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_:[]")
			}
		}
		if err := request.CheckPath(text); err != nil {
			fail(name, "", err.Error(), "Each value is escaped as one segment; `segments(x)` keeps slashes.")
		}
	}
}

// checkHeaders sees that names are the author's, and may be given.
func checkHeaders(s actions.Static, fail failer) {
	n := s.Nodes["headers"]
	if n == nil {
		return
	}
	if n.Kind != spec.MapNode {
		fail("headers", "", "headers whose names come from a value", "Write the names out: `headers: {\"X-Name\": \"${…}\"}`. Only their values take templates.")
		return
	}
	for _, f := range n.Fields {
		switch {
		case !request.IsToken(f.Name):
			fail("headers", f.Name, fmt.Sprintf("%q is not a valid name of a header", f.Name), "Names have letters, digits and hyphens.")
		case request.IsReserved(f.Name):
			fail("headers", f.Name, fmt.Sprintf("header %q cannot be given", f.Name), "What sends the request sets it.")
		}
	}
}

// checkAuth sees that the block says one way, and all of it.
func checkAuth(n *spec.Node, fail failer) {
	if n == nil || n.Kind != spec.MapNode {
		return
	}
	exactly := func(n *spec.Node, path string, names ...string) {
		var found []string
		for _, name := range names {
			if n.Get(name) != nil {
				found = append(found, name)
			}
		}
		if len(found) != 1 {
			fail("auth", path, fmt.Sprintf("auth has %d of %s", len(found), strings.Join(names, ", ")), "Give exactly one.")
		}
	}
	if n.Get("origins") == nil || len(n.Fields) > 1 {
		exactly(n, "", "bearer", "basic", "apiKey", "oauth2", "login")
	}
	if key := n.Get("apiKey"); key != nil && key.Kind == spec.MapNode {
		exactly(key, "apiKey", "header", "query", "cookie")
	}
	login := n.Get("login")
	if login == nil || login.Kind != spec.MapNode {
		return
	}
	request := login.Get("http")
	switch {
	case request == nil || request.Kind != spec.MapNode:
		fail("auth", "login.http", "a login without a request", "Write `http: {path: \"/login\", json: {…}}`.")
	case login.Get("token") == nil:
		fail("auth", "login.token", "a login without a token", "Say where in the answer it is: `token: \"${body.token}\"`.")
	default:
		exactly(request, "login.http", "path", "url")
		checkLoginArguments(request, fail)
	}
}

// checkLoginArguments sees that a login's request has arguments that it takes.
func checkLoginArguments(n *spec.Node, fail failer) {
	allowed := append([]string{"method", "path", "url", "query", "headers", "auth", "error", "response"}, request.Bodies()...)
	for _, f := range n.Fields {
		if !slices.Contains(allowed, f.Name) {
			fail("auth", "login.http."+f.Name, fmt.Sprintf("a login's request takes no argument %q", f.Name), "It takes "+strings.Join(allowed, ", ")+".")
		}
	}
	if headers := n.Get("headers"); headers != nil && headers.Kind != spec.MapNode {
		fail("auth", "login.http.headers", "headers whose names come from a value", "Write the names out.")
	}
}

// leavesOut finds calls that give fewer items than a page has.
var leavesOut = regexp.MustCompile(`\b(filter|take)\s*\(`)

// checkPages sees that pagination says one way, and all of it.
func checkPages(s actions.Static, fail failer) {
	n := s.Nodes["paginate"]
	if n == nil || n.Kind != spec.MapNode {
		return
	}
	var found []string
	for _, kind := range []string{"link", "page", "offset", "cursor"} {
		if n.Get(kind) != nil {
			found = append(found, kind)
		}
	}
	cursor := n.Get("cursor")
	switch {
	case len(found) != 1:
		fail("paginate", "", fmt.Sprintf("paginate has %d of link, page, offset, cursor", len(found)), "Give exactly one.")
	case !s.Given("items"):
		fail("paginate", "", "paginate without items", "Say where in an answer the list is: `items: \"${body.items}\"`.")
	case cursor != nil && cursor.Get("next") == nil:
		fail("paginate", "cursor", "a cursor without next", "Say where in an answer the next one is: `next: \"${body.next}\"`.")
	case cursor != nil && (cursor.Get("param") == nil) == (cursor.Get("body") == nil):
		fail("paginate", "cursor", "a cursor has one of param and body", "Say where the next request carries it.")
	}
}
