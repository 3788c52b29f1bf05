package engine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/declprov/declprov/actions"
	"github.com/declprov/declprov/engine"
)

// TestReadsThatShowNothing reads responses with the status of a success. One that has no property of the
// resource, although read always shows some, is about something else: a refresh fails, and so does an import.
func TestReadsThatShowNothing(t *testing.T) {
	t.Parallel()
	const required, optional, unread = `name: string, note?: string`, `name?: string, note?: string`, `name: string @noRead(), note?: string`
	type object = map[string]any
	bodies := map[string]struct {
		body  object
		shows bool
	}{
		"an empty object": {object{}, false},
		"an error":        {object{"error": "no such thing", "code": int64(404)}, false},
		"an envelope":     {object{"data": object{"name": "a"}}, false},
		"other case":      {object{"Name": "a", "NOTE": "b"}, false},
		"nulls":           {object{"name": nil, "note": nil}, false},
		"all":             {object{"name": "a", "note": "b"}, true},
		"an optional one": {object{"note": "c"}, true},
		"a required one":  {object{"name": "a", "more": true}, true},
	}
	for declared, always := range map[string]bool{required: true, optional: false, unread: false} {
		for returned, own := range map[string]string{"": "body", ", return: {name: \"${result.body.name}\", note: \"${result.body.note}\"}": "return"} {
			for name, body := range bodies {
				t.Run(fmt.Sprintf("{%s} %s %s", declared, own, name), func(t *testing.T) {
					t.Parallel()
					w := newWorld()
					w.hooks["get"] = func(context.Context, *actions.Call) actions.Outcome {
						return actions.Succeed(object{"status": int64(200), "body": body.body})
					}
					s := newScene(t, w, `inputs: {`+declared+`}
	id: "x"
	create: world: do: what: "make"
	update: world: do: what: "change"
	read: {world: ask: what: "get"`+returned+`}
	delete: world: do: what: "remove"`)
					made := s.create("name", "a", "note", "b")
					if made.Err != nil {
						t.Fatal(made.Err)
					}
					fails := always && own == "body" && !body.shows
					out := s.e.Read(t.Context(), engine.ReadRequest{Ref: ref("Thing"), State: *made.State})
					switch {
					case fails && (out.Err == nil || out.State != nil || out.Gone):
						t.Errorf("%+v", out)
					case !fails && (out.Err != nil || out.State == nil):
						t.Errorf("%+v", out)
					}
				})
			}
		}
	}
}
