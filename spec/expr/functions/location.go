package functions

import (
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/spec/expr/eval"
)

func fnSegmentOf(r *eval.Run, a args) (any, error) {
	if a[0] == nil {
		return nil, nil
	}
	text, at, pattern := a.text(0), a.text(1), a.text(2)
	if strings.Count(pattern, "*") != 1 {
		return nil, eval.Faultf("segmentOf: expected a path with one *, got %s", eval.Quote(pattern))
	}
	base, err := url.Parse(at)
	if err != nil || base.Host == "" {
		return nil, eval.Faultf("segmentOf: expected an absolute URL as base, got %s", eval.Quote(at))
	}
	if err := r.Grow(len(text) + len(at) + len(pattern)); err != nil {
		return nil, err
	}
	u, err := base.Parse(text)
	if err != nil || u.User != nil || u.Opaque != "" || originOf(u) != originOf(base) {
		return nil, nil
	}
	folder := base.EscapedPath()
	folder = folder[:strings.LastIndexByte(folder, '/')+1]
	if id, ok := starIn(resolved(folder+pattern), segmentsOf(u.EscapedPath())); ok {
		return id, nil
	}
	return nil, nil
}

// originOf returns the scheme, host and port of a URL.
func originOf(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + strings.ToLower(u.Hostname()) + ":" + port
}

// segmentsOf returns the segments of a path. A slash at the end makes no difference.
func segmentsOf(path string) []string {
	return strings.Split(strings.TrimSuffix(strings.TrimPrefix(path, "/"), "/"), "/")
}

// resolved returns the segments of a path without those of two dots, and those that they remove.
func resolved(path string) []string {
	var out []string
	for _, s := range segmentsOf(path) {
		if s == ".." {
			out = out[:max(len(out)-1, 0)]
			continue
		}
		out = append(out, s)
	}
	return out
}

// starIn returns the segment in place of the star. The others must be equal, however they are escaped.
func starIn(pattern, segments []string) (id string, ok bool) {
	if len(pattern) != len(segments) {
		return "", false
	}
	for i, s := range segments {
		text, err := url.PathUnescape(s)
		want, err2 := url.PathUnescape(pattern[i])
		switch {
		case err != nil || err2 != nil:
			return "", false
		case pattern[i] == "*":
			id = text
			if strings.Contains(s, ";") { // parameters, such as the session of a servlet
				return "", false
			}
		case text != want:
			return "", false
		}
	}
	return id, !slices.Contains([]string{"", ".", ".."}, id) && utf8.ValidString(id)
}
