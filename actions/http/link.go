package http

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// nextURL returns the URL of the next page, from the response or from the expression for
// it; "" if there is none. source says where it comes from.
func (p *pages) nextURL(resp *verdict.Response) (target, source string, err error) {
	if p.Next == nil {
		return nextLinkTarget(resp.Header), "the header Link", nil
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
	if target == "" {
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

// nextLinkTarget returns the target of rel=next, or "".
func nextLinkTarget(header http.Header) string {
	for _, value := range header.Values("Link") {
		for value != "" {
			_, rest, ok := strings.Cut(value, "<")
			if !ok {
				break
			}
			target, rest, ok := strings.Cut(rest, ">")
			if !ok {
				break
			}
			params, after := parseLinkParams(rest)
			value = after
			for _, rel := range strings.Fields(params["rel"]) {
				if strings.EqualFold(rel, "next") {
					return strings.TrimSpace(target)
				}
			}
		}
	}
	return ""
}

// parseLinkParams parses the parameters of a link, up to the comma that ends it. Of
// parameters with the same name, the first counts.
func parseLinkParams(s string) (params map[string]string, rest string) {
	params = map[string]string{}
	for {
		s = strings.TrimLeft(s, " \t")
		if s == "" || s[0] != ';' {
			return params, strings.TrimPrefix(s, ",")
		}
		s = strings.TrimLeft(s[1:], " \t")
		i := strings.IndexAny(s, "=;,")
		if i < 0 {
			return params, ""
		}
		name := strings.ToLower(strings.TrimSpace(s[:i]))
		if s[i] != '=' {
			s = s[i:]
			continue
		}
		var value string
		value, s = parseLinkValue(strings.TrimLeft(s[i+1:], " \t"))
		if _, again := params[name]; !again {
			params[name] = value
		}
	}
}

// parseLinkValue parses the value of a parameter, quoted or not.
func parseLinkValue(s string) (value, rest string) {
	if s == "" || s[0] != '"' {
		i := strings.IndexAny(s, ";,")
		if i < 0 {
			return strings.TrimSpace(s), ""
		}
		return strings.TrimSpace(s[:i]), s[i:]
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] == '"':
			return b.String(), s[i+1:]
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), ""
}
