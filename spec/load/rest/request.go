package rest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
	"github.com/declprov/declprov/spec/template"
)

// requestLine is how the request of one operation differs from the conventional one: its method, and
// its path if the author wrote one, as in `update: "PUT /pets/${id}/name"`.
type requestLine struct {
	key, method string
	path        *spec.Node
}

// requests are the requests of the operations.
type requests struct {
	create, read, update, delete, find, list requestLine
}

// ofObjects returns the requests for an object that exists.
func (r *requests) ofObjects() []requestLine { return []requestLine{r.read, r.update, r.delete} }

// lists reports whether the API can list its objects.
func (r *requests) lists() bool { return r.list.method != "none" }

// readsList reports whether an object can only be found in the list.
func (r *requests) readsList() bool { return r.read.method == "list" }

// paths returns the paths of the requests for an object that exists, if object is the path that the
// author wrote for all of them. It returns no path for a request whose path follows from that of the
// collection, or that is written next to rest, and then conventional is true.
func (r *requests) paths(object *spec.Node, own map[string]bool) (written []*spec.Node, conventional bool) {
	for _, line := range r.ofObjects() {
		switch {
		case line.method == "none":
		case line.path != nil && !own[line.key]:
			written = append(written, line.path)
		case object != nil:
			written = append(written, object)
		default:
			conventional = true
		}
	}
	return written, conventional
}

// readRequests reads the options that say how requests differ.
func (x *options) readRequests() {
	read := func(n *spec.Node, key, def string, words, methods []string) requestLine {
		line, wrong := parseRequest(n, key, def, words, methods)
		if wrong != nil {
			d := x.fail(source.CodeBadValue, n.Range, key, wrong.summary, wrong.detail)
			if wrong.known != nil {
				d.Meant(wrong.given, wrong.known)
			}
			if wrong.text != "" {
				d.Replace(n.Text, wrong.text)
			}
		}
		return line
	}
	if x.s.Singleton {
		requestsOfSingleton(x, read)
		return
	}
	r := &x.requests
	r.create = read(x.s.Create, "create", "POST", block.RestCreates, block.RestSends)
	updates := map[bool]string{true: "PUT", false: "PATCH"}[r.create.method == "PUT" || patchesObject(x.s)]
	r.read = read(x.s.Read, "read", "GET", block.RestReads, block.RestGets)
	r.update = read(x.s.Update, "update", updates, block.RestUpdates, block.RestSends)
	r.delete = read(x.s.Delete, "delete", "DELETE", block.RestDeletes, block.RestDeletes)
	r.find = read(x.s.Find, "find", "GET", nil, block.RestGets)
	r.list = read(x.s.List, "list", "GET", block.RestLists, block.RestListings)
}

// wrongRequest is what is wrong with a request: given is a part that is none of those known, and text
// is what to write in place of the whole.
type wrongRequest struct {
	summary, detail, given string
	known                  []string
	text                   string
}

// parseRequest reads an option that is a word, or a method and a path. For one that is absent or
// invalid it returns the default, and what is wrong.
func parseRequest(n *spec.Node, key, def string, words, methods []string) (requestLine, *wrongRequest) {
	line := requestLine{key, def, nil}
	if n == nil || n.Kind == 0 {
		return line, nil
	}
	if slices.Contains(words, n.Text) {
		return requestLine{key, n.Text, nil}, nil
	}
	method, path, two := strings.Cut(n.Text, " ")
	path = strings.TrimLeft(path, " ")
	example := fmt.Sprintf("Write the method and the path: `%s: \"%s /pets/…\"`.", key, methods[0])
	switch {
	case strings.HasPrefix(n.Text, "/"):
		text := methods[0] + " " + n.Text
		return line, &wrongRequest{summary: "the path has no method", detail: fmt.Sprintf("Write the method before it: `%s: %q`.", key, text), text: text}
	case key != "find" && without.MatchString(n.Text):
		remedy, own := WithoutRemedy(key)
		return line, &wrongRequest{summary: fmt.Sprintf("%q is not a value of %s", n.Text, key), detail: remedy, text: strings.Trim(own, `"`)}
	case glued.MatchString(n.Text):
		m := glued.FindStringSubmatch(n.Text)
		text := strings.ToUpper(m[1]) + " " + m[2]
		return line, &wrongRequest{summary: fmt.Sprintf("%q is not a request", n.Text), detail: fmt.Sprintf("Write the method, a space and the path: `%s: %q`.", key, text), text: text}
	case !two && n.Text == def:
		return line, &wrongRequest{summary: fmt.Sprintf("%q is not a value of %s", n.Text, key), detail: fmt.Sprintf("It is the default: remove `%s`. Or write the path as well: `%[1]s: \"%s /pets/…\"`.", key, def)}
	case !two && words == nil:
		return line, &wrongRequest{summary: fmt.Sprintf("%q is not a request", n.Text), detail: example}
	case !two:
		return line, &wrongRequest{summary: fmt.Sprintf("%q is not a value of %s", n.Text, key), detail: "Write one of these, or a method and a path.", given: n.Text, known: words}
	case key == "read" && method == "HEAD":
		return line, &wrongRequest{
			summary: "the response to HEAD has no body to read",
			detail:  fmt.Sprintf("If that is all there is, write the read next to rest, with what it means: `read: {http: {method: \"HEAD\", path: %q}, return: {…}}`.", path),
		}
	case !slices.Contains(methods, method):
		return line, &wrongRequest{summary: fmt.Sprintf("%q is not a method of %s", method, key), given: method, known: methods}
	case !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "${"):
		return line, withoutSlash(key, method, path, example)
	}
	b := &spec.Splice{File: n.Range.File}
	end := utf8.RuneCountInString(n.Text)
	b.Copy(n, end-utf8.RuneCountInString(path), end)
	return requestLine{key, method, b.Node(n)}, nil
}

