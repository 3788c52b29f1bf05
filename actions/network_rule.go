package actions

import (
	"errors"
	"fmt"
	"strings"
)

// originRule is a compiled grant of hosts.
type originRule struct {
	pattern string
	// origin's Host is without the `*.` that below stands for, and "*" for any.
	origin Origin
	below  bool
}

// compileOrigin reads a pattern of origins.
func compileOrigin(pattern string) (originRule, error) {
	scheme, rest, ok := strings.Cut(pattern, "://")
	if !ok {
		return originRule{}, errors.New("it is no origin; write it like https://api.example.com")
	}
	authority, err := authorityOf(rest)
	if err != nil {
		return originRule{}, err
	}
	r := originRule{pattern: pattern}
	// A host that is a wildcard is parsed as a name that stands for it.
	const any = "any"
	switch {
	case authority == "*" || strings.HasPrefix(authority, "*:"):
		authority = any + authority[1:]
		if r.origin, err = makeOrigin(strings.ToLower(scheme), authority); err == nil {
			r.origin.Host = "*"
		}
		return r, err
	case strings.HasPrefix(authority, "*."):
		r.below, authority = true, authority[2:]
	}
	r.origin, err = makeOrigin(strings.ToLower(scheme), authority)
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

// wild reports whether the rule names hosts by a wildcard.
func (r originRule) wild() bool { return r.below || r.origin.Host == "*" }

func (r originRule) matches(o Origin) bool {
	return r.origin.Scheme == o.Scheme && r.reaches(o.Host, o.Port)
}

// reaches reports whether the rule names the host and port, whatever the
// scheme.
func (r originRule) reaches(host, port string) bool {
	if r.origin.Port != "*" && r.origin.Port != port {
		return false
	}
	switch {
	case r.origin.Host == "*":
		return true
	case r.below:
		return strings.HasSuffix(host, "."+r.origin.Host)
	default:
		return host == r.origin.Host
	}
}

// OriginCovered reports whether a pattern of origins that is written out may
// cover a URL that is.
func OriginCovered(pattern, url string) bool {
	r, err := compileOrigin(pattern)
	if err != nil {
		return false
	}
	o, err := ParseOrigin(url)
	return err == nil && r.matches(o)
}

// OriginIncludes reports whether a pattern certainly allows all that another one does. A
// wildcard does not include a name or address below it: one that is written out may stand
// for a private address, which a wildcard never does.
func OriginIncludes(pattern, other string) bool {
	a, err := compileOrigin(pattern)
	if err != nil {
		return false
	}
	b, err := compileOrigin(other)
	return err == nil && a.origin.Scheme == b.origin.Scheme && a.origin.Host == b.origin.Host && a.below == b.below &&
		(a.origin.Port == "*" || a.origin.Port == b.origin.Port)
}

// OriginPattern is the pattern of a grant of hosts whose template is evaluated
// to parts. What stands in front is a URL, whoever wrote it; a value after that
// can be part of a name, a port or a path, and nothing else.
func OriginPattern(parts []Part) (string, error) {
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
