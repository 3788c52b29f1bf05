package rest

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
)

// With `wait`, the server responds before it has done what was asked. A second step waits for the end: it requests the
// object, or the operation of the server that the response names.

// requestStep is the name of the step before the one that waits, to which `operation` refers, and undoStep that of the step
// before the one that waits for an undo.
const requestStep, undoStep = "request", "undo"

// startsOperation reports whether the response to a request names an operation of the server.
func startsOperation(s *spec.Rest) bool { return s.Wait.Get("operation") != nil }

// resultOfCreate returns the expression for the result of the request that creates the object.
func resultOfCreate(x *expansion) string {
	if x.s.Wait != nil && !x.own["create"] {
		return "steps." + requestStep
	}
	return "result"
}

// checkWait checks that there is a condition for the end, and a request that can show it.
func checkWait(x *options) {
	n := x.s.Wait
	if n == nil || n.Kind != spec.MapNode {
		return
	}
	if n.Get("until") == nil {
		x.fail(source.CodeMissingKey, n.Range, "wait", "until is required", "Say how the end is recognized: `until: \"${body.status != 'PENDING'}\"`.")
	}
	if x.requests.readsList() && !startsOperation(x.s) {
		x.fail(source.CodeMisplacedKey, n.Range, "wait", "wait requires a request for one object", "Add the operation that the response names, such as `operation: \"/tasks/${steps.request.body.task}\"`. Or remove `read: \"list\"`.")
	}
}

// waitForCreate adds the step that waits to a create. If the operation of the server fails, the object is deleted:
// otherwise the next run would only ask again for the same operation.
func waitForCreate(x *expansion, op *spec.Operation) *spec.Operation {
	if x.s.Wait == nil {
		return op
	}
	if startsOperation(x.s) && !x.own["delete"] {
		undo := deleteStep(x)
		undo.As, undo.AsRange = undoStep, x.s.Wait.Range
		undo.Gone = goneLater(undo.Gone, x.s.Wait.Range)
		op.Steps[0].OnFailure = []*spec.Step{undo, afterDelete(waitStep(x, undoStep), undoStep)}
	}
	return returnObject(x, addWait(x, op, waitStep(x, requestStep)))
}

// waitForUpdate adds the step that waits to an update. If the operation of the server fails, the next run starts another one.
func waitForUpdate(x *expansion, op *spec.Operation) *spec.Operation {
	if x.s.Wait == nil {
		return op
	}
	wait := waitStep(x, requestStep)
	if startsOperation(x.s) {
		wait.Restart, wait.RestartRange = requestStep, x.s.Wait.Range
	}
	return returnObject(x, addWait(x, op, wait))
}

// waitForDelete adds the step that waits to a delete. Without an operation of the server, the delete ends when the object
// does not exist.
func waitForDelete(x *expansion, op *spec.Operation) *spec.Operation {
	if x.s.Wait == nil {
		return op
	}
	wait := afterDelete(waitStep(x, requestStep), requestStep)
	if !startsOperation(x.s) {
		wait.Until = &spec.Node{Kind: spec.BoolNode, Range: x.s.Wait.Range}
		wait.Gone, wait.If = x.s.Gone, op.Steps[len(op.Steps)-1].If
	}
	return addWait(x, op, wait)
}

// afterDelete adds to the condition of the step that waits that there is a response: there is none if the object did not exist.
func afterDelete(wait *spec.Step, request string) *spec.Step {
	if wait.If != nil {
		wait.If = text("${steps."+request+" != null && "+strings.TrimPrefix(wait.If.Text, "${"), wait.If.Range)
	}
	return wait
}

// addWait adds the step that waits after the last request of an operation.
func addWait(x *expansion, op *spec.Operation, wait *spec.Step) *spec.Operation {
	request := op.Steps[len(op.Steps)-1]
	request.As, request.AsRange = requestStep, x.s.Wait.Range
	op.Steps, op.Listed = append(op.Steps, wait), true
	return op
}

// returnObject lets an operation return the object that its last step has read. After an operation of the server, read
// provides the object.
func returnObject(x *expansion, op *spec.Operation) *spec.Operation {
	switch {
	case startsOperation(x.s):
		op.Return = text("${null}", x.s.Wait.Range)
	case x.unwrap != nil && !x.own["return"]:
		op.Return = text("${body"+accessAll(x.inBody(x.unwrap))+"}", x.s.Unwrap.Range)
	}
	return op
}

// waitStep returns the step that waits for what another step has begun. It has the keys of `wait`.
func waitStep(x *expansion, begun string) *spec.Step {
	arguments := []spec.Field{field("path", x.objectPath(x.read)), x.returning(x.objectType(), "Response")}
	var started *spec.Node
	if startsOperation(x.s) {
		operation := operationOf(x, begun)
		started = ifStarted(operation, begun)
		arguments = []spec.Field{field("url", operation)}
		if strings.HasPrefix(operation.Text, "/") {
			arguments = []spec.Field{field("path", operation)}
		}
	}
	wait := request(x.s, arguments)
	for _, f := range x.s.Wait.Fields {
		if key := block.RestWait.Key(f.Name); key != nil && key.Into != nil {
			*key.Into(wait).(**spec.Node) = f.Value
		}
	}
	wait.If = started
	return wait
}

// responseRefs matches a part of the response to which `operation` refers; the first group is the name of the step.
var responseRefs = regexp.MustCompile(`\bsteps\.(request|undo)((?:\??\.\w+|\[(?:\d+|'[^']*'|"[^"]*")\])+)`)

// operationOf returns the URL or path of the operation that the response to a step names.
func operationOf(x *expansion, begun string) *spec.Node {
	n := x.withParents(x.s.Wait.Get("operation"), "", false)
	if begun == requestStep {
		return n
	}
	renamed := &spec.Splice{File: n.Range.File}
	at, count := 0, func(bytes int) int { return utf8.RuneCountInString(n.Text[:bytes]) }
	for _, m := range responseRefs.FindAllStringSubmatchIndex(n.Text, -1) {
		renamed.Copy(n, count(at), count(m[2]))
		renamed.Generate(begun, n.At(count(m[2]), count(m[3])))
		at = m[3]
	}
	renamed.Copy(n, count(at), count(len(n.Text)))
	return renamed.Node(n)
}

// ifStarted returns the condition that the response to a step names an operation, or nil: a server that has done what was
// asked at once names none, nor does the object that `find` has found.
func ifStarted(operation *spec.Node, begun string) *spec.Node {
	var parts []string
	for _, m := range responseRefs.FindAllStringSubmatch(operation.Text, -1) {
		part := "(" + m[0] + " ?? null) != null"
		if m[1] == begun && !slices.Contains(parts, part) {
			parts = append(parts, part)
		}
	}
	if parts == nil {
		return nil
	}
	return text("${"+strings.Join(parts, " && ")+"}", operation.Range)
}
