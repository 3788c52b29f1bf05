package http

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/session"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
)

// checkDefaults sees that credentials in the block of defaults belong to an origin.
func checkDefaults(s actions.Static) []actions.Fault {
	auth := s.Nodes["auth"]
	if s.Given("baseURL") || auth.Get("origins") != nil {
		return nil
	}
	const remedy = "Whichever URL a step, a program or a server names would get them. Give `baseURL`, or `auth: origins: [\"https://…\"]`."
	if auth != nil && auth.Kind == spec.MapNode {
		return []actions.Fault{{Argument: "auth", Summary: "credentials that belong to no origin", Remedy: remedy}}
	}
	if s.Secret["headers"] {
		return []actions.Fault{{Argument: "headers", Summary: "secret headers that belong to no origin", Remedy: remedy}}
	}
	return nil
}

// checkOwner sees that the credentials of a step belong to an origin.
func checkOwner(s actions.Static, fail failer) {
	auth := s.Nodes["auth"]
	for i, item := range itemsOf(auth.Get("origins")) {
		if text, literal := literalText(item); literal {
			if _, err := session.ExactOrigin(text); err != nil {
				fail("auth", fmt.Sprintf("origins.%d", i), err.Error(), "Write it like https://api.example.com.")
			}
		}
	}
	if s.Sources["auth"] == actions.Own {
		if auth != nil && auth.Kind == spec.MapNode && !s.Given("baseURL") && auth.Get("origins") == nil && request.Spelled(templateParts(s.Nodes["url"])) == "" {
			fail("auth", "", "credentials that belong to no origin",
				"A value decides where the request goes, and so who gets them. Give `baseURL`, or `auth: origins: [\"https://…\"]`.")
		}
		return
	}
	if s.Sources["auth"] == actions.Requested {
		checkRequested(s, fail)
	}
}

// checkRequested sees that a step that asks for the defaults' credentials goes where they
// may, as far as both are written out.
func checkRequested(s actions.Static, fail failer) {
	target := s.Nodes["baseURL"]
	if s.Given("url") {
		target = s.Nodes["url"]
	} else if s.Sources["baseURL"] != actions.Own {
		return // it is at home
	}
	text := request.Spelled(templateParts(target))
	to, err := grant.ParseOrigin(text)
	if text == "" || err != nil || strings.Contains(target.Text, "${") {
		return // what a value decides is known when it runs
	}
	home, _ := literalText(s.Defaults["baseURL"])
	if o, err := grant.ParseOrigin(home); err == nil && o == to {
		return
	}
	var listed []string
	for _, item := range itemsOf(s.Defaults["auth"].Get("origins")) {
		text, literal := literalText(item)
		if o, err := grant.ParseOrigin(text); !literal || err == nil && o == to {
			return
		}
		listed = append(listed, text)
	}
	fail("auth", "", fmt.Sprintf("the defaults do not list %s in auth.origins", to), strings.TrimSpace("Add it there, if their credentials may go there too. "+diag.Remedy(to.String(), listed)))
}

// templateParts are the parts of a template as far as its text shows them: a value is a
// harmless text.
func templateParts(n *spec.Node) []spec.Part {
	if n == nil || n.Kind != spec.StringNode {
		return nil
	}
	var parts []spec.Part
	literal := ""
	flush := func() {
		if literal != "" {
			parts = append(parts, spec.Part{Text: literal, Literal: true})
		}
		literal = ""
	}
	for i := 0; i < len(n.Text); i++ {
		rest := n.Text[i:]
		switch {
		case strings.HasPrefix(rest, "$${"):
			literal += "${"
			i += 2
		case strings.HasPrefix(rest, "${"):
			flush()
			parts = append(parts, spec.Part{Text: "x"})
			i += expressionEnd(rest)
		default:
			literal += rest[:1]
		}
	}
	flush()
	return parts
}

// itemsOf are the items of a list that is written out.
func itemsOf(n *spec.Node) []*spec.Node {
	if n == nil {
		return nil
	}
	return n.Items
}
