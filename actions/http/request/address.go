package request

import (
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/declprov/declprov/actions/grant"
	"github.com/declprov/declprov/spec"
)

// Address is where a request goes.
type Address struct {
	URL *url.URL
	// Chosen says that a value, not the author, said which origin it is.
	Chosen bool
}

// builder joins the parts of a path or URL. A value never becomes more than
// text in the place where it stands: one segment, or part of one.
type builder struct {
	segments []segment
	query    strings.Builder
	// inQuery says that a literal `?` is behind us.
	inQuery bool
}

// segment is what stands between two slashes, escaped.
type segment struct {
	text []byte
	// valued says that a value is in it.
	valued bool
}

func (b *builder) add(parts []spec.Part) error {
	b.segments = []segment{{}}
	for _, p := range parts {
		last := &b.segments[len(b.segments)-1]
		switch {
		case p.Literal:
			if err := b.literal(p.Text); err != nil {
				return err
			}
		case b.inQuery:
			b.query.WriteString(escapeQuery(p.Text))
		default:
			last.valued = true
			last.text = append(last.text, url.PathEscape(p.Text)...)
		}
	}
	return nil
}

// literal is the author's own text: its slashes part segments, a `?` begins the
// query, and what is escaped in it stays so.
func (b *builder) literal(s string) error {
	for i := range len(s) {
		last := &b.segments[len(b.segments)-1]
		switch c := s[i]; {
		case c == '#':
			return errors.New("a request has no fragment: leave out what begins with `#`, or write %23")
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

// escapeLiteral appends a byte of the author's, escaped if no URL may hold it.
func escapeLiteral(b []byte, c byte) []byte {
	if c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}", c) >= 0 {
		return fmt.Appendf(b, "%%%02X", c)
	}
	return append(b, c)
}

// joined is the path. An empty segment may stand at the very beginning (of
// `/pets`) and, where no value made it, at the very end (of `/pets/`).
func (b *builder) joined() (string, error) {
	var out strings.Builder
	for i, s := range b.segments {
		plain, err := url.PathUnescape(string(s.text))
		first, last := i == 0, i == len(b.segments)-1
		switch {
		case err != nil:
			return "", fmt.Errorf("%q is not a part of a path: write %%25 for a percent sign", s.text)
		case plain == "." || plain == "..":
			return "", fmt.Errorf("a segment of the path is %q, which servers take for another path", plain)
		case plain == "" && s.valued:
			return "", errors.New("a value in the path is empty, which would make it another path")
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

// onto joins what was built to a base.
func (b *builder) onto(base *url.URL) (*url.URL, error) {
	raw, err := b.joined()
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
		return nil, fmt.Errorf("%q is not a path: write %%25 for a percent sign", raw)
	}
	out := &url.URL{Scheme: base.Scheme, Host: base.Host, Path: path, RawPath: raw, RawQuery: b.query.String()}
	if _, err := url.QueryUnescape(out.RawQuery); err != nil {
		return nil, errors.New("the query after `?` is not escaped: write %25 for a percent sign")
	}
	return out, nil
}

// CheckPath returns what is wrong with a path of the author's own text.
func CheckPath(text string) error {
	var b builder
	if err := b.add([]spec.Part{{Text: text, Literal: true}}); err != nil {
		return err
	}
	_, err := b.joined()
	return err
}

// below is the address of a path.
func below(base *url.URL, parts []spec.Part) (*url.URL, error) {
	if base == nil {
		return nil, errors.New("a path needs a baseURL to start at; give one, here or for all requests (`http: baseURL: …`), or give url instead")
	}
	var b builder
	if err := b.add(parts); err != nil {
		return nil, err
	}
	return b.onto(base)
}

// ParseURL parses a URL that a value or baseURL is.
func ParseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it cannot be parsed as a URL")
	}
	if u.User != nil {
		return nil, errors.New("it holds a user or a password; use `auth: basic`")
	}
	if u.Host == "" || u.Opaque != "" {
		return nil, errors.New("it has no host; write it like https://api.example.com/v1")
	}
	if _, err := OriginOf(u); err != nil {
		return nil, err
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// baseURL parses the base of paths.
func baseURL(text string) (*url.URL, error) {
	u, err := ParseURL(text)
	if err == nil && (u.RawQuery != "" || u.ForceQuery) {
		err = errors.New("it has a query; give `query` to the requests")
	}
	if err != nil {
		return nil, fmt.Errorf("baseURL: %w", err)
	}
	return u, nil
}

// parsedBase is what a baseURL was parsed to.
type parsedBase struct {
	url *url.URL
	err error
}

// Bases are parsed baseURLs: that of a request is nearly always the one of the request
// before.
type Bases struct{ kept Kept[string, parsedBase] }

// Parse returns the parsed baseURL. Nobody may change it.
func (b *Bases) Parse(text string) (*url.URL, error) {
	kept := b.kept.Get(text, func() parsedBase {
		u, err := baseURL(text)
		return parsedBase{u, err}
	})
	return kept.url, kept.err
}

// located is the address of a `url`.
func located(base *url.URL, parts []spec.Part) (Address, error) {
	if len(parts) == 0 {
		return Address{}, errors.New("url is empty")
	}
	if !parts[0].Literal {
		return valued(base, parts)
	}
	origin, rest, err := leading(parts)
	if err != nil {
		return Address{}, err
	}
	if origin == nil {
		if strings.HasPrefix(parts[0].Text, "//") {
			return Address{}, errors.New("url begins with `//`; write the scheme too")
		}
		u, err := below(base, parts)
		return Address{URL: u}, err
	}
	u, err := below(origin, rest)
	return Address{URL: u, Chosen: Spelled(parts) == ""}, err
}

// valued is the address that begins with a value: a URL, absolute or relative
// to the base.
func valued(base *url.URL, parts []spec.Part) (Address, error) {
	text := parts[0].Text
	ref, err := url.Parse(text)
	if err != nil || text == "" {
		return Address{}, errors.New("url begins with a value that is not a URL")
	}
	out := Address{Chosen: true}
	if ref.Scheme != "" || ref.Host != "" {
		if ref.Scheme == "" && base != nil {
			ref.Scheme = base.Scheme
		}
		ref, err = ParseURL(ref.String())
	} else if base == nil {
		err = errors.New("it is relative, and there is no baseURL")
	} else {
		folder := *base
		folder.Path, folder.RawPath = strings.TrimSuffix(base.Path, "/")+"/", strings.TrimSuffix(base.EscapedPath(), "/")+"/"
		ref.Fragment, ref.RawFragment = "", ""
		ref, out.Chosen = folder.ResolveReference(ref), false
	}
	if err != nil {
		return Address{}, fmt.Errorf("url begins with a value that cannot be used: %w", err)
	}
	out.URL = ref
	if len(parts) == 1 {
		return out, nil
	}
	if ref.RawQuery != "" {
		return Address{}, errors.New("url begins with a URL that has a query, and more follows; give `query` instead")
	}
	out.URL, err = below(ref, parts[1:])
	return out, err
}

// Spelled is the beginning of a URL, up to where its path begins, where its author has
// spelled out which domain it is in: all of it, or what stands behind the last value, of
// two names at least ("https://${inputs.region}.example.com"). Else it is "".
func Spelled(parts []spec.Part) string {
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

// leading is the origin that literal text begins a URL with, and what follows;
// nil where it is relative. Values in it are parts of a name.
func leading(parts []spec.Part) (*url.URL, []spec.Part, error) {
	if !strings.Contains(parts[0].Text, "://") || strings.HasPrefix(parts[0].Text, "/") {
		return nil, parts, nil
	}
	text := ""
	for i, p := range parts {
		if !p.Literal {
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

// OriginOf is where requests to the URL go.
func OriginOf(u *url.URL) (grant.Origin, error) {
	if u.Scheme != "http" && u.Scheme != "https" {
		return grant.Origin{}, fmt.Errorf("%q is not http or https", u.Scheme)
	}
	return grant.OriginOf(u)
}

// SameOrigin reports whether requests to both go to one place.
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

// Display is a URL as messages have it: without its query, which may hold
// secrets, and without the origin where that is the base's.
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
