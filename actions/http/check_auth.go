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
	"github.com/declprov/declprov/spec/foreign"
	"github.com/declprov/declprov/spec/stable"
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

// eachCredential visits the items of the argument `auth` that are structs. at returns the path in the
// argument for a path in the item.
func eachCredential(auth *spec.Node, visit func(n *spec.Node, at func(path string) string)) {
	for i, n := range credentialsOf(auth) {
		at := func(path string) string { return path }
		if auth.Kind == spec.ListNode {
			at = func(path string) string { return strings.TrimSuffix(fmt.Sprintf("%d.%s", i, path), ".") }
		}
		if n.Kind == spec.MapNode {
			visit(n, at)
		}
	}
}

// originsOf returns the origins that the argument `auth` lists, and whether it lists any.
func originsOf(auth *spec.Node) (origins []*spec.Node, given bool) {
	eachCredential(auth, func(n *spec.Node, _ func(string) string) {
		if list := n.Get("origins"); list != nil {
			origins, given = append(origins, list.Items...), true
		}
	})
	return origins, given
}

// credentialOrigins says, for Facts.Trusts, which origins of `auth: origins` get credentials.
func credentialOrigins(s actions.Static) []string {
	var all []string
	origins, _ := originsOf(s.Nodes["auth"])
	for _, n := range origins {
		all = append(all, n.Text+" with credentials (auth: origins)")
	}
	return all
}

// checkAuth checks that auth has exactly one kind of credentials, or one in each item, and
// that they are complete.
func checkAuth(s actions.Static, fail reporter) {
	auth := s.Nodes["auth"]
	var headers []string
	cert := s.Nodes["tls"].Get("cert") != nil || s.Nodes["tls"] != nil && s.Nodes["tls"].Kind != spec.MapNode
	eachCredential(auth, func(n *spec.Node, at func(string) string) {
		needs := func(path string) {
			if mayBeNull(s, path) {
				fail("auth", at(path), path+" may be null, and the request would then fail for lack of credentials",
					"Make the setting required. If requests without credentials are meant, set a header, which is left out if it is null: "+
						"`headers: Authorization: \"${config.token == null ? null : 'Bearer ' + config.token}\"`.")
			}
		}
		checkCredentials(n, at, fail, needs)
		checkGrant(n.Get("oauth2"), cert, at, fail, needs)
		for _, name := range headersOf(n) {
			if slices.Contains(headers, name) {
				fail("auth", at(""), fmt.Sprintf("two of the credentials set the header %s", name), "Send one of them in another header, or remove it.")
			}
			headers = append(headers, name)
		}
	})
}

