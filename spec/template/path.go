package template

import (
	"regexp"
	"slices"
	"strings"
)

// ofProvider matches an expression that has the same value for all objects.
var ofProvider = regexp.MustCompile(`^\s*(config|session)\b[\w.]*\s*$`)

// NamedPath returns the path of a request that does not name its object yet, by that of a request that does, such as
// the one of read. The object has the same segments in both; what else the path has stays behind them.
func NamedPath(path, read string) (named string) {
	path = strings.TrimSuffix(path, "/")
	segments, query := segmentsOf(read)
	if end := len(segments) - 1; end > 0 && segments[end] == "" {
		segments = segments[:end]
		defer func() { named += "/" }()
	}
	last := lastOf(segments)
	if last < 0 {
		if IsTemplate(query) && join(segments) == path {
			return path + "?" + query
		}
		return path + "/${id}"
	}
	own, _ := segmentsOf(path)
	fixed := namesOf(segments)
	switch {
	case slices.Equal(own, fixed):
		return join(segments)
	case len(own) > len(fixed) && slices.Equal(own[:len(fixed)], fixed):
		return join(append(segments, own[len(fixed):]...))
	case len(own) < len(fixed) && slices.Equal(own, fixed[:len(own)]) && len(own) <= len(namesOf(segments[:last])):
		return join(segments[:last+1])
	default:
		first := slices.IndexFunc(segments, isObject)
		if len(own) > first && slices.Equal(own[:first], segments[:first]) && first == last {
			return join(slices.Concat(segments[:last+1], own[first:]))
		}
		return path + "/" + segments[last]
	}
}

// segmentsOf returns the segments of a path, and its query. An expression may contain slashes and question marks.
func segmentsOf(path string) (segments []string, query string) {
	pieces, bad := Scan(path)
	if bad != nil {
		return strings.Split(path, "/"), ""
	}
	segments, inQuery := []string{""}, false
	for _, p := range pieces {
		text, more := p.Text, ""
		switch {
		case p.Expr && inQuery:
			query += "${" + text + "}"
			continue
		case p.Expr:
			segments[len(segments)-1] += "${" + text + "}"
			continue
		case inQuery:
			query += text
			continue
		}
		text, more, inQuery = strings.Cut(text, "?")
		query += more
		parts := strings.Split(text, "/")
		segments[len(segments)-1] += parts[0]
		segments = append(segments, parts[1:]...)
	}
	return segments, query
}

func join(segments []string) string { return strings.Join(segments, "/") }

// isObject reports whether a segment says which object a request is about.
func isObject(segment string) bool {
	pieces, bad := Scan(segment)
	return bad == nil && slices.ContainsFunc(pieces, func(p Piece) bool { return p.Expr && !ofProvider.MatchString(p.Text) })
}

// lastOf returns the index of the last segment that says which object a request is about, or -1.
func lastOf(segments []string) int {
	for i := len(segments) - 1; i >= 0; i-- {
		if isObject(segments[i]) {
			return i
		}
	}
	return -1
}

// namesOf returns the segments that are the same for all objects.
func namesOf(segments []string) []string {
	return slices.DeleteFunc(slices.Clone(segments), isObject)
}
