package engine_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestEveryPlaceUsesResults refers to a member of an earlier result in each place of a later step, and of what
// follows. The step asks for that member, and for no other.
func TestEveryPlaceUsesResults(t *testing.T) {
	t.Parallel()
	const two = `, {world: do: {what: "two"%s}%s}`
	places := map[string]struct {
		own, after string // what the step itself has, and what follows it
		rest       string // of the resource
	}{
		"an argument":             {after: fmt.Sprintf(two, `, with: "${REF}"`, "")},
		"if":                      {after: fmt.Sprintf(two, "", `, if: "${REF == 'x'}"`)},
		"lock":                    {after: fmt.Sprintf(two, "", `, lock: "${string(REF)}"`)},
		"every":                   {after: fmt.Sprintf(two, "", `, until: "${true}", every: "${string(REF)}"`)},
		"timeout":                 {after: fmt.Sprintf(two, "", `, until: "${true}", timeout: "${string(REF)}"`)},
		"forEach":                 {after: fmt.Sprintf(two, "", `, forEach: "${[REF]}"`)},
		"an element":              {after: fmt.Sprintf(two, `, with: "${each.value}"`, `, forEach: "${REF}"`)},
		"until":                   {after: fmt.Sprintf(two, "", `, until: "${REF == 'x'}"`)},
		"refused":                 {after: fmt.Sprintf(two, "", `, refused: "${REF == 'y' ? 'no' : null}"`)},
		"fail":                    {after: fmt.Sprintf(two, "", `, fail: "${REF == 'y' ? 'no' : null}"`)},
		"progress":                {after: fmt.Sprintf(two, "", `, until: "${true}", progress: "${string(REF)}"`)},
		"retry":                   {after: fmt.Sprintf(two, "", `, retry: {attempts: 2, if: "${REF == 'y'}"}`)},
		"a late argument":         {after: `, {http: {path: "/", items: "${filter(body, # == REF)}"}}`},
		"its own undo":            {own: `, onFailure: [{world: do: {what: "undo", with: "${REF}"}}]`, after: fmt.Sprintf(two, "", "")},
		"its own undo, as result": {own: `, onFailure: [{world: do: {what: "undo", with: "${result.body.tok}"}}]`, after: fmt.Sprintf(two, "", "")},
		"another undo":            {after: fmt.Sprintf(two, "", `, onFailure: [{world: do: {what: "undo", with: "${REF}"}}]`)},
		"return":                  {after: fmt.Sprintf(two, "", ""), rest: `, return: tok: "${REF}"`},
		"the id":                  {after: fmt.Sprintf(two, "", ""), rest: "ID"},
	}
	for place, of := range places {
		for _, kind := range []string{"ask", "send"} {
			t.Run(place+", "+kind, func(t *testing.T) {
				t.Parallel()
				asked := map[string]bool{}
				w := newWorld()
				w.hooks["w"] = func(_ context.Context, call *actions.Call) actions.Outcome {
					for _, name := range []string{"body.tok", "body.other", "status"} {
						asked[name] = call.Asks(name)
					}
					return answers(members("tok", "x", "other", "y"))
				}
				text := `inputs: name: string @noRead()
	outputs: tok?: string
	id: "` + map[bool]string{true: "${REF}", false: "x"}[of.rest == "ID"] + `"
	create: {steps: [{as: "w", world: ` + kind + `: what: "w"` + of.own + `}` + of.after + `]` + map[bool]string{false: of.rest}[of.rest == "ID"] + `}
	delete: world: do: what: "remove"`
				w.journal = t.TempDir()
				e, _ := w.engine(t, "http: baseURL: \"http://127.0.0.1:1\"\nresources: Thing: {"+strings.ReplaceAll(text, "REF", "steps.w.body.tok")+"}")
				e.Create(t.Context(), engine.CreateRequest{Ref: ref("Thing"), Inputs: object("name", "a")})
				if !asked["body.tok"] || asked["body.other"] || asked["status"] {
					t.Errorf("asked for %v", asked)
				}
			})
		}
	}
}
