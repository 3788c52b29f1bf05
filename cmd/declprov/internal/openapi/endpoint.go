package openapi

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/gertd/go-pluralize"

	"github.com/declprov/declprov/spec/names"
)

// endpoint is a path of a document that may be an object: a collection with the objects in it, or settings of which there is one.
type endpoint struct {
	// item is the path of an object, and collection the path that contains it, or "" for settings.
	item, collection string
	// object and objects have the operations of these paths. Objects is absent for settings and for objects that PUT creates.
	object, objects part
	// param is the parameter of the id, the last one in item. Parents are the parameters before it.
	param   string
	parents []string
	// elsewhere are the operations that have a path of their own, by their kind: create, list, read, update, delete.
	elsewhere map[string]place
	// others are further paths that create such objects.
	others []string
}

// place is a request of a document.
type place struct{ method, path string }

// extensionOf returns the format at the end of a segment, as APIs of Rails and Twilio have it (/calls.json, /calls/{id}.json), or "".
func extensionOf(segment string) string {
	for _, extension := range []string{".json", ".xml"} {
		if strings.HasSuffix(segment, extension) && segment != extension {
			return extension
		}
	}
	return ""
}

// parameterIn returns the name of the parameter that a segment is, with or without a format, or "".
func parameterIn(segment string) string {
	name, ok := strings.CutPrefix(strings.TrimSuffix(segment, extensionOf(segment)), "{")
	name, closed := strings.CutSuffix(name, "}")
	if !ok || !closed || strings.ContainsAny(name, "{}") {
		return ""
	}
	return name
}

// isPlain reports whether a segment stands for itself, also in a template.
func isPlain(segment string) bool { return !strings.ContainsAny(segment, "{}$\"\\ ?#") }

// segments returns the segments of a path, and the names of its parameters. ok is false if a segment is both, like {id}:start.
func segments(path string) (all, params []string, ok bool) {
	all = strings.Split(strings.Trim(path, "/"), "/")
	for _, s := range all {
		if name := parameterIn(s); name != "" {
			params = append(params, name)
		} else if !isPlain(s) {
			return all, params, false
		}
	}
	return all, params, true
}

