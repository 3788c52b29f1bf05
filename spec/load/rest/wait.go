package rest

import (
	"cmp"

	"github.com/declprov/declprov/spec"
	"github.com/declprov/declprov/spec/load/block"
	"github.com/declprov/declprov/spec/load/source"
)

// With `wait`, the server responds before it has done what was asked. A second step requests the object until it is ready.

// requestStep is the name of the step before the one that waits.
const requestStep = "request"

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
		x.fail(source.CodeMissingKey, n.Range, "wait", "until is required", "Say when the object is ready: `until: \"${body.status != 'PENDING'}\"`.")
	}
	switch remedy := "Write the operations that wait next to rest. If nothing is to wait, remove `wait`, or write `wait: null` if it is a default."; {
	case x.requests.readsList():
		x.fail(source.CodeMisplacedKey, cmp.Or(x.s.Read, n).Range, "read", "wait requires a request for one object", remedy)
	case x.own["read"]:
		x.fail(source.CodeMisplacedKey, n.Range, "wait", "wait does not know the request of the resource's own read", remedy)
	}
}

// returnAwaited adds the step that waits to a create or update, which then returns the object that this step has read.
func returnAwaited(x *expansion, op *spec.Operation) *spec.Operation {
	if x.s.Wait == nil {
		return op
	}
	if x.unwrap != nil && !x.own["return"] {
		op.Return = text("${"+x.objectIn("body")+"}", x.s.Unwrap.Range)
	}
	return addWait(x, op, waitStep(x))
}

// untilGone adds the step that waits to a delete: until the object does not exist. `fail` does not concern it, because an
// object whose create has failed may say so until then. A singleton exists afterwards, so it is until what was sent is done.
func untilGone(x *expansion, op *spec.Operation) *spec.Operation {
	if x.s.Wait == nil {
		return op
	}
	wait := waitStep(x)
	wait.Gone, wait.If = x.s.Gone, op.Steps[len(op.Steps)-1].If
	if !x.s.Singleton {
		wait.Until, wait.Fail = &spec.Node{Kind: spec.BoolNode, Range: x.s.Wait.Range}, nil
	}
	return addWait(x, op, wait)
}

// addWait adds the step that waits after the last request of an operation.
func addWait(x *expansion, op *spec.Operation, wait *spec.Step) *spec.Operation {
	request := op.Steps[len(op.Steps)-1]
	request.As, request.AsRange = requestStep, x.s.Wait.Range
	op.Steps, op.Listed = append(op.Steps, wait), true
	return op
}

// waitStep returns the step that waits, which has the keys of `wait`.
func waitStep(x *expansion) *spec.Step {
	wait := request(x.options, []spec.Field{field("path", x.objectPath(x.read)), x.returning(x.objectType(), "Response")})
	for _, f := range x.s.Wait.Fields {
		if key := block.RestWait.Key(f.Name); key != nil {
			*key.Into(wait).(**spec.Node) = f.Value
		}
	}
	return wait
}
