package verdict

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/actions/http/request"
)

// openGraphQL splits a response of GraphQL: the body becomes its data. It reports whether the
// response is one.
func (resp *Response) openGraphQL() bool {
	resp.Errors = []any{}
	envelope, _ := resp.wireBody.(map[string]any)
	data, hasData := envelope["data"]
	list, hasErrors := envelope["errors"].([]any)
	if !hasData && !hasErrors {
		return false
	}
	resp.Body, resp.wireBody, resp.Errors = data, data, append(resp.Errors, list...)
	return true
}

// graphqlOutcome returns the outcome of a response of GraphQL with an expected status: Done, unless
// it reports errors. Then an operation with an effect may have had a part of it; the spec
// knows by `refused` whether it had none.
func (j *Judge) graphqlOutcome(r *request.Request, resp *Response) actions.Outcome {
	j.learnSecrets(resp)
	if !resp.openGraphQL() && resp.Status < 300 {
		return j.UnusableOutcome(r, resp, errors.New("the body is not a response of GraphQL: it has neither `data` nor `errors`"))
	}
	if len(resp.Errors) == 0 || j.partial && hasData(resp.Body) {
		return actions.Outcome{Status: actions.Done}
	}
	out := j.UnusableOutcome(r, resp, fmt.Errorf("the response reports errors: %s", j.serverMessage(resp)))
	out.Result, out.Received = j.failureResult(resp), j.typed
	if r.Effect == actions.Write {
		out.Status = actions.Failed
	}
	return out
}

// hasData reports whether one of the members that the document selects is not null.
func hasData(data any) bool {
	members, _ := data.(map[string]any)
	for _, v := range members {
		if v != nil {
			return true
		}
	}
	return false
}

// graphqlMessages returns the messages of the errors in a response of GraphQL.
func (resp *Response) graphqlMessages() string {
	var texts []string
	for _, e := range resp.Errors {
		members, _ := e.(map[string]any)
		if text, _ := members["message"].(string); text != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "; ")
}
