package http

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/spec"
)

// placeholder matches the placeholders of other tools in a path: #{id}, %{id}, {id}, :id, $id, $(id), {{ id }}. The
// first group that matches is the name.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`([#%@]\{([A-Za-z_][\w.]*)\})|(\$\(([A-Za-z_][\w.]*)\))|(?:^|[^$])(\{\{-?\s*[.$]?([A-Za-z_][\w.]*)\s*-?\}\})|(?:^|[^$#%@])(\{([A-Za-z_]\w*)\})|/(:([A-Za-z_]\w*))|/(\$([A-Za-z_]\w*))|/(<([A-Za-z_]\w*)>)`)
})

// marked matches a placeholder that begins with a character which means something else in a path.
var marked = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[#%@]\{[A-Za-z_][\w.]*\}`) })

// odata are names that begin with $ in the paths of OData and of Microsoft Graph.
var odata = []string{"$count", "$metadata", "$batch", "$value", "$ref", "$links", "$query", "$crossjoin", "$all", "$entity"}

// checkPlaceholders warns about placeholders that are not those of specs: they would be sent as
// they are.
func checkPlaceholders(s actions.Static, out *[]actions.Fault) {
	for _, name := range []string{"path", "url", "baseURL"} {
		n := s.Nodes[name]
		if n == nil || n.Kind != spec.StringNode || strings.Contains(n.Text, "${{") {
			continue // the last is reported as an expression
		}
		for _, m := range placeholder().FindAllStringSubmatch(n.Text, -1) {
			for i := 1; i < len(m); i += 2 {
				if m[i] == "" || slices.Contains(odata, m[i]) {
					continue
				}
				meant := "${" + ownName(m[i+1]) + "}"
				*out = append(*out, actions.Fault{
					Argument: name, Summary: fmt.Sprintf("%s is not a placeholder", m[i]), Warning: m[i][0] != '#' && m[i][0] != '%',
					Remedy: fmt.Sprintf("It is sent unchanged. Write an expression: %s.", meant), Old: m[i], New: meant,
				})
			}
		}
	}
}

// ownName returns what a placeholder probably stands for: the id, or an input.
func ownName(name string) string {
	root, _, dotted := strings.Cut(name, ".")
	switch {
	case name == "id", dotted && (root == "inputs" || root == "config" || root == "state" || root == "steps" || root == "result"):
		return name
	case dotted:
		return "inputs." + name[strings.LastIndexByte(name, '.')+1:]
	default:
		return "inputs." + name
	}
}

// host matches the beginning of a URL without a scheme.
var host = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:localhost|[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)(?::\d+)?(?:/|$)`)
})

// checkScheme warns about URLs without a scheme.
func checkScheme(s actions.Static, out *[]actions.Fault) {
	for _, name := range []string{"baseURL", "url"} {
		n := s.Nodes[name]
		if n == nil || n.Kind != spec.StringNode {
			continue
		}
		if scheme, _, ok := strings.Cut(n.Text, "://"); ok && !strings.Contains(scheme, "${") && !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
			*out = append(*out, actions.Fault{
				Argument: name, Summary: fmt.Sprintf("requests are sent by http or https, not by %q", scheme),
				Remedy: "For another protocol, run a program that speaks it, with exec; for a database, use sql.",
			})
		} else if found := host().FindString(n.Text); found != "" {
			*out = append(*out, actions.Fault{
				Argument: name, Summary: fmt.Sprintf("%s has no scheme", name), Warning: true,
				Remedy: fmt.Sprintf("No request can be sent. Write https://%s.", found), Old: n.Text, New: "https://" + n.Text,
			})
		}
	}
}

// checkBearer warns about a token with a word before it: that of its scheme, which is sent twice, or of another scheme.
func checkBearer(s actions.Static, out *[]actions.Fault) {
	eachCredential(s.Nodes["auth"], func(item *spec.Node, at func(string) string) {
		n := item.Get("bearer")
		if n == nil || n.Kind != spec.StringNode {
			return
		}
		word, token, ok := strings.Cut(n.Text, " ")
		if !ok || !isScheme().MatchString(word) {
			return
		}
		fault := actions.Fault{
			Argument: "auth", Path: at("bearer"), Summary: fmt.Sprintf("the token begins with %q, which is sent twice", word), Warning: true,
			Remedy: "The header is `Authorization: Bearer TOKEN`. Write the token alone.", Old: word + " ", New: "",
		}
		if !strings.EqualFold(word, "bearer") && !strings.EqualFold(word, "token") {
			fault.Summary = fmt.Sprintf("the header will be `Authorization: Bearer %s TOKEN`", word)
			fault.Remedy = fmt.Sprintf("For `Authorization: %s TOKEN`, write `apiKey: {header: \"Authorization\", value: %q}` in place of `bearer`. If the API expects Bearer, write the token alone.", word, word+" "+token)
			fault.Old, fault.New = "", ""
		}
		*out = append(*out, fault)
	})
}

// isScheme matches the name of a scheme of credentials.
var isScheme = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z][A-Za-z0-9-]*$`) })
