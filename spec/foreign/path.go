package foreign

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// namePath matches a path of names, index an item in brackets, orEmpty a default for a list at the end of a
// path, and allItems what stands for all its items.
var (
	namePath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_@][\w@:-]*(?:\.[\w@:-]+)*$`) })
	index    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[(?:"([\w-]+)"|'([\w-]+)'|(\d+))\]`) })
	orEmpty  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\s*(?:\?\?|\|\||or)\s*(?:\[\]|null)\s*$|\?$`) })
	allItems = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[[*:]?\]$|\.\*$`) })
)

// Path translates a path of names that is written as an expression, as in JSONPath or in jq: ${body.data},
// $.data, .data. roots are the names that such an expression begins with, and that the path does not have.
func Path(text string, roots ...string) (string, bool) {
	path := strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(path, "${"); ok {
		path = strings.TrimSpace(strings.TrimSuffix(inner, "}"))
	}
	path = strings.TrimPrefix(strings.TrimPrefix(path, "$"), ".")
	for slices.ContainsFunc(roots, func(root string) bool { return strings.HasPrefix(path, root+".") }) {
		_, path, _ = strings.Cut(path, ".")
	}
	return path, path != text && namePath().MatchString(strings.NewReplacer("[", ".", "]", "").Replace(path))
}

// WirePath translates a path of names on the wire, in which an item has its index for a name. A path to a list
// that may be absent ends with a question mark.
func WirePath(text string) (string, bool) {
	path, _ := Path(index().ReplaceAllString(text, ".$1$2$3"), "body", "result", "response", "data.body")
	path, absent := cutEnd(path, orEmpty())
	path, _ = cutEnd(path, allItems())
	ok := namePath().MatchString(path)
	if absent {
		path += "?"
	}
	return path, ok && path != text
}

// cutEnd removes what matches at the end of a text.
func cutEnd(text string, end *regexp.Regexp) (string, bool) {
	at := end.FindStringIndex(text)
	if at == nil {
		return text, false
	}
	return text[:at[0]], true
}

// Patch translates how updates are merged.
func Patch(text string) (string, bool) {
	switch strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(text)) {
	case "mergepatch", "jsonmergepatch", "application/mergepatch+json", "application/merge", "deep":
		return "merge", true
	case "jsonpatch", "application/jsonpatch+json", "rfc6902", "operations", "ops":
		return "json", true
	case "partial", "change", "changed", "delta", "diff":
		return "changes", true
	case "full", "replace", "put", "whole", "complete":
		return "all", true
	default:
		return "", false
	}
}
