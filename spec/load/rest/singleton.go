package rest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/diag"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
)

// A singleton is an object that exists as long as its parent or the server does, such as settings. `path` is its own path. The
// create updates it, and the delete leaves it.

// ofMany are the keys of rest that a singleton does not have, and why.
var ofMany = map[string]string{
	"object": "`path` is the path of the object.", "id": "The id of the resource consists of the parents in the path.",
	"unique": "There is one object.", "find": "There is one object, which always exists.", "list": "There is one object.",
	"items": "There is one object.", "paginate": "There is one object.", "ifNoneMatch": "The object always exists.",
	"idempotencyKey": "The create updates an object that exists, so it may be sent twice.",
	"idempotent":     "The create updates an object that exists, so it may be sent twice.",
}

// checkSingleton reports keys that a singleton does not have, and keys that only a singleton has. It removes them, and the defaults
// that are for other resources.
func checkSingleton(x *options) {
	if !x.s.Singleton {
		if n := x.s.Reset; n != nil {
			x.fail(source.CodeMisplacedKey, n.Range, "reset", "reset requires a singleton", "Only an object that always exists is reset by the delete. Add `singleton: true`, or remove `reset`.").Suggest(x.s.Without["reset"]...)
			x.s.Reset = nil
		}
		return
	}
	for i := range block.Rest.Keys {
		key := &block.Rest.Keys[i]
		why := ofMany[key.Name]
		if key.Into == nil || why == "" && key.Name != "create" && key.Name != "delete" && key.Name != "read" {
			continue
		}
		option, ok := key.Into(x.s).(**spec.Node)
		switch {
		case !ok || *option == nil:
		case x.defaults[*option] != "":
			*option = nil
		case key.Name == "id" && namesInPath(x, *option):
			*option = nil
		case why != "":
			x.fail(source.CodeMisplacedKey, (*option).Range, key.Name, key.Name+" has no effect", fmt.Sprintf("%s Remove `%s` from rest, or `singleton: true`.", why, key.Name)).Suggest(x.s.Without[key.Name]...)
			*option = nil
		}
	}
	switch n := x.s.Reset; {
	case n == nil || n.Kind == 0:
	case x.s.Delete != nil:
		x.fail(source.CodeMisplacedKey, n.Range, "reset", "reset has no effect", "The request of the delete is `delete`. Remove one of them.").Suggest(x.s.Without["reset"]...)
	}
}

// namesInPath reports an id of inputs, which belongs into the path: that is the path of the object.
func namesInPath(x *options, id *spec.Node) bool {
	path := x.s.Path
	if path == nil || path.Kind != spec.StringNode || !parentInputs.MatchString(id.Text) || strings.Contains(path.Text, id.Text) || strings.Contains(path.Text, "?") {
		return false
	}
	object := strings.TrimSuffix(path.Text, "/") + "/" + id.Text
	x.fail(source.CodeMisplacedKey, id.Range, "id", "id has no effect", fmt.Sprintf("`path` is the path of the object, and the id consists of the inputs in it. Write `path: %q`.", object)).
		Suggest(append(slices.Clone(x.s.Without["id"]), diag.Edit{At: path.Range, Old: path.Text, Text: object})...)
	x.s.Path = text(object, path.Range)
	return true
}

// requestsOfSingleton reads the requests of a singleton. The create and the update are the same request, if only one is given.
func requestsOfSingleton(x *options, read func(n *spec.Node, key, def string, words, methods []string) requestLine) {
	r := &x.requests
	method := "PATCH"
	if patchesObject(x.s) {
		method = "PUT"
	}
	creates := append([]string{"PATCH"}, block.RestCreates...)
	r.create = read(x.s.Create, "create", method, creates, block.RestSends)
	r.update = requestLine{key: "update", method: r.create.method, path: r.create.path}
	if x.s.Update != nil {
		r.update = read(x.s.Update, "update", method, block.RestUpdates, block.RestSends)
	}
	if x.s.Create == nil && r.update.method != "none" {
		r.create = requestLine{key: "create", method: r.update.method, path: r.update.path}
	}
	r.read = read(x.s.Read, "read", "GET", nil, block.RestGets)
	r.delete = read(x.s.Delete, "delete", "DELETE", block.RestDeletes, block.RestDeletes)
	r.list = requestLine{key: "list", method: "none"}
	if n := x.s.Reset; n != nil && n.Kind == spec.MapNode && len(n.Fields) == 0 && (requestOfReset(r).method != "PUT" || patchesObject(x.s)) {
		x.fail(source.CodeBadValue, n.Range, "reset", "reset has no members", "Write what the delete sends, by the names on the wire: `reset: {title: \"\"}`. Without `reset`, the object stays as it is.")
	}
}

// checkPathOfSingleton checks the path of a singleton, which has no id.
func checkPathOfSingleton(x *options, n *spec.Node) {
	if ending := objectSegment.FindStringSubmatch(n.Text); ending != nil && (&wrongName{x}).isID(ending[2]) {
		x.fail(source.CodeBadValue, n.Range, "path", "the path of a singleton ends with an id",
			"There is one object, whose id consists of the parents in the path. If a parent is meant, write the input: `path: \"/projects/${inputs.project}\"`. If there are several objects, remove `singleton`.")
		cut := *n
		cut.Text = strings.TrimSuffix(n.Text, ending[1])
		x.s.Path = &cut
	}
}

