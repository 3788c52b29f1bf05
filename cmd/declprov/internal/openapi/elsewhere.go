package openapi

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Some APIs have a path for each operation: POST /volumes/create, GET /containers/{id}/json, POST /users/{id}/delete. Others have the list
// at the plural of the path of an object: GET /silences and GET /silence/{id}.

// verbs are the last segments of paths that stand for an operation.
var verbs = map[string][]string{
	"create": {"create", "add", "new", "register"},
	"list":   {"list", "all", "json"},
	"read":   {"json", "get", "info", "inspect", "details"},
	"update": {"update", "edit", "modify"},
	"delete": {"delete", "remove"},
}

// findElsewhere adds to the operations of an endpoint those that the document has at other paths.
func (e *endpoint) findElsewhere(doc *Document) {
	sibling := siblingOf(doc, e.collection)
	if !has(e.objects, "post") {
		e.adopt(doc, &e.objects, "create", "post", e.collection, sibling, http.MethodPost)
	}
	if !has(e.objects, "get") {
		e.adopt(doc, &e.objects, "list", "get", e.collection, sibling, http.MethodGet)
	}
	if !has(e.object, "get") {
		e.adopt(doc, &e.object, "read", "get", e.item, "", http.MethodGet)
	}
	if !has(e.object, "patch", "put", "post") {
		e.adopt(doc, &e.object, "update", "", e.item, "", http.MethodPatch, http.MethodPut, http.MethodPost)
	}
	if !has(e.object, "delete") {
		e.adopt(doc, &e.object, "delete", "delete", e.item, "", http.MethodDelete, http.MethodPost)
	}
}

// adopt adds the first operation of a kind that has one of the methods, at a path below another one or at its sibling.
func (e *endpoint) adopt(doc *Document, to *part, kind, as, path, sibling string, methods ...string) {
	paths := []string{sibling}
	for _, verb := range verbs[kind] {
		paths = append(paths, strings.TrimSuffix(path, "/")+"/"+verb)
	}
	for _, at := range paths {
		for _, method := range methods {
			o := doc.paths.get(at).get(strings.ToLower(method))
			if at == "" || !o.exists() || requiredIn(o, "query") != nil || kind == "update" && !bodyOf(o).exists() || kind == "list" && !listsObjects(o) {
				continue
			}
			if as == "" {
				as = strings.ToLower(method)
			}
			*to = with(*to, as, o)
			e.at(kind, method, at)
			return
		}
	}
}

func listsObjects(o part) bool {
	_, ok := itemsOf(responseOf(o))
	return ok
}

// at notes that an operation is a request with a path of its own.
func (e *endpoint) at(kind, method, path string) {
	if e.elsewhere == nil {
		e.elsewhere = map[string]place{}
	}
	e.elsewhere[kind] = place{method, path}
}

// with returns the operations of a path and one more.
func with(item part, method string, o part) part {
	out := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	if r := item.resolved(); r.node != nil && r.node.Kind == yaml.MappingNode {
		out.Content = slices.Clone(r.node.Content)
	}
	out.Content = append(out.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: method}, o.resolved().node)
	return part{node: out, file: o.resolved().file}
}

// siblingOf returns the path whose last segment is the plural or the singular of that of another one, or "" if the document has none, or it
// has objects of its own.
func siblingOf(doc *Document, path string) string {
	at := strings.LastIndex(path, "/")
	if at < 0 || parameterIn(path[at+1:]) != "" {
		return ""
	}
	english := nouns()
	for _, other := range []string{english.Plural(path[at+1:]), english.Singular(path[at+1:])} {
		sibling := path[:at+1] + other
		if sibling != path && doc.paths.get(sibling).exists() && !hasItems(doc, sibling) {
			return sibling
		}
	}
	return ""
}

// createOfOwner looks for a path that creates the objects of another one, whose parents it names differently: the objects at
// /repos/{owner}/{repo} are created at /orgs/{org}/repos. Others that create them, too, such as /user/repos, are noted.
func (e *endpoint) createOfOwner(doc *Document) {
	all, _, _ := segments(e.item)
	first := slices.IndexFunc(all, func(s string) bool { return parameterIn(s) != "" })
	if has(e.objects, "post") || first < 1 || len(e.parents) == 0 || first+len(e.parents)+1 != len(all) {
		return // not /repos/{owner}/{repo}
	}
	noun, shown := all[first-1], viewOf(responseOf(e.object.get("get"))).name
	if shown == "" {
		return
	}
	paths := slices.SortedStableFunc(slices.Values(doc.paths.keys()), func(a, b string) int { return cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")) })
	for _, path := range paths {
		o := doc.paths.get(path).get("post")
		parts, params, ok := segments(path)
		if !ok || !o.exists() || o.get("deprecated").isTrue() || parts[len(parts)-1] != noun || viewOf(responseOf(o)).name != shown {
			continue
		}
		if _, found := e.elsewhere["create"]; found || len(params) != len(e.parents) || parameterIn(parts[0]) != "" {
			e.others = append(e.others, path)
			continue
		}
		for i, name := range params {
			path = strings.ReplaceAll(path, "{"+name+"}", "{\x00"+e.parents[i]+"}")
		}
		e.objects = with(e.objects, "post", o)
		e.at("create", http.MethodPost, strings.ReplaceAll(path, "\x00", ""))
	}
}

// postCreates reports whether POST to the path of an object creates it. A PUT of the same path then only changes it.
func postCreates(item part, param string) bool {
	post, put := item.get("post"), item.get("put")
	if !bodyOf(post).exists() || !canBeChosen(param) || slices.Contains(changing, verbOf(post)) {
		return false
	}
	return !put.exists() || slices.Contains(creating, verbOf(post)) && !slices.Contains(creating, verbOf(put))
}

// verbOf returns what an operation does, as its name or its summary says: its first word.
func verbOf(o part) string {
	for _, text := range []string{o.get("operationId").text(), o.get("summary").text()} {
		text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) }), "_")
		for _, word := range words(text) {
			if slices.Contains(creating, word) || slices.Contains(changing, word) {
				return word
			}
		}
	}
	return ""
}

var (
	// creating are the words for an operation that makes what does not exist, and changing those for one that does not.
	creating = []string{"create", "creates", "upsert", "upserts", "add", "adds", "put", "register", "registers"}
	changing = []string{"update", "updates", "edit", "edits", "modify", "modifies", "change", "changes", "replace", "replaces", "patch", "stop", "start"}
)
