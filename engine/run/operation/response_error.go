package operation

import (
	"fmt"
	"strings"

	"github.com/declprov/declprov/engine/plan"
	"github.com/declprov/declprov/engine/value"
	"github.com/declprov/declprov/spec"
)

// responseError is the error of a `return` that cannot be evaluated for a response.
type responseError struct {
	text string
	err  error
}

func (e *responseError) Error() string { return e.text }
func (e *responseError) Unwrap() error { return e.err }

// AboutResponse adds to the error of evaluating the `return` of an operation which response it is about. If rest
// requires a list, it says what to write in rest, in which no expression can be changed.
func (l *located) AboutResponse(op *plan.Operation, err error) error {
	if err == nil || plan.Last(op.Steps) == nil {
		return err
	}
	text := err.Error()
	result, _ := l.Vars.Values["result"].(map[string]any)
	ofRest, written := l.ofRest(op)
	if written != "" {
		text = strings.Replace(text, written+": ", "", 1) // the shorthand rest wrote this expression, so the author does not know it
	}
	if ofRest && strings.Contains(text, "expected a list, got ") {
		text = strings.Replace(text, "; append `?? []` to treat null as an empty list", "", 1)
		if result["body"] == nil {
			text += "; the response has no body. If that means that there are no objects, write the operation next to rest, with `body ?? []` in its `return`: `declprov expand` prints it"
		} else if path, ok := MapOfObjects(l.Marked("result", "body")); ok && strings.Contains(text, "got a map") {
			values := "values(body" + path + ")"
			text += fmt.Sprintf("; the objects are the values of a map, and rest requires a list. Write the operations that look for the object next to rest: "+
				"`find: {http: path: \"PATH\", return: \"${find(%s, .NAME == inputs.NAME)}\"}`, and `list: {http: path: \"PATH\", items: \"${%[1]s}\", id: \"${each.value.id}\"}`. "+
				"If only the keys are the ids, use `entries` in place of `values`: each has a key and a value", values)
		} else {
			text += "; name the member that contains the objects by `items` in rest" + value.ListMembers(l.Marked("result", "body")) +
				". If the server leaves the list out when it is empty, append a question mark: `items: \"results?\"`"
		}
	}
	if status, url := result["status"], result["url"]; status != nil && url != nil {
		text += fmt.Sprintf(" (the response of %v has status %v)", url, status)
	}
	return &responseError{text, err}
}

// ofRest reports whether an operation comes from rest, and returns the `return` that rest has written. A
// function has no resource.
func (l *located) ofRest(op *plan.Operation) (ofRest bool, written string) {
	var model *spec.Operation
	switch {
	case l.Resource == nil:
	case op == l.Resource.Read:
		model = l.Resource.Spec.Read
	case op == l.Resource.Find:
		model = l.Resource.Spec.Find
	}
	if model == nil || !model.Rest {
		return false, ""
	}
	if model.Return != nil {
		written = model.Return.Text
	}
	return true, written
}
