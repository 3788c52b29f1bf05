package http

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// nextURL returns the URL of the next page, from the response or from the expression for
// it; "" if there is none. source says where it comes from.
func (p *pages) nextURL(resp *verdict.Response) (target, source string, err error) {
	if p.Next == nil {
		target, err = nextLinkTarget(resp.Header)
		return target, "the header Link", err
	}
	v, err := p.Next(resp.Scope())
	if err != nil {
		return "", "", fmt.Errorf("paginate.next failed: %w", err)
	}
	target, ok := v.(string)
	if v != nil && !ok {
		return "", "", fmt.Errorf("paginate.next returned %s instead of a URL; for a cursor, use `cursor: {param: …, next: …}`", actions.KindOf(v))
	}
	return target, "paginate.next", nil
}

// prepareNextLink sets the URL of the next page, from the header Link (RFC 8288) or from
// `next`. It must have the same origin.
func (p *pages) prepareNextLink(r *request.Request, resp *verdict.Response) (bool, error) {
	target, source, err := p.nextURL(resp)
	if target == "" || err != nil {
		return false, err
	}
	here := resp.URL
	u, err := here.Parse(target)
	switch {
	case err != nil || u.User != nil:
		return false, fmt.Errorf("%s contains an invalid URL", source)
	case !request.SameOrigin(u, here):
		return false, fmt.Errorf("the next page is at another origin, %s://%s, which is not followed", u.Scheme, u.Host)
	}
	u.Fragment, u.RawFragment = "", ""
	resp.RemoveAuthQuery(u)
	if p.wasFollowed(u.String()) {
		return false, errors.New("the next page was already fetched: the pages would never end")
	}
	r.Address, r.Query = request.Address{URL: u}, nil
	return true, nil
}

// errBrokenLink is the error of a header Link that cannot be read. A next page may be in it.
var errBrokenLink = errors.New("the header Link is malformed, so it is not known whether there is another page")

// nextLinkTarget returns the target of rel=next, or "". If there is none, and a part of the header is
// malformed, it returns an error.
func nextLinkTarget(header http.Header) (target string, err error) {
	for _, value := range header.Values("Link") {
		for {
			value = strings.TrimLeft(value, " \t,")
			if value == "" {
				break
			}
			link, rest, ok := strings.Cut(value, ">")
			if !ok || link[0] != '<' {
				err = errBrokenLink
				break
			}
			params, after, ok := parseLinkParams(rest)
			if !ok {
				err = errBrokenLink
			}
			value = after
			if isNext(params["rel"]) {
				if target := strings.TrimSpace(link[1:]); target != "" {
					return target, nil
				}
				err = errBrokenLink // the next page is not this one
			}
		}
	}
	return "", err
}

// isNext reports whether one of the relations is `next`.
func isNext(relations string) bool {
	return slices.ContainsFunc(strings.Fields(relations), func(rel string) bool { return strings.EqualFold(rel, "next") })
}

// parseLinkParams parses the parameters of a link, up to the comma that ends it. Of
// parameters with the same name, the first counts. ok is false if they are malformed.
func parseLinkParams(s string) (params map[string]string, rest string, ok bool) {
	params = map[string]string{}
	for {
		s = strings.TrimLeft(s, " \t")
		if s == "" || s[0] == ',' {
			return params, strings.TrimPrefix(s, ","), true
		}
		if s[0] != ';' {
			_, rest, _ = strings.Cut(s, ",")
			return params, rest, false
		}
		s = strings.TrimLeft(s[1:], " \t")
		i := strings.IndexAny(s, "=;,")
		if i < 0 {
			return params, "", true // a name without a value
		}
		name := strings.ToLower(strings.TrimSpace(s[:i]))
		if s[i] != '=' {
			s = s[i:]
			continue
		}
		value, rest, closed := parseLinkValue(strings.TrimLeft(s[i+1:], " \t"))
		if s = rest; !closed {
			return params, "", false
		}
		if _, again := params[name]; !again {
			params[name] = value
		}
	}
}

// parseLinkValue parses the value of a parameter, quoted or not. ok is false if the quotes are not closed.
func parseLinkValue(s string) (value, rest string, ok bool) {
	if s == "" || s[0] != '"' {
		i := strings.IndexAny(s, ";,")
		if i < 0 {
			return strings.TrimSpace(s), "", true
		}
		return strings.TrimSpace(s[:i]), s[i:], true
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] == '"':
			return b.String(), s[i+1:], true
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), "", false
}
