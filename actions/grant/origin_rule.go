package grant

import (
	"errors"
	"fmt"
	"strings"

	"github.com/declprov/declprov/spec"
)

// OriginRule is a compiled Rule about origins.
type OriginRule struct {
	// Pattern is the rule's own.
	Pattern string
	// Origin's Host is without the `*.` that Below stands for, and "*" for any; its Port
	// is "*" for any.
	Origin Origin
	Below  bool
}

// CompileOrigin compiles a pattern of origins.
func CompileOrigin(pattern string) (OriginRule, error) {
	scheme, rest, ok := strings.Cut(pattern, "://")
	if !ok {
		return OriginRule{}, errors.New("it is not an origin; write it like https://api.example.com")
	}
	authority, err := authorityOf(rest)
	if err != nil {
		return OriginRule{}, err
	}
	r := OriginRule{Pattern: pattern}
	// A host that is a wildcard is parsed as a name that stands for it.
	const any = "any"
	switch {
	case authority == "*" || strings.HasPrefix(authority, "*:"):
		authority = any + authority[1:]
		if r.Origin, err = makeOrigin(strings.ToLower(scheme), authority); err == nil {
			r.Origin.Host = "*"
		}
		return r, err
	case strings.HasPrefix(authority, "*."):
		r.Below, authority = true, authority[2:]
	}
	r.Origin, err = makeOrigin(strings.ToLower(scheme), authority)
	return r, err
}

// authorityOf is the host and port at the beginning of the rest of a pattern,
// with its quoting undone.
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
				return "", errors.New("a value in it holds a `*`, which no host has")
			}
			b.WriteByte(rest[i])
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), nil
}

// Wild reports whether the rule names hosts by a wildcard.
func (r OriginRule) Wild() bool { return r.Below || r.Origin.Host == "*" }

// Matches reports whether the rule names the origin.
func (r OriginRule) Matches(o Origin) bool {
	return r.Origin.Scheme == o.Scheme && r.Reaches(o.Host, o.Port)
}

// Reaches reports whether the rule names the host and port, whatever the
// scheme.
func (r OriginRule) Reaches(host, port string) bool {
	if r.Origin.Port != "*" && r.Origin.Port != port {
		return false
	}
	switch {
	case r.Origin.Host == "*":
		return true
	case r.Below:
		return strings.HasSuffix(host, "."+r.Origin.Host)
	default:
		return host == r.Origin.Host
	}
}

// OriginCovered reports whether a pattern of origins that is written out may
// cover a URL that is.
func OriginCovered(pattern, url string) bool {
	r, err := CompileOrigin(pattern)
	if err != nil {
		return false
	}
	o, err := ParseOrigin(url)
	return err == nil && r.Matches(o)
}

// OriginIncludes reports whether a pattern certainly allows all that another one does. A
// wildcard does not include a name or address below it: one that is written out may stand
// for a private address, which a wildcard never does.
func OriginIncludes(pattern, other string) bool {
	a, err := CompileOrigin(pattern)
	if err != nil {
		return false
	}
	b, err := CompileOrigin(other)
	return err == nil && a.Origin.Scheme == b.Origin.Scheme && a.Origin.Host == b.Origin.Host && a.Below == b.Below &&
		(a.Origin.Port == "*" || a.Origin.Port == b.Origin.Port)
}

// OriginPattern is the pattern of a grant of hosts whose template is evaluated
// to parts. What stands in front is a URL, whoever wrote it; a value after that
// can be part of a name, a port or a path, and nothing else.
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
			continue // it says nothing about the origin
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
