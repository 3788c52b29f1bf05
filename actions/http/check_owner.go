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
	"github.com/declprov/declprov/spec/template"
)

// checkDefaults checks that credentials in the block of defaults belong to an origin.
func checkDefaults(s actions.Static) []actions.Fault {
	auth := s.Nodes["auth"]
	if _, listed := originsOf(auth); s.Given("baseURL") || listed {
		return nil
	}
	const remedy = "Any URL that a step, a program or a server names would receive them. Add `baseURL`, or `auth: origins: [\"https://…\"]`."
	if len(credentialsOf(auth)) > 0 {
		return []actions.Fault{{Argument: "auth", Summary: "credentials without an origin", Remedy: remedy}}
	}
	if s.Secret["headers"] {
		return []actions.Fault{{Argument: "headers", Summary: "secret headers without an origin", Remedy: remedy}}
	}
	return nil
}

// checkOwner checks that the credentials of a step belong to an origin.
func checkOwner(s actions.Static, fail reporter) {
	auth := s.Nodes["auth"]
	_, listed := originsOf(auth)
	eachCredential(auth, func(n *spec.Node, at func(string) string) {
		origins, _ := originsOf(n)
		for i, item := range origins {
			if text, literal := literalText(item); literal {
				if _, err := session.ParseExactOrigin(text); err != nil {
					fail("auth", at(fmt.Sprintf("origins.%d", i)), err.Error(), "Use an origin like https://api.example.com.")
				}
			}
		}
	})
	if s.Sources["auth"] == actions.Own {
		if len(credentialsOf(auth)) > 0 && !s.Given("baseURL") && !listed && request.SpelledOrigin(templateParts(s.Nodes["url"])) == "" {
			fail("auth", "", "credentials without an origin",
				"A value determines the URL of the request, and so who receives them. Add `baseURL`, or `auth: origins: [\"https://…\"]`.")
		}
		return
	}
	if s.Sources["auth"] == actions.Requested {
		checkRequested(s, fail)
	}
}

// checkRequested checks that a step with `auth: "default"` goes to an origin that the
// defaults list, if both are literal.
func checkRequested(s actions.Static, fail reporter) {
	target := s.Nodes["baseURL"]
	if s.Given("url") {
		target = s.Nodes["url"]
	} else if s.Sources["baseURL"] != actions.Own {
		return // the origin of the defaults
	}
	text := request.SpelledOrigin(templateParts(target))
	to, err := grant.ParseOrigin(text)
	if text == "" || err != nil || template.IsTemplate(target.Text) {
		return // checked at run time
	}
	home, _ := literalText(s.Defaults["baseURL"])
	if o, err := grant.ParseOrigin(home); err == nil && o == to {
		return
	}
	var listed []string
	origins, _ := originsOf(s.Defaults["auth"])
	for _, item := range origins {
		text, literal := literalText(item)
		if o, err := grant.ParseOrigin(text); !literal || err == nil && o == to {
			return
		}
		listed = append(listed, text)
	}
	fail("auth", "", fmt.Sprintf("the defaults do not list %s in auth.origins", to), strings.TrimSpace("Add it there to send the credentials to this origin. "+diag.Remedy(to.String(), listed)))
}

// templateParts returns the parts of a template, with a harmless text for each value.
func templateParts(n *spec.Node) []spec.Part {
	if n == nil || n.Kind != spec.StringNode {
		return nil
	}
	pieces, _ := template.Scan(n.Text) // the compiler reports what has no end
	parts := make([]spec.Part, len(pieces))
	for i, p := range pieces {
		parts[i] = spec.Part{Text: p.Text, Literal: true}
		if p.Expr {
			parts[i] = spec.Part{Text: "x"}
		}
	}
	return parts
}