// glued matches a method and a path without a space between them.
var glued = regexp.MustCompile(`^([A-Za-z]+)\s*[:,]\s*(/.*)$`)

// without matches what says elsewhere that there is no such operation.
var without = regexp.MustCompile(`^(?i:none|null|no|false|off|never)$`)

// WithoutRemedy returns what to write in `rest` for an operation that the API does not have, and the value in the notation of
// CUE and YAML, or "".
func WithoutRemedy(key string) (remedy, value string) {
	switch key {
	case "update":
		return "If the API cannot update an object, write `update: \"none\"`: every change then replaces the resource.", `"none"`
	case "list":
		return "If the API cannot list the objects, write `list: \"none\"`.", `"none"`
	case "delete":
		return KeptRemedy, ""
	case "read":
		return "Every resource is read. If the API has no request for one object, write `read: \"list\"`, or write the read next to rest.", ""
	default:
		return "Every resource is created. Remove it, or write the create next to rest.", ""
	}
}

// KeptRemedy says how the object of a resource is kept when the resource is deleted.
const KeptRemedy = "If the API cannot delete the object, write `delete: null` next to rest: it is then kept, and only removed from the state."

// withoutSlash returns what is wrong with a request whose path does not begin with a slash.
func withoutSlash(key, method, path, example string) *wrongRequest {
	if _, after, isURL := strings.Cut(path, "://"); isURL {
		_, rest, _ := strings.Cut(after, "/")
		return &wrongRequest{summary: "the request has a URL", detail: fmt.Sprintf("Write the path only: `%s: \"%s /%s\"`. The rest is in the defaults: `http: baseURL: \"https://…\"`.", key, method, rest)}
	}
	if path == "" {
		return &wrongRequest{summary: "the request has no path", detail: example}
	}
	text := method + " /" + path
	return &wrongRequest{summary: "the path does not begin with a slash", detail: fmt.Sprintf("Write `%s: %q`.", key, text), text: text}
}

// foreignNames matches placeholders of other tools, which another finding is about.
var foreignNames = regexp.MustCompile(`(?:^|[^$])\{\s*[\w.{ }]+\}|/:[A-Za-z_]|/<[A-Za-z_]|/\$[A-Za-z_]|\$\([A-Za-z_]`)

// isIn reports whether a path names something that is not the object, but that is found to be wrong
// itself: a placeholder of another tool, or an input without `inputs.`.
func (x *wrongName) isIn(path string) bool {
	return foreignNames.MatchString(path) || slices.ContainsFunc(parentNames.FindAllStringSubmatch(path, -1), func(m []string) bool {
		return x.r.Inputs.Field(m[1]) != nil && x.s.Under.Get(m[1]) == nil
	})
}

// namesObject matches an expression that says which object a request is about.
var namesObject = regexp.MustCompile(`\$\{[^}]*\b(id|inputs|state|resource)\b`)

// checkRequests checks that requests for an object that exists name it, by values that do not change.
func (x *options) checkRequests() {
	for _, r := range x.requests.ofObjects() {
		if r.path == nil {
			continue
		}
		if !x.own["id"] && !x.s.Singleton && !namesObject.MatchString(r.path.Text) && !(&wrongName{x}).isIn(r.path.Text) {
			reportUnnamed(x, r)
		}
		for _, m := range parentInputs.FindAllStringSubmatch(r.path.Text, -1) {
			if x.r.Inputs.Field(m[1]) != nil { // otherwise the compiler reports it
				x.pathInput(m[1], r.key, r.path.Range, true)
			}
		}
	}
}

// pathOfRead returns the path of the request for an object by which read, or every request but r, names it. It returns "" if that follows
// from the path of the collection.
func pathOfRead(x *options, r requestLine) string {
	switch {
	case x.own["read"] || x.requests.readsList():
		return ""
	case r.key != "read" && x.read.path != nil:
		return x.read.path.Text
	case x.s.Object != nil:
		return x.s.Object.Text
	case x.s.Path != nil:
		return strings.TrimSuffix(x.s.Path.Text, "/") + "/${id}"
	default:
		return ""
	}
}

// reportUnnamed reports a request that does not name its object. The object of an update, or of a request whose path is not
// that of the collection, may be named in the query or in the body, so no edit is suggested.
func reportUnnamed(x *options, r requestLine) {
	path, query, _ := strings.Cut(r.path.Text, "?")
	named := template.NamedPath(path, pathOfRead(x, r))
	detail := fmt.Sprintf("It would be about the whole collection, or about any object. Write the id into the path: `%s: \"%s %s\"`.", r.key, r.method, named)
	ofCollection := x.s.Path != nil && strings.TrimSuffix(path, "/") == strings.TrimSuffix(x.s.Path.Text, "/")
	if r.key == "read" {
		detail += fmt.Sprintf(" If the API names the object in the query, write `read: \"%s %s?NAME=${id}\"`.", r.method, path)
	} else {
		detail += fmt.Sprintf(" If the API names the object in the body, write the operation next to rest: `%s: http: {method: %q, path: %q, json: NAME: \"${id}\"}`.", r.key, r.method, path)
	}
	d := x.fail(source.CodeBadValue, r.path.Range, r.key, "the request does not name the object", detail)
	if query == "" && ofCollection && r.key != "update" {
		d.Replace(path, named)
	}
}
