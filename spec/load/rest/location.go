package rest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// idOfLocation returns the expression for the id in the header Location of the response to a create: it must be the
// path of an object, with a segment in place of ${id}. The URL of an operation, of the collection or of
// another server has no id: deleting by it would delete something else. It is empty if the paths of
// objects do not have the id in a segment of its own.
func idOfLocation(x *expansion) string {
	create := x.path("", false)
	if x.create.path != nil {
		create = x.objectPath(x.create)
	}
	result := resultOfCreate(x)
	headers := strings.TrimPrefix(result+".headers", "result.")
	var ids []string
	for _, r := range []requestLine{{}, x.read} { // a read with a path of its own need not be at the URL of the object
		pattern, ok := relativePattern(create.Text, x.objectPath(r).Text)
		id := fmt.Sprintf("segmentOf(%s.location, %s.url, %s)", headers, result, pattern)
		if ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return strings.Join(append(ids, "''"), " ?? ")
}

var (
	// templateParts matches the expressions of a path, its slashes and the beginning of its query.
	templateParts = regexp.MustCompile(`\$\{[^}]*\}|[/?]`)
	// idRef matches a segment that is the id.
	idRef = regexp.MustCompile(`^\$\{\s*id\s*\}$`)
)

// relativePattern returns the expression for the path of an object relative to that of the create, with a star in place
// of ${id}. Relative to it, because the path of the baseURL is only known at run time, and because the
// parents that both have in common need not be repeated.
func relativePattern(create, object string) (pattern string, ok bool) {
	from, to := splitSegments(create), splitSegments(object)
	folder := from[:len(from)-1]
	common := 0
	for common < len(folder) && common < len(to)-1 && folder[common] == to[common] {
		common++
	}
	for _, s := range append(folder[common:], to[common:]...) {
		if strings.Contains(s, "segments(") {
			return "", false // several segments
		}
	}
	parts := []string{strings.Repeat("../", len(folder)-common)}
	stars := 0
	for i, s := range to[common:] {
		if i > 0 {
			parts[len(parts)-1] += "/"
		}
		if idRef.MatchString(s) {
			parts[len(parts)-1] += "*"
			stars++
			continue
		}
		at := 0
		for _, m := range templateParts.FindAllStringIndex(s, -1) {
			parts[len(parts)-1] += literalSegment(s[at:m[0]])
			parts = append(parts, "urlencode("+strings.TrimSpace(s[m[0]+2:m[1]-1])+")", "")
			at = m[1]
		}
		parts[len(parts)-1] += literalSegment(s[at:])
	}
	var terms []string
	for i, p := range parts {
		switch {
		case i%2 == 1:
			terms = append(terms, p)
		case p != "":
			terms = append(terms, "'"+p+"'")
		}
	}
	return strings.Join(terms, " + "), stars == 1
}

// splitSegments returns the segments of a path, without its query.
func splitSegments(path string) []string {
	var segments []string
	at := 0
	for _, m := range templateParts.FindAllStringIndex(path, -1) {
		switch path[m[0]] {
		case '/':
			segments = append(segments, path[at:m[0]])
			at = m[1]
		case '?':
			return append(segments, path[at:m[0]])
		}
	}
	return append(segments, path[at:])
}

// literalSegment escapes what has a meaning in a pattern or in the text of an expression.
func literalSegment(s string) string {
	return strings.NewReplacer("*", "%2A", "'", "%27", `\`, "%5C").Replace(s)
}
