package rest

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
)

// requestLine is how the request of one operation differs from the conventional one: its method, and
// its path if the author wrote one, as in `update: "PUT /pets/${id}/name"`.
type requestLine struct {
	key, method string
	path        *spec.Node
}

// requests are the requests of the operations.
type requests struct {
	create, read, update, delete, find requestLine
}

// ofObjects returns the requests for an object that exists.
func (r *requests) ofObjects() []requestLine { return []requestLine{r.read, r.update, r.delete} }

// readsList reports whether an object can only be found in the list.
func (r *requests) readsList() bool { return r.read.method == "list" }

// paths returns the paths of the requests for an object that exists and the author's own operations
// do not replace, if object is the path that the others have. It returns no path for a request whose
// path follows from that of the collection, and then conventional is true.
func (r *requests) paths(object *spec.Node, own map[string]bool) (written []*spec.Node, conventional bool) {
	for _, line := range r.ofObjects() {
		switch {
		case own[line.key], line.method == "none":
		case line.path != nil:
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
		line, summary, detail := parseRequest(n, key, def, words, methods)
		if summary != "" {
			x.fail(source.CodeBadValue, n.Range, key, summary, detail)
		}
		return line
	}
	r := &x.requests
	r.create = read(x.s.Create, "create", "POST", block.RestCreates, block.RestSends)
	updates := map[bool]string{true: "PUT", false: "PATCH"}[r.create.method == "PUT"]
	r.read = read(x.s.Read, "read", "GET", block.RestReads, block.RestGets)
	r.update = read(x.s.Update, "update", updates, block.RestUpdates, block.RestSends)
	r.delete = read(x.s.Delete, "delete", "DELETE", block.RestDeletes, block.RestDeletes)
	r.find = read(x.s.Find, "find", "GET", nil, block.RestGets)
}

// parseRequest reads an option that is a word, or a method and a path. For one that is absent or
// invalid it returns the default, and what is wrong.
func parseRequest(n *spec.Node, key, def string, words, methods []string) (line requestLine, summary, detail string) {
	line = requestLine{key, def, nil}
	if n == nil || n.Kind == 0 {
		return line, "", ""
	}
	if slices.Contains(words, n.Text) {
		return requestLine{key, n.Text, nil}, "", ""
	}
	method, path, two := strings.Cut(n.Text, " ")
	path = strings.TrimLeft(path, " ")
	example := fmt.Sprintf("Write the method and the path: `%s: \"%s /pets/…\"`.", key, methods[0])
	switch {
	case strings.HasPrefix(n.Text, "/"):
		return line, "the path has no method", fmt.Sprintf("Write the method before it: `%s: %q`.", key, methods[0]+" "+n.Text)
	case !two && words == nil:
		return line, fmt.Sprintf("%q is no request", n.Text), example
	case !two:
		return line, fmt.Sprintf("%q is not a value of %s", n.Text, key), strings.TrimSpace(diag.Remedy(n.Text, words) + " Or write a method and a path.")
	case !slices.Contains(methods, method):
		return line, fmt.Sprintf("%q is no method of %s", method, key), diag.Remedy(method, methods)
	case !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "${"):
		return line, "the request has no path", example
	}
	b := &spec.Splice{File: n.Range.File}
	end := utf8.RuneCountInString(n.Text)
	b.Copy(n, end-utf8.RuneCountInString(path), end)
	return requestLine{key, method, b.Node(n)}, "", ""
}

// checkRequests checks the inputs in the paths of requests for an object that exists.
func (x *options) checkRequests() {
	for _, r := range x.requests.ofObjects() {
		if r.path == nil {
			continue
		}
		for _, m := range parentInputs.FindAllStringSubmatch(r.path.Text, -1) {
			if x.r.Inputs.Field(m[1]) != nil { // otherwise the compiler reports it
				x.pathInput(m[1], r.key, r.path.Range)
			}
		}
	}
}