// literalSegments matches the segments of a path that are text.
var literalSegments = regexp.MustCompile(`^[^${}]+$`)

// idOfSingleton returns the template for the id of a singleton: its parents, or the last segment of its path that is text.
func idOfSingleton(x *expansion) *spec.Node {
	var parts []string
	for _, p := range x.parents {
		parts = append(parts, "${inputs."+p.input.Name+"}")
	}
	if parts == nil {
		name := x.r.Name
		for _, s := range splitSegments(x.s.Path.Text) {
			if literalSegments.MatchString(s) {
				name = s
			}
		}
		parts = []string{name}
	}
	return text(strings.Join(parts, "/"), x.s.Path.Range)
}

// addServerValues declares the inputs that a program need not set as outputs, too: then the value of the server, which the create
// leaves, is shown, and changes nothing.
func addServerValues(r *spec.Resource) {
	outputs := *r.Outputs
	outputs.Fields = slices.Clone(outputs.Fields)
	for _, p := range r.Inputs.Fields {
		if p.Optional() && !p.Replace && !p.NoRead && !p.Ephemeral && !p.Normalised && outputs.Field(p.Name) == nil {
			outputs.Fields = append(outputs.Fields, &spec.Property{
				Name: p.Name, Doc: p.Doc, Type: p.Type, Secret: p.Secret, Set: p.Set, Key: p.Key, Equal: p.Equal, EqualExpr: p.EqualExpr,
				Wire: p.Wire, WireParents: p.WireParents, WireItem: p.WireItem, Deprecated: p.Deprecated, Names: p.Names, Range: p.Range, TypeRange: p.TypeRange,
			})
		}
	}
	r.Outputs = &outputs
}

// createOfSingleton returns the create of a singleton, which updates it. Like an update, its response has no declared type.
func createOfSingleton(x *expansion) *spec.Operation {
	at := x.s.Path.Range
	path := createPath(x)
	members := membersOfCreate(x.s)
	content := sent(x, x.body("inputs", path), members)
	send := sendOf(x.options, x.create, false)
	switch {
	case send != "":
		if send == "patch" {
			members = nil
		}
		content = changedObject(x, send, x.body("inputs", path), nil, members)
	case x.patch == "json" && x.create.method == "PATCH": // what is there before is not known, and add replaces it
		members, content = nil, jsonPatch(x, object(at), x.body("inputs", path))
	}
	whole := send != ""
	arguments := []spec.Field{
		field("method", text(x.create.method, at)), field("path", path), headersOf(x, x.create), content, nullsOf(x.options), responseOf(x),
		field("idempotent", &spec.Node{Kind: spec.BoolNode, Text: "true", Range: at}),
	}
	if x.create.method == "PUT" { // it overwrites what exists
		arguments = append(arguments, field("ifNoneMatch", &spec.Node{Kind: spec.BoolNode, Text: "false", Range: at}))
	}
	if whole {
		arguments = append(arguments, field("ifMatch", x.s.IfMatch))
	}
	op := x.operation(!x.bodiless, arguments...)
	if whole {
		replaceObject(x, op, x.create)
	}
	return withMembers(returnAwaited(x, op), members)
}

// requestOfReset returns the request of the delete that resets a singleton.
func requestOfReset(r *requests) requestLine {
	if r.update.method == "none" {
		return r.create
	}
	return r.update
}

// resetOfSingleton returns the delete of a singleton that sends `reset`, by the request of an update.
func resetOfSingleton(x *expansion) *spec.Operation {
	request := requestOfReset(&x.requests)
	body := x.s.Reset
	let := object(x.s.Reset.Range)
	if x.s.Body != nil {
		let.Fields = []spec.Field{field("restReset", body), field("restBody", x.s.Body)}
		body = text("${merge(restReset, restBody)}", body.Range)
	}
	content := bodyArgument(x.options, within(x.wrap, x.s.Wrap, body))
	send := sendOf(x.options, request, false)
	whole := send != ""
	switch {
	case send == "patch":
		content, let = changedObject(x, send, x.s.Reset, recordedUnseen(x), nil), object(let.Range)
	case send == "merge":
		content, let = changedObject(x, send, x.s.Reset, recordedUnseen(x), x.s.Body), object(let.Range, field("restBody", x.s.Body))
	case whole:
		content, let = changedObject(x, send, x.s.Reset, nil, x.s.Body), object(let.Range, field("restBody", x.s.Body))
	case x.patch == "json" && request.method == "PATCH":
		content, let = jsonPatch(x, recordedAtReset(x), x.s.Reset), object(let.Range)
	}
	op := requestOfDelete(x, request, headersOf(x, request), content, nullsOf(x.options), field("idempotent", &spec.Node{Kind: spec.BoolNode, Text: "true", Range: body.Range}))
	if whole {
		replaceObject(x, op, request)
		read, put := op.Steps[len(op.Steps)-2], op.Steps[len(op.Steps)-1]
		read.If, read.Gone = put.If, put.Gone
		put.If, put.Gone = text("${steps."+nowStep+" != null}", body.Range), goneLater(x.s.Gone, body.Range)
	}
	if let.Fields != nil {
		op.Let = let
	}
	return untilGone(x, op)
}
