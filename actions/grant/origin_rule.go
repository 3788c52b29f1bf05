package grant

import (
	"errors"
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
)

// OriginRule is a compiled Rule about origins.
type OriginRule struct {
	// Pattern is the pattern as written.
	Pattern string
	// Origin is the origin that the rule covers. A Host or Port of "*" covers any.
	Origin Origin
	// Subdomains says that the pattern's host begins with `*.`: the rule covers the
	// subdomains of Origin.Host, not Origin.Host itself.
	Subdomains bool
}

// CompileOrigin compiles a pattern of origins.
func CompileOrigin(pattern string) (OriginRule, error) {
	scheme, rest, ok := strings.Cut(pattern, "://")
	if !ok {
		return OriginRule{}, errors.New("invalid origin (use the form https://api.example.com)")
	}
	authority, err := authorityOf(rest)
	if err != nil {
		return OriginRule{}, err
	}
	r := OriginRule{Pattern: pattern}
	// A wildcard host is parsed as a placeholder name.
	const any = "any"
	switch {
	case authority == "*" || strings.HasPrefix(authority, "*:"):
		authority = any + authority[1:]
		if r.Origin, err = makeOrigin(strings.ToLower(scheme), authority); err == nil {
			r.Origin.Host = "*"
		}
		return r, err
	case strings.HasPrefix(authority, "*."):
		r.Subdomains, authority = true, authority[2:]
	}
	r.Origin, err = makeOrigin(strings.ToLower(scheme), authority)
	return r, err
}

// authorityOf returns the host and port at the beginning of the rest of a pattern, unquoted.
func authorityOf(rest string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		switch {
		case c == '/' || c == '?' || c == '#':
			return b.String(), nil
		case c == '\\' && i+1 < len(rest):
			i++
			if rest[i] == '*' {
				return "", errors.New("a value in it contains `*`, which is not valid in a host")
			}
			b.WriteByte(rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// Wild reports whether the rule covers hosts by a wildcard.
func (r OriginRule) Wild() bool { return r.Subdomains || r.Origin.Host == "*" }

// Matches reports whether the rule covers the origin.
func (r OriginRule) Matches(o Origin) bool {
	return r.Origin.Scheme == o.Scheme && r.Reaches(o.Host, o.Port)
}

// Reaches reports whether the rule covers the host and port, for any scheme.
func (r OriginRule) Reaches(host, port string) bool {
	if r.Origin.Port != "*" && r.Origin.Port != port {
		return false
	}
	switch {
	case r.Origin.Host == "*":
		return true
	case r.Subdomains:
		return strings.HasSuffix(host, "."+r.Origin.Host)
	default:
		return host == r.Origin.Host
	}
}

// OriginCovers reports whether a literal pattern of origins covers a literal URL.
func OriginCovers(pattern, url string) bool {
	r, err := CompileOrigin(pattern)
	if err != nil {
		return false
	}
	o, err := ParseOrigin(url)
	return err == nil && r.Matches(o)
}

// OriginIncludes reports whether a pattern certainly allows everything that another one
// allows. A wildcard does not include the names it matches: a literal name may resolve to a
// private address, which a wildcard never covers.
func OriginIncludes(pattern, other string) bool {
	a, err := CompileOrigin(pattern)
	if err != nil {
		return false
	}
	b, err := CompileOrigin(other)
	return err == nil && a.Origin.Scheme == b.Origin.Scheme && a.Origin.Host == b.Origin.Host && a.Subdomains == b.Subdomains &&
		(a.Origin.Port == "*" || a.Origin.Port == b.Origin.Port)
}

// OriginPattern returns the pattern of a grant of hosts from the parts of its evaluated
// template. The first part begins a URL, whether it is literal or a value. A later value may
// only be part of a name, a port or a path.
func OriginPattern(parts []spec.Part) (string, error) {
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.Literal:
			b.WriteString(p.Text)
			continue
		case b.Len() == 0:
			b.WriteString(strings.NewReplacer(`\`, `\\`, `*`, `\*`).Replace(p.Text))
			continue
		}
		_, rest, scheme := strings.Cut(b.String(), "://")
		if scheme && strings.ContainsAny(rest, "/?#") {
			continue // a path or query is not part of the origin
		}
		for _, c := range p.Text {
			if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' && c != '.' {
				return "", fmt.Errorf("the value %q cannot be part of a host", p.Text)
			}
		}
		b.WriteString(p.Text)
	}
	return b.String(), nil
}
