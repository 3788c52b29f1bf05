package request

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
)

// Address is the URL of a request.
type Address struct {
	URL *url.URL
	// FromValue says that a value, not the author, determines the origin.
	FromValue bool
}

// urlBuilder joins the parts of a path or URL. A value is always escaped as text of one
// segment, or part of one.
type urlBuilder struct {
	segments []segment
	query    strings.Builder
	// inQuery says that a literal `?` was added.
	inQuery bool
}

// segment is the escaped text between two slashes.
type segment struct {
	text []byte
	// hasValue says that it contains a value.
	hasValue bool
}

func (b *urlBuilder) addParts(parts []spec.Part) error {
	b.segments = []segment{{}}
	for _, p := range parts {
		last := &b.segments[len(b.segments)-1]
		switch {
		case p.Literal:
			if err := b.addLiteral(p.Text); err != nil {
				return err
			}
		case b.inQuery:
			b.query.WriteString(Escape(p.Text))
		default:
			last.hasValue = true
			last.text = append(last.text, url.PathEscape(p.Text)...)
		}
	}
	return nil
}

// addLiteral adds text of the author. Slashes separate segments, a `?` begins the query, and
// escapes are kept.
func (b *urlBuilder) addLiteral(s string) error {
	for i := range len(s) {
		last := &b.segments[len(b.segments)-1]
		switch c := s[i]; {
		case c == '#':
			return errors.New("a request cannot have a fragment: remove it, or write %23 for `#`")
		case b.inQuery:
			b.query.Write(escapeLiteral(nil, c))
		case c == '?':
			b.inQuery = true
		case c == '/':
			b.segments = append(b.segments, segment{})
		default:
			last.text = escapeLiteral(last.text, c)
		}
	}
	return nil
}

// escapeLiteral appends a byte of the author's text, escaped if it is not valid in a URL.
func escapeLiteral(b []byte, c byte) []byte {
	if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
		return fmt.Appendf(b, "%%%02X", c)
	}
	return append(b, c)
}

// path returns the joined path. The first segment may be empty (`/pets`), and so may the last
// (`/pets/`), unless a value made it so.
func (b *urlBuilder) path() (string, error) {
	var out strings.Builder
	for i, s := range b.segments {
		plain, err := url.PathUnescape(string(s.text))
		first, last := i == 0, i == len(b.segments)-1
		switch {
		case err != nil:
			return "", fmt.Errorf("%q is not a valid part of a path: write %%25 for a percent sign", s.text)
		case plain == "." || plain == "..":
			return "", fmt.Errorf("a segment of the path is %q, which servers resolve to another path: use another value, or send it in the query", plain)
		case plain == "" && s.hasValue:
			return "", errors.New("a value in the path is empty, which would result in another path")
		case plain == "" && !first && !last:
			return "", errors.New("the path has an empty segment (`//`)")
		case plain == "" && first:
			continue
		}
		out.WriteByte('/')
		out.Write(s.text)
	}
	return out.String(), nil
}

// resolve returns the URL below the base.
func (b *urlBuilder) resolve(base *url.URL) (*url.URL, error) {
	raw, err := b.path()
	if err != nil {
		return nil, err
	}
	if raw != "" {
		raw = strings.TrimSuffix(base.EscapedPath(), "/") + raw
	} else {
		raw = base.EscapedPath()
	}
	path, err := url.PathUnescape(raw)
	if err != nil {
		return nil, fmt.Errorf("%q is not a valid path: write %%25 for a percent sign", raw)
	}
	out := &url.URL{Scheme: base.Scheme, Host: base.Host, Path: path, RawPath: raw, RawQuery: b.query.String()}
	if _, err := url.QueryUnescape(out.RawQuery); err != nil {
		return nil, errors.New("the query after `?` has an invalid escape: write %25 for a percent sign")
	}
	return out, nil
}

// CheckPath returns an error if a path that the author wrote is not valid.
func CheckPath(text string) error {
	var b urlBuilder
	if err := b.addParts([]spec.Part{{Text: text, Literal: true}}); err != nil {
		return err
	}
	_, err := b.path()
	return err
}

