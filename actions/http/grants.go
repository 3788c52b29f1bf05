package http

import (
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
)

// familyGrants returns the grants of a spec without a permissions block: the origins in the
// defaults, that of baseURL first.
func familyGrants(s actions.Static) []actions.Grant {
	nodes := []*spec.Node{s.Nodes["baseURL"], s.Nodes["proxy"]}
	for _, item := range credentialsOf(s.Nodes["auth"]) {
		nodes = append(nodes, item.Get("oauth2").Get("tokenURL"))
		if login := item.Get("login").Get("http").Get("url"); spellsOrigin(login) {
			nodes = append(nodes, login)
		}
	}
	var out []actions.Grant
	for _, n := range nodes {
		if n != nil && n.Kind == spec.StringNode && n.Text != "" {
			out = append(out, actions.Grant{Access: grant.Connect, Pattern: n})
		}
	}
	return out
}

// helperSandbox returns how the kernel confines the command that prints a token, for reviewers; ""
// if there is none.
func helperSandbox(s actions.Static) string {
	for _, item := range credentialsOf(s.Nodes["auth"]) {
		helper := item.Get("login").Get("exec")
		if helper == nil {
			continue
		}
		if mode, literal := literalText(helper.Get("sandbox")); literal {
			return mode
		}
		return "auto"
	}
	return ""
}

// requestGrants returns the grants that a request needs, as far as its origin is literal, with the
// programs that print its credentials.
func requestGrants(s actions.Static) []actions.Grant {
	out := familyGrants(s)
	at := s.Nodes["url"]
	switch {
	case spellsOrigin(at):
		if s.Nodes["baseURL"] != nil {
			out = out[1:]
		}
		out = append(out, actions.Grant{Access: grant.Connect, Pattern: at})
	case at != nil && at.Kind == spec.StringNode && strings.HasPrefix(at.Text, "${"):
		// The value is a URL, or is relative to the base.
		for i := range out {
			out[i].Perhaps = out[i].Pattern == s.Nodes["baseURL"]
		}
		out = append(out, actions.Grant{Access: grant.Connect, Pattern: at})
	}
	for _, item := range credentialsOf(s.Nodes["auth"]) {
		if command := item.Get("login").Get("exec").Get("command"); command != nil && len(command.Items) > 0 {
			out = append(out, actions.Grant{Access: grant.Run, Pattern: command.Items[0]})
		}
	}
	return out
}

// spellsOrigin reports whether a URL begins with a literal origin.
func spellsOrigin(n *spec.Node) bool {
	return n != nil && n.Kind == spec.StringNode && (strings.HasPrefix(n.Text, "http://") || strings.HasPrefix(n.Text, "https://"))
}
