package rest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/expr/parse"
	"github.com/declprov/declprov/spec/template"
)

// readOperation returns the read: a request for the object, or for the list that contains it.
func (x *expansion) readOperation() *spec.Operation {
	switch {
	case x.requests.readsList() && x.named:
		return afterParent(x, x.findInList(x.sameInputs(x.names), x.s.Read.Range, false))
	case x.requests.readsList():
		return afterParent(x, x.findInList(listed{x}.sameID(), x.s.Read.Range, false))
	}
	op := x.operation(true, field("path", x.objectPath(x.read)), x.returning(x.objectType(), "Response"))
	op.Steps[0].Gone = x.s.Gone
	if op.Return != nil && !declaresResponse(op) {
		op.Return = text("${"+mustUnwrap(x)+"}", x.s.Unwrap.Range)
	}
	return afterParent(x, op)
}

// mustUnwrap returns the expression for the object in an untyped response to read. It fails if the response
// has no such member: null would mean that the object does not exist. An empty list does mean that.
func mustUnwrap(x *expansion) string {
	path := x.unwrap
	members, rest := path, ""
	if i := slices.IndexFunc(path, isIndex); i >= 0 {
		members, rest = path[:i], "["+path[i]+"]"+accessAll(path[i+1:])
	}
	name := strings.Join(members, ".")
	if x.unwrapsSome {
		message := fmt.Sprintf("the response has null in %s, which `unwrap` names. If it means that the object does not exist, say so by `gone`", name)
		const noBody = `(body ?? expectNull(true, "the response has no body. If it means that the object does not exist, say so by ` + "`gone`" + `"))`
		return unwrapIfThere("body", path, fmt.Sprintf("(body%s ?? expectNull(true, %q))", accessAll(path), message), noBody)
	}
	message := fmt.Sprintf("the response has no %s, which `unwrap` names. If only some responses have it, and others are the object itself, write `unwrap: \"%[1]s?\"`. "+
		"If it means that the object does not exist, say so by `gone`", name)
	return fmt.Sprintf("(%s ?? expectNull(true, %q))%s", ofBodyOrNull(members), message, rest)
}

// createOperation returns the create: a POST to the collection, a PUT to the object, or what the
// author wrote.
func (x *expansion) createOperation() *spec.Operation {
	if x.s.Singleton {
		return createOfSingleton(x)
	}
	method, path := text(x.create.method, cmp.Or(x.s.Create, x.s.Path).Range), createPath(x)
	response := x.returning(x.objectType(), "Response")
	if x.bodiless {
		response = field("response", x.s.Response)
	}
	members := membersOfCreate(x.s)
	return withMembers(returnAwaited(x, x.operation(!x.bodiless, field("method", method), field("path", path), sent(x, x.body("inputs", path), members),
		field("ifNoneMatch", x.s.IfNoneMatch), field("idempotencyKey", x.s.IdempotencyKey),
		field("idempotent", x.s.Idempotent), response)), members)
}

// createPath returns the path of the create.
func createPath(x *expansion) *spec.Node {
	if x.create.path != nil || x.create.method == "PUT" || x.s.Singleton {
		return x.objectPath(x.create)
	}
	return x.path("", false)
}

// updateOperation returns the update. Its response has no declared type, because many
// servers respond with nothing, or with something else: then read runs.
func (x *expansion) updateOperation() *spec.Operation {
	at := cmp.Or(x.s.Update, x.s.Path).Range
	method, path := x.update.method, x.objectPath(x.update)
	changes := "changes"
	if x.patch == "merge" {
		changes = "mergePatch(state, changes)"
	}
	body := text("${"+changes+"}", at)
	switch {
	case x.patch == "all", method == "PUT" && x.patch == "merge":
		body = x.body("merge(inputs, "+changes+")", path)
	case method == "PUT" && x.patch != "changes":
		body = x.body("inputs", path)
	}
	members, content := x.s.Body, sent(x, body, x.s.Body)
	send := sendOf(x.options, x.update, true)
	switch {
	case send == patchObject:
		changes, recorded := changesOfObject(x, path)
		content = changedObject(x, send, changes, recorded, members)
	case send != "":
		members, content = nil, changedObject(x, send, text("${deepChanges(state, changes)}", at), text("${state}", at), nil)
	case x.patch == "json":
		members, content = nil, jsonPatch(x, recordedObject(x), body)
	}
	op := x.operation(!x.bodiless, field("method", text(method, at)), field("path", path), headersOf(x, x.update), content, nullsOf(x.options), field("ifMatch", x.s.IfMatch), repeatable(x, method), responseOf(x))
	if send != "" {
		replaceObject(x, op, x.update)
	}
	return withMembers(returnAwaited(x, op), members)
}

// repeatable returns the argument that says that an update by POST may be sent twice: one of a singleton, or of a whole object, sets
// values.
func repeatable(x *expansion, method string) spec.Field {
	if method != "POST" || !x.s.Singleton && x.patch != patchObject {
		return spec.Field{}
	}
	return field("idempotent", &spec.Node{Kind: spec.BoolNode, Text: "true", Range: x.s.Path.Range})
}

// headersOf returns the argument with the type of the body of an update.
func headersOf(x *expansion, r requestLine) spec.Field {
	if r.method != "PATCH" || x.patch != "merge" || x.s.Form != nil {
		return spec.Field{}
	}
	return field("headers", object(x.s.Patch.Range, field("content-type", text("application/merge-patch+json", x.s.Patch.Range))))
}