// resolvePath returns the URL of a path below the base.
func resolvePath(base *url.URL, parts []spec.Part) (*url.URL, error) {
	if base == nil {
		return nil, errors.New("path requires a baseURL; add one here or for all requests (`http: baseURL: …`), or use url instead")
	}
	var b urlBuilder
	if err := b.addParts(parts); err != nil {
		return nil, err
	}
	return b.resolve(base)
}

// ParseURL parses an absolute http or https URL.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it is not a valid URL")
	}
	if u.User != nil {
		return nil, errors.New("it contains a user or a password; use `auth: basic`")
	}
	if u.Host == "" || u.Opaque != "" {
		return nil, errors.New("it has no host (use a URL like https://api.example.com/v1)")
	}
	if _, err := OriginOf(u); err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment = "", ""
	return u, checkDots(u)
}

// checkDots returns an error if a segment of the path is `.` or `..`, however it is escaped.
func checkDots(u *url.URL) error {
	for _, s := range strings.Split(u.EscapedPath(), "/") {
		if plain, err := url.PathUnescape(s); err == nil && (plain == "." || plain == "..") {
			return fmt.Errorf("a segment of its path is %q, which servers resolve to another path", plain)
		}
	}
	return nil
}

// parseBaseURL parses the argument `baseURL`.
func parseBaseURL(text string) (*url.URL, error) {
	u, err := ParseURL(text)
	if err == nil && (u.RawQuery != "" || u.ForceQuery) {
		err = errors.New("it has a query; use the argument `query` of the requests instead")
	}
	if err != nil {
		return nil, fmt.Errorf("baseURL: %w", err)
	}
	return u, nil
}

// parsedBase is the result of parsing a baseURL.
type parsedBase struct {
	url *url.URL
	err error
}

// Bases caches parsed baseURLs, since nearly all requests have the same one.
type Bases struct{ cache Cache[string, parsedBase] }

// Parse returns the parsed baseURL, which must not be modified.
func (b *Bases) Parse(text string) (*url.URL, error) {
	kept := b.cache.Get(text, func() parsedBase {
		u, err := parseBaseURL(text)
		return parsedBase{u, err}
	})
	return kept.url, kept.err
}

// resolveURL returns the address of the argument `url`.
func resolveURL(base *url.URL, parts []spec.Part) (Address, error) {
	if len(parts) == 0 {
		return Address{}, errors.New("url is empty")
	}
	if !parts[0].Literal {
		return resolveValue(base, parts)
	}
	origin, rest, err := literalOrigin(parts)
	if err != nil {
		return Address{}, err
	}
	if origin == nil {
		if strings.HasPrefix(parts[0].Text, "//") {
			return Address{}, errors.New("url begins with `//`; add the scheme")
		}
		u, err := resolvePath(base, parts)
		return Address{URL: u}, err
	}
	u, err := resolvePath(origin, rest)
	return Address{URL: u, FromValue: SpelledOrigin(parts) == ""}, err
}

// resolveValue returns the address of a `url` that begins with a value. The value is a URL,
// absolute or relative to the base.
func resolveValue(base *url.URL, parts []spec.Part) (Address, error) {
	text := parts[0].Text
	ref, err := url.Parse(text)
	if err != nil || text == "" {
		return Address{}, errors.New("url begins with a value that is not a URL")
	}
	out := Address{FromValue: true}
	if ref.Scheme != "" || ref.Host != "" {
		if ref.Scheme == "" && base != nil {
			ref.Scheme = base.Scheme
		}
		ref, err = ParseURL(ref.String())
	} else if base == nil {
		err = errors.New("it is relative, but there is no baseURL")
	} else if err = checkDots(ref); err == nil {
		folder := *base
		folder.Path, folder.RawPath = strings.TrimSuffix(base.Path, "/")+"/", strings.TrimSuffix(base.EscapedPath(), "/")+"/"
		ref.Fragment, ref.RawFragment = "", ""
		ref, out.FromValue = folder.ResolveReference(ref), false
	}
	if err != nil {
		return Address{}, fmt.Errorf("url begins with an invalid value: %w", err)
	}
	out.URL = ref
	if len(parts) == 1 {
		return out, nil
	}
	if ref.RawQuery != "" {
		return Address{}, errors.New("url begins with a URL with a query, so nothing can follow it; use the argument `query` instead")
	}
	out.URL, err = resolvePath(ref, parts[1:])
	return out, err
}

