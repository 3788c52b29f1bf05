package sql

import (
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/actions/sql/statement"
	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/template"
)

// connectionGrants returns the permissions of a spec without a permissions block: the server,
// socket or file in its defaults.
func connectionGrants(s actions.Static) []actions.Grant { return callGrants(s, true) }

// callGrants returns the permissions that a call needs. A call that writes needs the file of
// a database for writing.
func callGrants(s actions.Static, writes bool) []actions.Grant {
	driver, _ := s.Literals["driver"].(string)
	access := grant.Read
	if writes {
		access = grant.Write
	}
	if text, literal := s.Literals["url"].(string); literal {
		if _, err := ParseURL(statement.Dialect(driver), text); err != nil {
			return nil // reported by check
		}
	}
	switch {
	case isText(s.Nodes["url"]):
		return []actions.Grant{{Access: grant.Connect, Pattern: s.Nodes["url"]}}
	case isText(s.Nodes["host"]):
		return []actions.Grant{{Access: grant.Connect, Pattern: originOf(driver, s.Nodes["host"], s.Nodes["port"])}}
	case isText(s.Nodes["file"]):
		return []actions.Grant{{Access: access, Pattern: quoted(s.Nodes["file"]), Name: s.Nodes["file"]}}
	case isText(s.Nodes["socket"]):
		pattern := quoted(s.Nodes["socket"])
		if driver == string(statement.PostgreSQL) {
			within := *pattern
			within.Text = strings.TrimRight(within.Text, "/") + "/" + socketName(portText(s.Nodes["port"]))
			pattern = &within
		}
		return []actions.Grant{{Access: grant.Write, Pattern: pattern}}
	default:
		return nil
	}
}

func isText(n *spec.Node) bool { return n != nil && n.Kind == spec.StringNode && n.Text != "" }

// originOf returns the origin of a host as a template: postgres://HOST:PORT.
func originOf(driver string, host, port *spec.Node) *spec.Node {
	prefix := driver + "://"
	out := &spec.Node{Kind: spec.StringNode, Text: prefix + host.Text, Range: host.Range}
	if !template.IsTemplate(host.Text) && strings.Contains(host.Text, ":") {
		out.Text = prefix + grant.BracketHost(strings.Trim(host.Text, "[]"))
	}
	if text := portText(port); text != "" {
		out.Text += ":" + text
	}
	for _, m := range host.Marks {
		m.Offset += len(prefix)
		out.Marks = append(out.Marks, m)
	}
	return out
}

func portText(n *spec.Node) string {
	if n == nil {
		return ""
	}
	return n.Text
}

// socketName returns the name of PostgreSQL's socket in its folder.
func socketName(port string) string {
	if port == "" {
		port = "5432"
	}
	return ".s.PGSQL." + port
}

// quoted returns a literal path as a pattern that only matches itself. The compiler quotes
// the values in templates.
func quoted(n *spec.Node) *spec.Node {
	if template.IsTemplate(n.Text) || grant.QuoteGlob(n.Text) == n.Text {
		return n
	}
	return &spec.Node{Kind: spec.StringNode, Text: grant.QuoteGlob(n.Text), Range: n.Range}
}