// endpoints returns the endpoints of a document in the order of their paths, and the paths that are none with the reason.
func endpoints(doc *Document) ([]endpoint, []LeftOut) {
	var found []endpoint
	var left []LeftOut
	used := map[string]bool{}
	paths := slices.SortedFunc(slices.Values(doc.paths.keys()), func(a, b string) int {
		// An object before the collection that it uses, and long paths, which are below others, later.
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	for _, path := range paths {
		e, reason := endpointAt(doc, path)
		switch {
		case reason != "":
			left = append(left, LeftOut{path, reason})
		case e != nil:
			found = append(found, *e)
			used[e.item], used[e.collection] = true, true
			for _, at := range e.elsewhere {
				used[at.path] = true
			}
		}
	}
	for _, path := range paths {
		if !used[path] && !slices.ContainsFunc(left, func(l LeftOut) bool { return l.Path == path }) {
			left = append(left, LeftOut{path, whyNone(doc, path)})
		}
	}
	slices.SortFunc(found, func(a, b endpoint) int { return cmp.Compare(a.item, b.item) })
	slices.SortFunc(left, func(a, b LeftOut) int { return cmp.Compare(a.Path, b.Path) })
	return found, left
}

// whyNone tells why a path is no part of a resource.
func whyNone(doc *Document, path string) string {
	item := doc.paths.get(path)
	all, _, _ := segments(path)
	switch {
	case !has(item, "post", "put", "patch", "delete"):
		return "it is only read"
	case parameterIn(all[len(all)-1]) == "":
		return "it is not the path of an object"
	case !has(item, "get"):
		return "it has no GET for an object"
	default:
		return "it has neither a POST to the path before it, nor a PUT"
	}
}

// endpointAt returns the endpoint of the objects at a path, or nil. The reason says what is wrong with one that looks like it.
func endpointAt(doc *Document, path string) (*endpoint, string) {
	item := doc.paths.get(path)
	all, params, ok := segments(path)
	if !ok {
		return nil, "a segment of the path is text and a parameter"
	}
	if last := parameterIn(all[len(all)-1]); last != "" {
		e := &endpoint{item: path, object: item, param: last, parents: params[:len(params)-1]}
		e.collection, e.objects = collectionOf(doc, path)
		e.findElsewhere(doc)
		if !has(e.objects, "post") && !(has(item, "put") && hasNoBody(item.get("put"))) {
			e.createElsewhere(doc)
			e.createOfOwner(doc)
		}
		if !has(e.objects, "post") && !hasItems(doc, path) && postCreates(item, e.param) {
			e.objects = with(e.objects, "post", item.get("post"))
			e.at("create", http.MethodPost, e.item)
		}
		switch {
		case slices.Contains(e.parents, e.param):
			return nil, "two parameters of the path have the same name"
		case !has(e.objects, "post") && !has(item, "put"):
			return nil, ""
		case !has(e.object, "get") && !has(e.objects, "get"):
			return nil, ""
		}
		return e, ""
	}
	if !has(item, "get") || !has(item, "put", "patch") || has(item, "post", "delete") || hasItems(doc, path) {
		return nil, ""
	}
	return &endpoint{item: path, object: item, parents: params}, ""
}

// collectionOf returns the path without its last segment, with or without a slash or the same format at its end, and its operations.
func collectionOf(doc *Document, path string) (string, part) {
	base := strings.TrimSuffix(path, "/")
	base = base[:strings.LastIndex(base, "/")]
	for _, candidate := range []string{base + extensionOf(path), base, base + "/"} {
		if item := doc.paths.get(candidate); item.exists() && base != "" {
			return candidate, item
		}
	}
	return base, part{}
}

// createElsewhere looks for the only other path of the same name that creates objects: the objects at /tasks/{id} may be created, and
// listed, at /projects/{id}/tasks.
func (e *endpoint) createElsewhere(doc *Document) {
	all, _, _ := segments(e.item)
	if len(all) < 2 || len(e.parents) > 0 {
		return
	}
	found := ""
	for _, other := range doc.paths.keys() {
		if !strings.HasSuffix(other, "}/"+all[len(all)-2]+extensionOf(e.item)) || !doc.paths.get(other).get("post").exists() {
			continue
		}
		if found != "" {
			return
		}
		found = other
	}
	_, params, ok := segments(found)
	if found == "" || !ok || slices.Contains(params, e.param) {
		return
	}
	e.collection, e.objects, e.parents = found, doc.paths.get(found), params
}

// hasItems reports whether a path contains objects.
func hasItems(doc *Document, path string) bool {
	below := strings.TrimSuffix(strings.TrimSuffix(path, "/"), extensionOf(path)) + "/{"
	for _, other := range doc.paths.keys() {
		if strings.HasPrefix(other, below) {
			return true
		}
	}
	return false
}

// nouns returns what knows the plurals of English, and the names that only look like plurals.
func nouns() *pluralize.Client {
	c := pluralize.NewClient()
	for _, name := range []string{"Aws", "Dns", "Tls", "Sms", "Gps", "Cors", "Https", "Kms", "Iops", "Css", "Os", "Sns", "Sqs", "Eks", "Ecs", "Rds", "Sms"} {
		c.AddUncountableRule(name)
	}
	return c
}

// nameOf returns the names of the resource of an endpoint, the best one first: the singular of the last segment, and then with its parents.
func (e endpoint) nameOf() []string {
	path := e.collection
	if e.collection == "" {
		path = e.item
	}
	all, _, _ := segments(path)
	english := nouns()
	var out []string
	name := ""
	for _, s := range slices.Backward(all) {
		if parameterIn(s) != "" || s == "" {
			continue
		}
		word := names.Pascal(names.Suggest(strings.ReplaceAll(strings.TrimSuffix(s, extensionOf(s)), ".", "_"), true))
		if e.collection != "" || name != "" {
			word = english.Singular(word)
		}
		name = word + name
		out = append(out, name)
	}
	if out == nil {
		return []string{"Object"}
	}
	return out
}

// parentNames returns the names of the inputs for the parents, by the parameter.
func (e endpoint) parentNames() map[string]string {
	out := map[string]string{}
	all, _, _ := segments(cmp.Or(e.collection, e.item))
	english := nouns()
	for i, s := range all {
		param := parameterIn(s)
		if param == "" || !slices.Contains(e.parents, param) {
			continue
		}
		name := declared(param)
		if i > 0 && slices.Contains([]string{"id", "uuid", "name", "key", "slug", "pk", "ref", "urn"}, strings.ToLower(param)) {
			name = declared(english.Singular(all[i-1])) + names.Pascal(name)
		}
		out[param] = name
	}
	return out
}

// has reports whether a path has one of the operations.
func has(item part, methods ...string) bool {
	return slices.ContainsFunc(methods, func(m string) bool { return item.get(m).exists() })
}

// operation is an operation with its method, or absent.
type operation struct {
	method string
	part
}

func operationOf(item part, method string) operation {
	return operation{method, item.get(strings.ToLower(method))}
}

// change returns the operation that updates an object, if any.
func (e endpoint) change() operation {
	for _, method := range []string{http.MethodPatch, http.MethodPut, http.MethodPost} {
		if o := operationOf(e.object, method); bodyOf(o.part).exists() {
			return o
		}
	}
	return operation{}
}

// isJSON reports whether a body of a type is in JSON.
func isJSON(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	media = strings.TrimSpace(media)
	return media == "*/*" || media == "text/json" || media == "application/json" || strings.HasPrefix(media, "application/") && strings.HasSuffix(media, "+json")
}

// inJSON returns the schema of a body in JSON, and its type.
func inJSON(content part) (part, string) {
	preferred := []string{"application/json-patch+json", "application/merge-patch+json", "application/json"}
	for _, name := range slices.SortedFunc(slices.Values(content.keys()), func(a, b string) int {
		return cmp.Or(-cmp.Compare(slices.Index(preferred, a), slices.Index(preferred, b)), cmp.Compare(a, b))
	}) {
		if of := content.get(name).get("schema"); isJSON(name) && of.exists() {
			return of, name
		}
	}
	return part{}, ""
}

// bodyOf returns the schema of the body of an operation, if any: of JSON or, if there is none, of a form. In version 2.0 it is a parameter.
func bodyOf(o part) part {
	for _, p := range o.get("parameters").list() {
		if p.get("in").text() == "body" {
			return p.get("schema")
		}
	}
	if of, _ := inJSON(o.get("requestBody").get("content")); of.exists() {
		return of
	}
	return formOf(o)
}

// responseOf returns the schema of the response to an operation that succeeds, if any.
func responseOf(o part) part {
	for _, status := range []string{"200", "201", "202", "203", "2XX", "default"} {
		r := o.get("responses").get(status)
		if of, _ := inJSON(r.get("content")); of.exists() {
			return of
		}
		if of := r.get("schema"); of.exists() { // version 2.0
			return of
		}
	}
	return part{}
}