// responseOf returns the argument that says that the response has no object: what it contains may be a job with an id of its own.
func responseOf(x *expansion) spec.Field {
	if x.bodiless {
		return field("response", x.s.Response)
	}
	return spec.Field{}
}

// deleteOperation returns the delete, or nil for a singleton that stays as it is.
func deleteOperation(x *expansion) *spec.Operation {
	switch {
	case x.s.Singleton && x.s.Delete == nil && x.s.Reset == nil:
		return nil
	case x.s.Singleton && x.s.Delete == nil:
		return resetOfSingleton(x)
	default:
		return deleteBy(x, x.delete)
	}
}

// deleteBy returns the delete that sends a request.
func deleteBy(x *expansion, r requestLine) *spec.Operation {
	return untilGone(x, requestOfDelete(x, r))
}

// requestOfDelete returns the operation of a delete without what waits for its end. If the API responds to what is in a missing parent
// as it likes, nothing is sent there.
func requestOfDelete(x *expansion, r requestLine, arguments ...spec.Field) *spec.Operation {
	step := request(x.options, append([]spec.Field{
		field("method", text(r.method, cmp.Or(x.s.Delete, x.s.Reset, x.s.Path).Range)), field("path", x.objectPath(r)), field("ifMatch", x.s.IfMatch),
	}, arguments...))
	step.Gone = x.s.Gone
	if x.s.Parent != nil {
		step.If = text("${steps.parent != null}", x.s.Parent.Range)
	}
	op := &spec.Operation{Range: x.s.Range, Rest: true, Steps: []*spec.Step{step}}
	return afterParent(x, op)
}

// operation returns an operation of one request. If object is true, the response
// contains the object.
func (x *expansion) operation(object bool, arguments ...spec.Field) *spec.Operation {
	op := &spec.Operation{Range: x.s.Range, Rest: true, Steps: []*spec.Step{request(x.options, arguments)}}
	if object && x.unwrap != nil && !x.own["return"] {
		value := "body" + accessAll(x.unwrap)
		if x.unwrapsSome || declaresResponse(op) {
			value = x.objectIn("body")
		}
		op.Return = text("${"+value+"}", x.s.Unwrap.Range)
	}
	return op
}

// declaresResponse reports whether the last request of an operation declares the type of its
// response, so that its members have their declared names.
func declaresResponse(op *spec.Operation) bool {
	if len(op.Steps) == 0 {
		return false
	}
	last := op.Steps[len(op.Steps)-1]
	return len(last.Actions) == 1 && last.Actions[0].Value.Get("returns") != nil
}

// sent returns the argument with the body that a request sends: the inputs or changes, and the further members of bodies.
func sent(x *expansion, body *spec.Node, members *spec.Node) spec.Field {
	if members != nil {
		inputs, _ := template.Whole(body.Text)
		body = text("${merge("+inputs+", restBody)}", body.Range)
	}
	return bodyArgument(x.options, within(x.wrap, x.s.Wrap, body))
}

// withMembers returns an operation with the local name that sent uses.
func withMembers(op *spec.Operation, members *spec.Node) *spec.Operation {
	if members != nil {
		op.Let = object(members.Range, field("restBody", members))
	}
	return op
}

// membersOfCreate returns the further members of the body of a create: those that refer to the id of the object, which
// an API may want in an update, are not among them.
func membersOfCreate(s *spec.Rest) *spec.Node {
	if s.Body == nil || s.Body.Kind != spec.MapNode {
		return s.Body
	}
	members := *s.Body
	members.Fields = slices.DeleteFunc(slices.Clone(s.Body.Fields), func(f spec.Field) bool { return refersToID(f.Value) })
	if len(members.Fields) == 0 && len(s.Body.Fields) > 0 {
		return nil
	}
	return &members
}

// refersToID reports whether a value contains an expression over the id of the object.
func refersToID(n *spec.Node) bool {
	if !template.HasTemplate(n) {
		return false
	}
	pieces, _ := template.Scan(n.Text)
	return slices.ContainsFunc(pieces, func(p template.Piece) bool { return p.Expr && len(parse.Uses(p.Text, "id")) > 0 }) ||
		slices.ContainsFunc(n.Items, refersToID) || slices.ContainsFunc(n.Fields, func(f spec.Field) bool { return refersToID(f.Value) })
}

// body returns the inputs that a request sends: all except those that are in the path of the
// create or its own.
func (x *expansion) body(inputs string, path *spec.Node) *spec.Node {
	if without := inputsInPath(x, path); without != nil {
		inputs = fmt.Sprintf(`omit(%s, "%s")`, inputs, strings.Join(without, `", "`))
	}
	return text("${"+inputs+"}", x.s.Path.Range)
}

// inputsInPath returns the names of the inputs that a request with a path does not send in its body.
func inputsInPath(x *expansion, path *spec.Node) (without []string) {
	for _, p := range x.parents {
		if p.inPath && (x.own["create"] || isIn(p.input, createPath(x))) {
			without = append(without, p.input.Name)
		}
	}
	for _, m := range parentInputs.FindAllStringSubmatch(path.Text, -1) {
		if x.r.Inputs.Field(m[1]) != nil && !slices.Contains(without, m[1]) {
			without = append(without, m[1])
		}
	}
	return without
}
