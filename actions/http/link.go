package http

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/declprov/declprov/actions/http/request"
	"github.com/declprov/declprov/actions/http/verdict"
)

// nextLink follows the header Link (RFC 8288), within the origin.
func (p *pages) nextLink(r *request.Request, a *verdict.Answer) (bool, error) {
	target := linkNext(a.Header)
	if target == "" {
		return false, nil
	}
	here := a.At
	u, err := here.Parse(target)
	switch {
	case err != nil || u.User != nil:
		return false, errors.New("its header Link holds no URL")
	case !request.SameOrigin(u, here):
		return false, fmt.Errorf("its next page is at %s://%s, another origin, which is not followed", u.Scheme, u.Host)
	}
	u.Fragment, u.RawFragment = "", ""
	a.Unsign(u)
	if p.again(u.String()) {
		return false, errors.New("its next page was fetched before: the pages would never end")
	}
	r.At, r.Pairs = request.Address{URL: u}, nil
	return true, nil
}

// linkNext is the target of rel=next, or "".
func linkNext(header http.Header) string {
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
			params, after := linkParams(rest)
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

// linkParams reads the parameters of a link, up to the comma that ends it. The
// first of a name counts.
func linkParams(s string) (params map[string]string, rest string) {
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
		value, s = linkValue(strings.TrimLeft(s[i+1:], " \t"))
		if _, again := params[name]; !again {
			params[name] = value
		}
	}
}

// linkValue reads a parameter's value, in quotes or without.
func linkValue(s string) (value, rest string) {
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