// SpelledOrigin returns the part of a `url` before its path, if the author spelled out the
// domain, else "". The author did so if no value is in it, or if at least two labels follow
// the last value ("https://${inputs.region}.example.com").
func SpelledOrigin(parts []spec.Part) string {
	text, behind := "", ""
	for i, p := range parts {
		if !p.Literal {
			text, behind = text+p.Text, ""
			continue
		}
		from := 0
		if i == 0 {
			if from = strings.Index(p.Text, "://") + 3; from < 3 {
				return ""
			}
		}
		end := strings.IndexAny(p.Text[from:], `/?#\`)
		if end >= 0 {
			text, behind = text+p.Text[:from+end], behind+p.Text[from:from+end]
			break
		}
		text, behind = text+p.Text, behind+p.Text[from:]
	}
	if len(parts) == 0 || !parts[0].Literal {
		return ""
	}
	_, authority, _ := strings.Cut(text, "://")
	host, _, _ := strings.Cut(behind, ":")
	if authority != behind && (strings.Count(host, ".") < 2 || host[0] != '.') {
		return ""
	}
	return text
}

// literalOrigin returns the origin at the beginning of a `url` that begins with literal text,
// and the remaining parts. It returns nil if the `url` is relative. Values in the origin must
// be parts of a host name.
func literalOrigin(parts []spec.Part) (*url.URL, []spec.Part, error) {
	if !strings.Contains(parts[0].Text, "://") || strings.HasPrefix(parts[0].Text, "/") {
		return nil, parts, nil
	}
	text := ""
	for i, p := range parts {
		if !p.Literal {
			// x:// stands for the beginning: OriginPattern checks that the value is part of a host name.
			if _, err := grant.OriginPattern([]spec.Part{{Text: "x://", Literal: true}, p}); err != nil {
				return nil, nil, fmt.Errorf("url: %w", err)
			}
			text += p.Text
			continue
		}
		from := 0
		if i == 0 {
			from = strings.Index(p.Text, "://") + 3
		}
		end := strings.IndexAny(p.Text[from:], "/?#")
		if end < 0 {
			text += p.Text
			continue
		}
		text += p.Text[:from+end]
		u, err := ParseURL(text)
		rest := append([]spec.Part{{Text: p.Text[from+end:], Literal: true}}, parts[i+1:]...)
		return u, rest, wrapURL(err)
	}
	u, err := ParseURL(text)
	return u, nil, wrapURL(err)
}

func wrapURL(err error) error {
	if err != nil {
		return fmt.Errorf("url: %w", err)
	}
	return nil
}

// OriginOf returns the origin of a URL.
func OriginOf(u *url.URL) (grant.Origin, error) {
	if u.Scheme != "http" && u.Scheme != "https" {
		return grant.Origin{}, fmt.Errorf("expected the scheme http or https, got %q", u.Scheme)
	}
	return grant.OriginOf(u)
}

// SameOrigin reports whether both URLs have the same origin.
func SameOrigin(a, b *url.URL) bool {
	if a == nil || b == nil {
		return false
	}
	if a.Scheme == b.Scheme && a.Host == b.Host {
		return true
	}
	x, err := OriginOf(a)
	y, err2 := OriginOf(b)
	return err == nil && err2 == nil && x == y
}

// Display returns the URL for messages: without the query, which may contain secrets, and
// without the origin if it is that of the base.
func Display(u, base *url.URL) string {
	const most = 200
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if !SameOrigin(u, base) {
		path = u.Scheme + "://" + u.Host + path
	}
	if len(path) > most {
		path = path[:most] + "…"
	}
	return path
}
