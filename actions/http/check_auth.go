package http

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/session"
	"github.com/declprov/declprov/spec"
)

// credentialsOf returns the items of the argument `auth`, a list or a single one.
func credentialsOf(auth *spec.Node) []*spec.Node {
	switch {
	case auth == nil:
		return nil
	case auth.Kind == spec.ListNode:
		return auth.Items
	case auth.Kind == spec.MapNode:
		return []*spec.Node{auth}
	default:
		return nil
	}
}

// originsOf returns the origins that the argument `auth` lists, and whether it lists any.
func originsOf(auth *spec.Node) (origins []*spec.Node, given bool) {
	for _, item := range credentialsOf(auth) {
		if list := item.Get("origins"); list != nil {
			origins, given = append(origins, list.Items...), true
		}
	}
	return origins, given
}

// checkAuth checks that auth has exactly one kind of credentials, or one in each item, and
// that they are complete.
func checkAuth(s actions.Static, fail reporter) {
	auth := s.Nodes["auth"]
	var headers []string
	for i, n := range credentialsOf(auth) {
		if n.Kind != spec.MapNode {
			continue
		}
		at := func(path string) string { return path }
		if auth.Kind == spec.ListNode {
			at = func(path string) string { return strings.TrimSuffix(fmt.Sprintf("%d.%s", i, path), ".") }
		}
		checkCredentials(n, at, fail)
		for _, name := range headersOf(n) {
			if slices.Contains(headers, name) {
				fail("auth", at(""), fmt.Sprintf("two of the credentials set the header %s", name), "Send one of them in another header, or remove it.")
			}
			headers = append(headers, name)
		}
	}
}

// headersOf returns the headers that credentials set, as far as they are literal.
func headersOf(n *spec.Node) []string {
	if key := n.Get("apiKey"); key != nil {
		if key.Get("cookie") != nil {
			return []string{"Cookie"}
		}
		if name, literal := literalText(key.Get("header")); literal {
			return []string{http.CanonicalHeaderKey(name)}
		}
		return nil
	}
	if sign := n.Get("sign"); sign != nil {
		var names []string
		if headers := sign.Get("headers"); headers != nil {
			for _, f := range headers.Fields {
				names = append(names, http.CanonicalHeaderKey(f.Name))
			}
		}
		return names
	}
	if header := n.Get("login").Get("as").Get("header"); header != nil {
		if name, literal := literalText(header); literal {
			return []string{http.CanonicalHeaderKey(name)}
		}
		return nil
	}
	for _, kind := range session.Kinds() {
		if n.Get(kind) != nil {
			return []string{"Authorization"}
		}
	}
	return nil
}

// checkCredentials checks one item of auth; at returns the path of a part of it.
func checkCredentials(n *spec.Node, at func(string) string, fail reporter) {
	exactly := func(n *spec.Node, path string, names ...string) {
		var found []string
		for _, name := range names {
			if n.Get(name) != nil {
				found = append(found, name)
			}
		}
		if len(found) != 1 {
			fail("auth", at(path), fmt.Sprintf("expected exactly one of %s, got %d", strings.Join(names, ", "), len(found)), "Set exactly one.")
		}
	}
	if n.Get("origins") == nil || len(n.Fields) > 1 {
		exactly(n, "", session.Kinds()...)
	}
	if key := n.Get("apiKey"); key != nil && key.Kind == spec.MapNode {
		exactly(key, "apiKey", "header", "query", "cookie")
	}
	if sign := n.Get("sign"); sign != nil && sign.Kind == spec.MapNode {
		checkSign(sign, at, fail)
	}
	login := n.Get("login")
	if login == nil || login.Kind != spec.MapNode {
		return
	}
	request := login.Get("http")
	switch {
	case request == nil || request.Kind != spec.MapNode:
		fail("auth", at("login.http"), "login requires http", "Add the request: `http: {path: \"/login\", json: {…}}`.")
	case login.Get("token") == nil:
		fail("auth", at("login.token"), "login requires token", "Set it to an expression that finds the token in the response: `token: \"${body.token}\"`.")
	default:
		exactly(request, "login.http", "path", "url")
		checkLoginArguments(request, at, fail)
	}
}

// checkSign checks the names of the headers and parameters that sign a request.
func checkSign(n *spec.Node, at func(string) string, fail reporter) {
	headers, query := n.Get("headers"), n.Get("query")
	if headers == nil && query == nil {
		fail("auth", at("sign"), "sign requires headers or query", "Set what to add to the request: `sign: headers: \"X-Signature\": \"${hmac(…)}\"`.")
	}
	for name, members := range map[string]*spec.Node{"headers": headers, "query": query} {
		if members != nil && members.Kind != spec.MapNode {
			fail("auth", at("sign."+name), "the names of "+name+" must be literal", "Write the names out. Only values may be templates.")
		}
	}
	if headers == nil {
		return
	}
	for _, f := range headers.Fields {
		switch {
		case !request.IsToken(f.Name):
			fail("auth", at("sign.headers."+f.Name), fmt.Sprintf("%q is not a valid header name", f.Name), "Use letters, digits and hyphens.")
		case request.IsReserved(f.Name):
			fail("auth", at("sign.headers."+f.Name), fmt.Sprintf("header %q is set automatically and cannot be overridden", f.Name), "Remove it.")
		}
	}
}

// checkLoginArguments checks that the request of a login has only supported arguments.
func checkLoginArguments(n *spec.Node, at func(string) string, fail reporter) {
	allowed := append([]string{"method", "path", "url", "query", "headers", "auth", "error", "response"}, request.BodyArguments()...)
	for _, f := range n.Fields {
		if !slices.Contains(allowed, f.Name) {
			fail("auth", at("login.http."+f.Name), fmt.Sprintf("the request of a login has no argument %q", f.Name), "Its arguments are "+strings.Join(allowed, ", ")+".")
		}
	}
	if headers := n.Get("headers"); headers != nil && headers.Kind != spec.MapNode {
		fail("auth", at("login.http.headers"), "header names must be literal", "Write the names out.")
	}
}