// mayBeNull reports whether the value at a path of an item of auth may be null, which is the same
// as its absence.
func mayBeNull(s actions.Static, path string) bool {
	t := s.Types["auth"]
	if s.Nodes["auth"].Kind == spec.ListNode {
		t = s.Named.Resolve(t).Elem // of all items: those of other kinds have no such path
	}
	of := []*spec.Type{t}
	if t = s.Named.Resolve(t); t.Kind == spec.Union {
		of = t.Variants
	}
	return slices.ContainsFunc(of, func(t *spec.Type) bool {
		for name := range strings.SplitSeq(path, ".") {
			p := s.Named.Resolve(t).Field(name)
			if p == nil {
				return false
			}
			t = p.Type
		}
		return t.Nullable
	})
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

// checkCredentials checks one item of auth; at returns the path of a part of it, and needs
// reports a part that may be null.
func checkCredentials(n *spec.Node, at func(string) string, fail reporter, needs func(path string)) {
	exactly := func(n *spec.Node, path string, names ...string) {
		var found []string
		for _, name := range names {
			if n.Get(name) != nil {
				found = append(found, name)
			}
		}
		if len(found) != 1 {
			fail("auth", at(path), fmt.Sprintf("expected exactly one of %s, got %d", strings.Join(names, ", "), len(found)), "Set exactly one.")
			return
		}
		needs(strings.TrimPrefix(path+"."+found[0], "."))
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
	request, helper := login.Get("http"), login.Get("exec")
	switch {
	case request != nil && helper != nil:
		exactly(login, "login", "http", "exec")
	case helper != nil:
		checkHelper(login, at, fail)
	case request == nil || request.Kind != spec.MapNode:
		fail("auth", at("login.http"), "login requires http or exec", "Add the request: `http: {path: \"/login\", json: {…}}`, or a command that prints a token: `exec: command: [\"helper\"]`.")
	case login.Get("token") == nil:
		fail("auth", at("login.token"), "login requires token", "Set it to an expression that finds the token in the response: `token: \"${body.token}\"`.")
	default:
		exactly(request, "login.http", "path", "url")
		checkLoginArguments(request, at, fail)
	}
}

// checkGrant checks that OAuth 2 has what its grant requires, and nothing that it does not use.
// cert says that the client shows a certificate, and needs reports a part that may be null.
func checkGrant(n *spec.Node, cert bool, at func(string) string, fail reporter, needs func(path string)) {
	if n == nil || n.Kind != spec.MapNode {
		return
	}
	name, literal := "", true
	if given := n.Get("grant"); given != nil {
		name, literal = literalText(given)
	}
	grant, known := session.GrantNamed(name)
	switch {
	case !literal:
		fail("auth", at("oauth2.grant"), "grant must be literal", "Write the name of the grant out.")
		return
	case !known:
		return // its type says so
	}
	for _, required := range grant.Requires {
		if n.Get(required) == nil {
			fail("auth", at("oauth2"), fmt.Sprintf("the grant %s requires %s", grant.Name, required), "Add `"+required+": …`.")
		} else {
			needs("oauth2." + required)
		}
	}
	for _, other := range session.Grants() {
		for _, member := range slices.Concat(other.Requires, other.Accepts) {
			if n.Get(member) != nil && member != "clientID" && !slices.Contains(slices.Concat(grant.Requires, grant.Accepts), member) {
				fail("auth", at("oauth2."+member), fmt.Sprintf("the grant %s does not use %s", grant.Name, member), "Remove it, or set `grant: \""+other.Name+"\"`.")
			}
		}
	}
	checkClientAuthentication(n, grant, cert, at, fail, needs)
	checkGrantParameters(n, grant, at, fail)
}

// checkClientAuthentication checks how the client authenticates itself.
func checkClientAuthentication(n *spec.Node, grant session.Grant, cert bool, at func(string) string, fail reporter, needs func(path string)) {
	secret, assertion := n.Get("clientSecret") != nil, n.Get("clientAssertion") != nil
	switch {
	case secret && assertion:
		fail("auth", at("oauth2.clientAssertion"), "clientSecret and clientAssertion both authenticate the client", "Remove one of them.")
	case (secret || assertion) && n.Get("clientID") == nil && grant.Name != "client_credentials":
		fail("auth", at("oauth2"), "oauth2 requires clientID to authenticate the client", "Add `clientID: …`.")
	case !secret && !assertion && !cert && grant.Name == "client_credentials":
		fail("auth", at("oauth2"), "the grant client_credentials requires that the client authenticates itself", "Add `clientSecret`, `clientAssertion`, or a certificate in `tls`.")
	case secret && !cert && grant.Name == "client_credentials":
		needs("oauth2.clientSecret")
	}
}

// checkGrantParameters checks that `params` has none of the parameters that the grant itself sends.
func checkGrantParameters(n *spec.Node, grant session.Grant, at func(string) string, fail reporter) {
	params := n.Get("params")
	if params == nil {
		return
	}
	sends := slices.Concat(session.ClientParameters(), grant.Sends)
	for member, parameter := range stable.All(map[string]string{"scopes": "scope", "audience": "audience"}) {
		if n.Get(member) != nil {
			sends = append(sends, parameter)
		}
	}
	for _, f := range params.Fields {
		if slices.Contains(sends, f.Name) {
			fail("auth", at("oauth2.params."+f.Name), fmt.Sprintf("the grant itself sends the parameter %q", f.Name), "Remove it here, and use the member of oauth2 for it.")
		}
	}
}

// checkSign checks the names of the headers and parameters that sign a request.
func checkSign(n *spec.Node, at func(string) string, fail reporter) {
	headers, query := n.Get("headers"), n.Get("query")
	if headers == nil && query == nil {
		fail("auth", at("sign"), "sign requires headers or query", "Set what to add to the request: `sign: headers: \"X-Signature\": \"${hmac(…)}\"`.")
	}
	for _, name := range []string{"headers", "query"} {
		members := n.Get(name)
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

// checkHelper checks a command that prints the token of a login: that it is found in JSON, and that
// no value becomes an option.
func checkHelper(login *spec.Node, at func(string) string, fail reporter) {
	helper := login.Get("exec")
	if form, _ := literalText(helper.Get("stdout")); form == "json" && login.Get("token") == nil {
		fail("auth", at("login.token"), "login requires token, because the output of the command is JSON", "Set it to an expression that finds the token: `token: \"${stdout.token}\"`.")
	}
	command := helper.Get("command")
	if command == nil || command.Kind == 0 {
		return // its type says so
	}
	const path = "login.exec.command"
	if command.Kind != spec.ListNode || len(command.Items) == 0 {
		fail("auth", at(path), "command must be a list", "Write the program and its arguments as a list: `command: [\"helper\", \"token\"]`.")
		return
	}
	for _, word := range command.Items[1:] {
		switch text, literal := literalText(word); {
		case literal && text == "--":
			return
		case !literal && strings.HasPrefix(word.Text, "${"):
			fail("auth", at(path), "a word of the command begins with a value, which the program may take as an option",
				"Put \"--\" before it if the program supports that, put literal text in front of it, or pass it by `env`.")
		}
	}
}

// checkLoginArguments checks that the request of a login has only supported arguments.
func checkLoginArguments(n *spec.Node, at func(string) string, fail reporter) {
	allowed := append([]string{"method", "path", "url", "query", "lists", "headers", "auth", "error", "response"}, request.BodyArguments()...)
	for _, f := range n.Fields {
		if slices.Contains(allowed, f.Name) {
			continue
		}
		remedy := "Its arguments are " + strings.Join(allowed, ", ") + "."
		if own, ok := foreign.Key("http", f.Name); ok && slices.Contains(allowed, own.Own) {
			remedy = own.Remedy + " " + remedy
		}
		fail("auth", at("login.http."+f.Name), fmt.Sprintf("the request of a login has no argument %q", f.Name), remedy)
	}
	for _, item := range credentialsOf(n.Get("auth")) {
		for _, f := range item.Fields {
			if slices.Contains(session.NotInLogin(), f.Name) {
				fail("auth", at("login.http.auth."+f.Name), f.Name+" is not allowed within a login", "Use other credentials for the login request, such as basic or jwt.")
			}
		}
	}
	if headers := n.Get("headers"); headers != nil && headers.Kind != spec.MapNode {
		fail("auth", at("login.http.headers"), "header names must be literal", "Write the names out.")
	}
}
